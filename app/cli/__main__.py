"""`python -m app.cli`: how the supervisor starts its parts."""

from app.cli import main

main()
