"""Power caps of GPUs: set them temporarily and always restore the former ones."""

from __future__ import annotations

from collectors.power_cap.board import Board, check_range
from collectors.power_cap.hold import holding, undo
from collectors.power_cap.journal import Journal
from collectors.power_cap.libraries import open_library

__all__ = ["Board", "Journal", "check_range", "holding", "open_library", "undo"]
