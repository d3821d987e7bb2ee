"""One module a protocol; only its client sees the library it uses."""
