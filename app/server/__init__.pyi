from .doctor import findings as findings
from .error_translation import told as told
from .launch import (
    apply_facility as apply_facility,
)
from .launch import (
    make_data_dir as make_data_dir,
)
from .launch import (
    prepare as prepare,
)
from .launch import (
    run_server as run_server,
)
from .launch import (
    run_together as run_together,
)
from .local_client import open_client as open_client
from .supervisor import until_stopped as until_stopped
