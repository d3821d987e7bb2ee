from .api_client_errors import refusal as refusal
from .proxy import reach_ourselves_directly as reach_ourselves_directly
from .slurm import Watch as Watch
from .slurm import send as send
