"""Devices that the benchmarks poll."""
