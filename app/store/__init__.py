"""Everything that is kept: readings, the facility with its past, jobs, health. SQL lives here alone."""
