"""`python -m app.cli`: how the supervisor starts its child processes."""

from app.cli import main

main()
