from .api_client_errors import api_error as api_error
from .proxy import bypass_proxy_for_localhost as bypass_proxy_for_localhost
from .slurm import Watch as Watch
from .slurm import send as send
