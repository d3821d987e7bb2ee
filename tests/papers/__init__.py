"""docs/papers.md: what three papers published, and what comes out when their machines are measured by Wattline."""
