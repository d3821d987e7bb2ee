import math

import pytest

from app.importers.tables.table import decode, number, read_table


def test_delimiters():
    assert read_table("a;b\n1,5;2\n").rows == [["a", "b"], ["1,5", "2"]]
    assert read_table("a, b\n1, 2\n").rows == [["a", "b"], ["1", "2"]]
    assert read_table("a\tb\n1\t2\n").rows == [["a", "b"], ["1", "2"]]
    assert read_table('"a, b";c\n"1";2\n').rows == [["a, b", "c"], ["1", "2"]]


def test_comments_and_blank_lines_are_left_out():
    table = read_table("# logger 3\n\na,b\n1,2")
    assert table.rows == [["a", "b"], ["1", "2"]]
    assert table.torn


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("431.2", (431.2, "")),
        ("431.2 W", (431.2, "W")),
        (" 55 %", (55, "%")),
        ("-3", (-3, "")),
        ("1e3kW", (1000, "kW")),
    ],
)
def test_numbers_and_units(cell, expected):
    assert number(cell) == expected


@pytest.mark.parametrize("cell", ["", "NaN", "N/A", "[N/A]", "[Not Supported]", "null", "--", "-----"])
def test_absent_numbers(cell):
    value, unit = number(cell)
    assert math.isnan(value)
    assert unit == ""


def test_decimal_commas_only_where_the_comma_does_not_divide():
    assert number("431,2", decimal_comma=True) == (431.2, "")
    assert number("431,2") is None
    assert number("on") is None


def test_files_of_spreadsheets_and_shells():
    assert decode("Leistung µW".encode()) == "Leistung µW"
    assert decode("\ufefftime,power".encode()) == "time,power"
    assert decode("time,power".encode("utf-16")) == "time,power"
    assert decode("Größe".encode("latin-1")) == "Größe"
