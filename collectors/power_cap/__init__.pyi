from .board import Board as Board
from .board import check_range as check_range
from .hold import holding as holding
from .hold import undo as undo
from .journal import Journal as Journal
from .libraries import open_library as open_library
