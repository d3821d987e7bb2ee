"""Memory that the process freed goes back to the system."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.server.memory import return_free_memory


def resident_mb():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc keeps memory like this")
def test_freed_memory_below_a_block_in_use_is_returned():
    blocks = [bytes(2000) for _ in range(20_000)]
    last = blocks.pop()
    blocks.clear()
    before_mb = resident_mb()
    return_free_memory()
    assert resident_mb() < before_mb - 20
    assert len(last) == 2000


ARENAS = """
import ctypes, threading
from app.server.memory import share_arenas
{share}
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
all_run = threading.Barrier(12)
def allocate():
    libc.malloc(50_000)
    all_run.wait()
threads = [threading.Thread(target=allocate) for _ in range(12)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
out = libc.fdopen(1, b"w")
libc.malloc_info(0, ctypes.c_void_p(out))
libc.fflush(ctypes.c_void_p(out))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has arenas")
@pytest.mark.parametrize(("share", "most"), [("", 16), ("share_arenas()", 2)], ids=["separate", "shared"])
def test_threads_share_two_arenas(share: str, most: int) -> None:
    done = subprocess.run([sys.executable, "-c", ARENAS.format(share=share)], capture_output=True, text=True)
    arenas = done.stdout.count("<heap nr=")
    assert 1 < arenas <= most, done.stderr
    assert share or arenas > 2
