from . import command as command
from .job_run import RunAs as RunAs
from .job_run import answer as answer
from .job_run import insist as insist
from .job_run import run_command as run_command
from .job_run import tags_of as tags_of
