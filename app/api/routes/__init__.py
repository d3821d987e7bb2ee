"""One noun a module, each with a `router`."""
