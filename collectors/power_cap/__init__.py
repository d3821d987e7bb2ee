"""Power caps of GPUs: set for a while, and set back whatever happens."""
