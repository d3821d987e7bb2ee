"""Every command of the README and the tutorial runs against the demo; its figures are those of their pages."""

import re
import shutil
import socket
import subprocess
import sys
import time

import httpx
import pytest

from tests.docs.blocks import WATTLINE, block, blocks, replaced, run
from tests.docs.pictures import demo
from tests.paths import DOCS, ROOT

README = ROOT / "README.md"
PAGES = [README, DOCS / "tutorial.md"]
pytestmark = pytest.mark.timeout(400)  # the first test waits until the demo has its history
SERVER, PDU = "http://127.0.0.1:8000", "10.0.0.7"


def commands(page):
    """Every command line of a page."""
    text = "".join(blocks(page, "sh") + blocks(page, "bash"))
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def served(page):
    """The commands that talk to a server that runs already."""
    return [line for line in commands(page) if SERVER in line or re.search(r"wattline run ", line)]


@pytest.fixture(scope="module")
def url():
    with demo(settle_s=12.0) as found:
        yield found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_make_knows_its_targets(page):
    targets = [line.split()[1] for line in commands(page) if line.startswith("make ")]
    targets += re.findall(r"`make ([a-z-]+)`", page.read_text("utf-8"))
    assert targets
    for target in targets:
        subprocess.run([shutil.which("make"), "-n", target], cwd=ROOT, check=True, capture_output=True, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_that_ask_the_server_run(url, page, tmp_path):
    (tmp_path / "train.py").write_text("print('trained')")
    lines = served(page)
    assert len(lines) >= 6
    for line in lines:
        line = re.sub(r"(\.venv/bin/)?wattline ", f"{WATTLINE} ", line.replace(SERVER, url))
        line = line.replace("sleep 30", "sleep 1").replace("-- python ", f"-- {sys.executable} ")
        line = line.replace(" run ", " run --require --wait 0 ") + " 2>&1" if " run " in line else line
        shown = run(line.replace("curl -s ", "curl -sSf "), tmp_path, WATTLINE_URL=url)
        assert shown.strip(), line


def address(url):
    """The simulated PDU of the demo: its devices may have moved to other ports."""
    devices = httpx.get(f"{url}/api/v1/devices").json()["items"]
    return next(device["address"] for device in devices if device["key"] == "pdu-r07-a").removeprefix("snmp://")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_probe_reads_the_pdu(url, page, tmp_path):
    (line,) = [line for line in commands(page) if " probe " in line]
    line = replaced(line, {".venv/bin/wattline": WATTLINE, PDU: address(url)})
    shown = run(line, tmp_path)
    assert "outlet" in shown


@pytest.mark.slow
def test_the_facility_of_the_readme_is_applied_and_its_pdu_is_read(url, tmp_path):
    text = replaced(block(README, "toml", "[site]"), {PDU: address(url)})
    (tmp_path / "facility.toml").write_text(text)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (line,) = [line for line in commands(README) if "wattline up" in line]
    command = replaced(line, {".venv/bin/wattline": f"exec {WATTLINE}", "PDU_COMMUNITY=public": ""})
    process = subprocess.Popen(
        ["bash", "-c", f"{command} --port {port}"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "WATTLINE_DATA_DIR": str(tmp_path / "data"),
             "PDU_COMMUNITY": "public", "HOME": str(tmp_path)},
    )  # fmt: skip
    try:
        end = time.monotonic() + 90
        watts = None
        while watts is None and time.monotonic() < end and process.poll() is None:
            time.sleep(0.5)
            try:
                found = httpx.get(f"http://127.0.0.1:{port}/metrics?include=outlets").text
            except httpx.HTTPError:
                continue
            watts = re.search(r'wattline_outlet_power_watts\{device="pdu-r07-a",outlet="outlet/1",.* (\S+)', found)
        assert watts is not None
        assert 'powers="hgx-01"' in watts[0]
    finally:
        process.terminate()
        process.wait(60)


def test_the_figures_are_those_of_the_benchmarks():
    page = (DOCS / "benchmarks.md").read_text("utf-8") + (DOCS / "mlperf.md").read_text("utf-8")
    table = re.search(r"## Measured\n(.*?)\n## ", README.read_text("utf-8"), re.DOTALL)[1]
    rows = [line.split("|")[2:4] for line in table.splitlines() if line.startswith("| ") and "Wattline |" not in line]
    figures = [number for cells in rows for number in re.findall(r"\d+\.?\d*", " ".join(cells)) if number != "10,000"]
    assert len(figures) > 12
    assert [number for number in figures if number not in page] == []


def test_it_says_that_outlets_are_never_switched_and_shows_four_pictures():
    text = README.read_text("utf-8")
    assert "Outlets are never switched" in text
    pictures = re.findall(r"!\[[^\]]+\]\((docs/screenshots/\w+\.png)\)", text)
    assert len(pictures) == 4
    assert all((ROOT / picture).stat().st_size < 500_000 for picture in pictures)


@pytest.mark.parametrize("protocol", ["SNMP", "Modbus"])
def test_there_are_as_many_families_as_it_says(protocol):
    said = int(re.search(rf"[Mm]ore than (\d+) {protocol} families", README.read_text("utf-8"))[1])
    families = list((ROOT / "collectors/profiles" / protocol.lower()).rglob("*.toml"))
    assert said < len(families) < 2 * said
