"""Lines of TOML keys, and reading on after a mistake."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.facility.toml.document import TomlMistake, read_toml

EVERY_FORM = '''\
# a comment with = and [brackets]
title = "a # is text here"

[owner]
name.first = 'Ada'
"quoted key" = """first
[not.a.table]
last"""

[racks."r 07"]
list = [
  "a, ]",   # comment, with ] and "
  [1, 2],
  { x = 1, y = "}" },
]
inline = { deep = { a = 1 }, b = [3,
  4] }
when = 2026-03-01T08:00:00Z
'''


def test_every_key_and_item_has_its_line():
    document = read_toml(EVERY_FORM)

    assert document.data == tomllib.loads(EVERY_FORM)
    assert document.mistakes == []
    assert document.lines == {
        ("title",): 2,
        ("owner",): 4,
        ("owner", "name"): 5,
        ("owner", "name", "first"): 5,
        ("owner", "quoted key"): 6,
        ("racks",): 10,
        ("racks", "r 07"): 10,
        ("racks", "r 07", "list"): 11,
        ("racks", "r 07", "list", 0): 12,
        ("racks", "r 07", "list", 1): 13,
        ("racks", "r 07", "list", 1, 0): 13,
        ("racks", "r 07", "list", 1, 1): 13,
        ("racks", "r 07", "list", 2): 14,
        ("racks", "r 07", "list", 2, "x"): 14,
        ("racks", "r 07", "list", 2, "y"): 14,
        ("racks", "r 07", "inline"): 16,
        ("racks", "r 07", "inline", "deep"): 16,
        ("racks", "r 07", "inline", "deep", "a"): 16,
        ("racks", "r 07", "inline", "b"): 16,
        ("racks", "r 07", "inline", "b", 0): 16,
        ("racks", "r 07", "inline", "b", 1): 17,
        ("racks", "r 07", "when"): 18,
    }


def test_a_path_without_a_line_has_that_of_what_is_around_it():
    document = read_toml("[models.a]\nrated_w = 1\n")

    assert document.line(("models", "a", "budget_w")) == 1
    assert document.line(("nodes",)) == 1


def test_windows_line_ends_count_once():
    assert read_toml("a = 1\r\n\r\nb = 2\r\n").lines == {("a",): 1, ("b",): 3}


def test_a_repeated_table_is_reported_and_kept_apart():
    document = read_toml("[devices.a]\nkind = 'pdu'\n\n[devices.a]\nkind = 'meter'\n")

    assert document.data == {"devices": {"a": {"kind": "pdu"}}}
    assert document.mistakes == [
        TomlMistake(4, ("devices", "a"), "", "declared twice, first in line 1; rename one of the two or remove it")
    ]
    assert [repeat.data for repeat in document.repeats] == [{"devices": {"a": {"kind": "meter"}}}]
    assert document.repeats[0].line(("devices", "a", "kind")) == 5


def test_reading_goes_on_after_each_broken_statement():
    document = read_toml(
        "a = yes\nb = 2\nc = [1, 2\nd = 4\n[torn\ne = 5\n[t]\nf 6\ng = 10,200\nh = 'x\ni = 9\ni = 10\nj = 1 2\n"
    )

    assert document.data == {"b": 2, "d": 4, "t": {"i": 9}}
    assert [(mistake.line, mistake.path, mistake.wrong) for mistake in document.mistakes] == [
        (1, ("a",), "not a TOML value; put text in quotes"),
        (3, ("c",), "the closing ] or a comma is missing"),
        (5, (), "a table is written [name]"),
        (8, ("t", "f"), "a key needs = and a value"),
        (9, ("t", "g"), "not a TOML value; numbers are written 10200 or 0.8, text goes in quotes"),
        (10, ("t", "h"), "the quotes are not closed"),
        (12, ("t", "i"), "written twice, first in line 11; remove one"),
        (13, ("t", "j"), "not a TOML value; numbers are written 10200 or 0.8, text goes in quotes"),
    ]


def test_what_only_tomllib_refuses_is_still_refused():
    document = read_toml("a = { b = 1 }\n[a.c]\n")

    assert [(mistake.line, mistake.wrong[:9]) for mistake in document.mistakes] == [(2, "not TOML:")]


KEYS = st.sampled_from(["a", "b", "c-d", '"e f"', "g.h"])
VALUES = st.recursive(
    st.sampled_from(["1", "-0.5", "true", '"x # y"', "'z ] }'", '"""m\n[n]\n"""', "2026-03-01"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: "[" + ",\n ".join(items) + "]"),
    max_leaves=6,
)
STATEMENTS = st.lists(
    st.one_of(st.tuples(KEYS, VALUES).map(" = ".join), KEYS.map(lambda key: f"[{key}]"), st.just("# c\n")), max_size=8
)


@given(STATEMENTS)
def test_agrees_with_tomllib_about_what_is_valid(statements):
    text = "\n".join(statements)
    document = read_toml(text)
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert document.mistakes
    else:
        assert document.mistakes == []
        assert document.data == expected
        assert set(document.lines) >= {(key,) for key in expected}


@given(st.text(alphabet="ab=[]{}.,#'\"\\\n 1", max_size=40))
def test_never_raises(text):
    document = read_toml(text)
    if document.mistakes:
        with pytest.raises(tomllib.TOMLDecodeError):
            tomllib.loads(text)
