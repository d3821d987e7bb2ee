"""A node with two H100, by hand."""

from collections.abc import Callable, Iterator

import pytest

from tests.nvml_exporter.fake_nvml import Board, Driver, installed
from tests.nvml_exporter.nodes import A, B, Node, board


@pytest.fixture
def make_node(tmp_path) -> Iterator[Callable[..., Node]]:
    with installed(Driver([])) as driver:

        def make(*boards: Board, **more) -> Node:
            driver.boards = list(boards)
            return Node(driver, tmp_path, **more)

        yield make


@pytest.fixture
def node(make_node) -> Node:
    """Two boards of 400 and 300 W."""
    return make_node(board(A, 400.0), board(B, 300.0))
