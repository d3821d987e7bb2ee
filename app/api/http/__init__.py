"""Parts shared by all routes: authentication, errors, headers, timestamps, serialisation."""

from __future__ import annotations

from app.api.http import problems
from app.api.http.answers import (
    Json,
    Page,
    Paged,
    RecordColumnAnswer,
    RecordSummary,
    common_method,
    file_answer,
    record_answer,
    record_answers,
    summary_link,
    xlsx_answer,
    xlsx_answers,
)
from app.api.http.compression import Compression
from app.api.http.conditional import ConditionalGet, Head
from app.api.http.cors import add_cors
from app.api.http.credentials import (
    delete_session_cookie,
    own_url,
    set_session_cookie,
    set_sign_on_cookie,
    sign_on_cookie,
)
from app.api.http.csv_file import CSV, csv_line
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
    "Head",
    "Json",
    "Moment",
    "Page",
    "Paged",
    "PrincipalDep",
    "Problem",
    "RecordColumnAnswer",
    "RecordSummary",
    "RequestGate",
    "SecurityHeaders",
    "StoresDep",
    "Text",
    "access",
    "add_cors",
    "common_method",
    "csv_line",
    "delete_session_cookie",
    "file_answer",
    "in_shown_zone",
    "own_url",
    "problems",
    "record_answer",
    "record_answers",
    "set_session_cookie",
    "set_sign_on_cookie",
    "sign_on_cookie",
    "summary_link",
    "utf8",
    "xlsx_answer",
    "xlsx_answers",
]
