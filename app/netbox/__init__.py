"""Racks, nodes, PDUs and cords out of NetBox, by its REST API (4.x) or by files of its answers."""
