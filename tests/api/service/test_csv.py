"""CSV files in a spreadsheet: names are never formulas; file names may have any letter."""

import csv
import io

import pytest

from app.api.http.csv_file import attachment, csv_line

DDE = "=cmd|' /C calc'!A0"


@pytest.mark.parametrize("text", [DDE, "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_name_is_not_a_formula(text):
    (cells,) = csv.reader(io.StringIO(csv_line([text, [text]])))
    assert cells == 2 * ["'" + text.replace("\r", "\n")]


def test_numbers_stay_numbers():
    assert csv_line([-37.0, -1, "n1", None, True]) == "-37.0,-1,n1,,true\n"


def test_names_of_jobs_and_users_are_not_formulas(client, hall, start):
    body = {"name": DDE, "user": DDE, "start": start, "end": start + 60_000, "nodes": [{"node": "n1"}]}
    assert client.post("/api/v1/jobs", json=body).status_code == 201
    (job,) = csv.DictReader(io.StringIO(client.get("/api/v1/jobs.csv").text))
    assert (job["name"], job["user"]) == (f"'{DDE}", f"'{DDE}")


@pytest.mark.parametrize("by", ["tag:日", "tag:a\r\nx"])
def test_a_tag_of_any_letters_can_name_a_file(client, hall, by):
    answer = client.get("/api/v1/accounts.csv", params={"from": "2026-11-20", "to": "2026-11-21", "by": by})
    assert answer.status_code in (200, 422), answer.text


def test_a_file_name_keeps_its_letters():
    assert attachment("jobs.csv") == 'attachment; filename="jobs.csv"'
    assert attachment("é.csv") == "attachment; filename=\"-.csv\"; filename*=UTF-8''%C3%A9.csv"
