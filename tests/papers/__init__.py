"""Reproductions of three papers: docs/papers.md compares published figures with those Wattline measures."""
