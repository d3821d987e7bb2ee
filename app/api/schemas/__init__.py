"""Bodies of requests, one noun a module. Unknown fields are mistakes."""
