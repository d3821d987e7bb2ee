"""`wattline sweep`: one command at many power caps, each run a job, and the study of them at the end."""
