"""Stores: readings, the facility with its history, jobs, device health. The only floor with SQL."""
