"""The HTTP interface: parse, call one service, shape the answer."""
