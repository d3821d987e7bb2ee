"""One use case a module: compose the stores with the domain."""
