"""Everything that is kept: frames and chunks of readings, the facility with its past, jobs, health. SQL lives here alone."""
