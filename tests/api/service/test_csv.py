"""CSV files in a spreadsheet: names are never formulas; file names may have any letter."""

import csv
import io

import numpy as np
import pytest

from app.api.http.csv_file import attachment, csv_line
from app.services.files import rounded_column

DDE = "=cmd|' /C calc'!A0"


@pytest.mark.parametrize(
    "text", [DDE, "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠SUM(A1)"]
)
def test_a_name_is_not_a_formula(text):
    (cells,) = csv.reader(io.StringIO(csv_line([text, [text]])))
    assert cells == 2 * ["'" + text.replace("\r", "\n")]


def test_numbers_stay_numbers():
    assert csv_line([-37.0, -1, "n1", None, True]) == "-37.0,-1,n1,,true\n"


@pytest.mark.parametrize(
    ("x", "written"),
    [
        (4678.694229499259, "4678.69423"),
        (0.1 + 0.2, "0.3"),
        (230.10000610351562, "230.100006"),  # 230.1 as a 32-bit float
        (-0.04523598765432, "-0.0452359877"),
        (442_800_000_123.4, "442800000123.0"),
        (0.9999999996, "0.999999999"),  # 30 days less a millisecond: not complete
        (1.0000000004, "1.0"),
        (0.0, "0.0"),
        (1e-300, "1e-300"),
    ],
)
def test_a_number_has_nine_significant_digits(x, written):
    assert csv_line([x]) == f"{written}\n"
    assert [str(v) for v in rounded_column(np.array([x, np.nan]))] == [written, "nan"]


def test_counts_are_never_rounded():
    assert csv_line([12_345_678_901_234]) == "12345678901234\n"


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
