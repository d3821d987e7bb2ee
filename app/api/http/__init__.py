"""Parts shared by all routes: authentication, errors, headers, timestamps, serialisation."""

from __future__ import annotations

from app.api.http import problems
from app.api.http.answers import Json, Page, Paged, csv_answer, file_answer
from app.api.http.compression import Compression
from app.api.http.conditional import ConditionalGet
from app.api.http.cors import add_cors
from app.api.http.credentials import delete_session_cookie, set_session_cookie
from app.api.http.csv_file import CSV, csv_file, csv_line
from app.api.http.dependencies import Access, ActorDep, AllStoresDep, PrincipalDep, StoresDep, access
from app.api.http.headers import SecurityHeaders
from app.api.http.problems import Problem
from app.api.http.request_gate import RequestGate
from app.api.http.text import Detail, Text
from app.api.http.text_body import utf8
from app.api.http.timestamps import Moment
from app.api.http.zone import in_shown_zone

__all__ = [
    "CSV",
    "Access",
    "ActorDep",
    "AllStoresDep",
    "Compression",
    "ConditionalGet",
    "Detail",
    "Json",
    "Moment",
    "Page",
    "Paged",
    "PrincipalDep",
    "Problem",
    "RequestGate",
    "SecurityHeaders",
    "StoresDep",
    "Text",
    "access",
    "add_cors",
    "csv_answer",
    "csv_file",
    "csv_line",
    "delete_session_cookie",
    "file_answer",
    "in_shown_zone",
    "problems",
    "set_session_cookie",
    "utf8",
]
