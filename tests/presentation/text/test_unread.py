"""What cannot be read is named, or counted where it is much."""

from app.presentation.text import missing_names, unread_view
from app.store.database import Unread

WHY = "cannot be read: the database server that holds them does not respond."


def said(devices, subjects, of=16):
    view = unread_view(Unread(set(devices), set(subjects)), [f"pdu-{i}" for i in range(of)])
    return view and view.text


def test_few_devices_are_named_and_many_counted():
    assert said(["pdu-3"], []) == f"Readings of pdu-3 {WHY}"
    assert said(["pdu-3", "pdu-1"], []) == f"Readings of pdu-1 and pdu-3 {WHY}"
    assert said([f"pdu-{i}" for i in range(9)], []) == f"Readings of 9 of 16 devices {WHY}"


def test_minutes_are_named_by_rack():
    subjects = ["rack/r2:power", "rack-known/r1:power", "rack/r1:power", "site/lab:power"]
    assert said([], subjects) == f"Minutes of r1 and r2 {WHY}"
    assert said(["pdu-3"], subjects[:1]) == f"Readings of pdu-3 and minutes of r2 {WHY}"


def test_nothing_is_said_of_other_devices_and_of_sums_that_are_made_of_others():
    assert said([], []) is None
    assert said(["pdu-of-another-site"], ["site/lab:power"]) is None
    assert unread_view(None, ["pdu-1"]) is None


def test_a_missing_part_that_cannot_be_read():
    assert missing_names(["pdu-a/unread"], 1) == "pdu-a cannot be read"
    assert missing_names(["pdu-a/unread", "pdu-b"], 2) == "pdu-a and pdu-b missing"
