"""Which device was silent, and when."""

from app.presentation.text.silence import by_device


def test_the_gaps_of_every_outlet_of_a_device_each_once() -> None:
    # a node's cord was moved from outlet 1 to outlet 4 at 500; both were silent with the device they belong to
    missing = [
        ("pdu-a/outlet/1:power", [(0, 100), (300, 400)]),
        ("pdu-b/outlet/1:power", [(0, 100)]),
        ("pdu-a/outlet/2:power", [(0, 110)]),
        ("pdu-b/outlet/4:power", [(600, 700)]),
    ]
    assert by_device(missing) == {"pdu-a": [(0, 110), (300, 400)], "pdu-b": [(0, 100), (600, 700)]}
    assert by_device([("pdu-a/outlet/1:power", [])]) == {}
