"""Processes that write and seal are killed at random moments, again and again; nothing acknowledged may be lost.

`python -m tests.torture --kills 100 --engine sqlite` runs it for minutes, `test_crash.py` for a moment.
"""
