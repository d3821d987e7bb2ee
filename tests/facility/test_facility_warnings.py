"""What is allowed but probably not meant: told, never refused."""

from app.services.facility.warnings import warnings
from app.store.facility import Device, Node, Rack, SharedSupply

PDUS = [
    Device(key="pdu-a", rack="r1", feed="A"),
    Device(key="pdu-b", rack="r1", feed="B"),
    Device(key="pdu-c", rack="r1"),
]


def told(stores, *things):
    stores.facility.upsert([Rack(key="r1"), *PDUS])
    return warnings(stores.facility.now(), things)


def test_both_cords_on_one_feed_where_there_is_another(stores):
    assert told(
        stores,
        Node(key="good", rack="r1", feeds=("pdu-a/outlet/1", "pdu-b/outlet/1")),
        Node(key="single", rack="r1", feeds=("pdu-a/outlet/2",)),
        Node(key="bad", rack="r1", feeds=("pdu-b/outlet/3", "pdu-b/outlet/4")),
        Node(key="elsewhere", feeds=("pdu-b/outlet/5", "pdu-b/outlet/6")),
    ) == ["all 2 cords of nodes.bad end at feed B; feed A, pdu-c are unused in its rack"]


def test_a_supply_by_the_rack_of_its_nodes(stores):
    found = told(
        stores,
        Node(key="n1", rack="r1"),
        SharedSupply(key="c1", nodes=("n1",), feeds=("pdu-c/outlet/1", "pdu-c/outlet/2")),
    )
    assert found == ["all 2 cords of supplies.c1 end at pdu-c; feed A, feed B are unused in its rack"]


def test_nodes_without_feeds_are_named_together(stores):
    assert told(stores, *(Node(key=f"n{i}") for i in range(1, 9))) == [
        "nodes without feeds have no wall reading: n1, n2, n3, n4, n5, n6 …"
    ]
