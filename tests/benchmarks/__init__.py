"""Figures and ratios, printed; nothing here asserts."""
