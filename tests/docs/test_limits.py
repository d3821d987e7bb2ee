"""The limits in docs/limits.md are those of the program."""

import re

import pytest

from app.api.devices import ingest_queue
from app.services.timeseries import ingest_batch, ingest_size
from collectors.device import limits, web_answer
from collectors.polling import poller, series_limit, trap_receiver
from collectors.protocols.ipmi import tools
from collectors.protocols.modbus import endpoint
from collectors.protocols.openmetrics import exposition
from collectors.protocols.redfish import client, tree
from collectors.protocols.scpi import client as scpi
from collectors.protocols.snmp import driver, notifications
from tests.paths import ROOT

LIMITS = {
    "one answer over HTTP, decompressed": limits.MOST_BYTES / 2**20,
    "one Redfish resource, decompressed": client._MOST_BYTES / 2**20,
    "time for one whole answer": web_answer._WHOLE_ANSWER,
    "time for one poll": poller._OPEN_LIMIT_S,
    "lines of an exposition": exposition.MOST_LINES,
    "characters of a line": exposition.LONGEST_LINE,
    "samples that the profile reads": exposition.MOST_SAMPLES,
    "resources of a Redfish service": tree._MOST_RESOURCES,
    "cells of the SNMP tables that are walked": driver._MOST_CELLS,
    "sets of series within an hour": series_limit.MOST_LAYOUTS_AN_HOUR,
    "series": limits.MOST_SERIES,
    "bytes of a line of a bench meter (SCPI, VXI-11)": scpi._LONGEST_LINE,
    "bytes that a Modbus unit sends for one request": endpoint._MOST_BYTES,
    "bytes that an IPMI tool prints": tools._MOST_BYTES,
    "characters of a label": limits.LONGEST_TEXT,
    "BER elements of a notification": notifications.MOST_ELEMENTS,
    "BER elements decoded for one source in a minute": trap_receiver.MOST_ELEMENTS_A_MINUTE,
    "events of a device in a minute": trap_receiver.MOST_A_MINUTE,
    "values of a request": ingest_size.MOST_VALUES,
    "MB of an Arrow stream, decompressed": ingest_size.MOST_DECODED_BYTES / 10**6,
    "frames of a request": ingest_size.MOST_FRAMES,
    "batches of a request": ingest_size.MOST_BATCHES,
    "series of a layout": ingest_batch.MOST_SERIES,
    "requests that are ingested at a time, for each process": ingest_queue.AT_ONCE,
    "requests that wait or are received": ingest_queue.MOST_WAITING,
    "MiB of these requests": ingest_queue.MOST_WAITING_BYTES / 2**20,
    "seconds that a request waits for its turn": ingest_queue.LONGEST_WAIT_S,
}


def rows() -> dict[str, float]:
    text = (ROOT / "docs" / "limits.md").read_text("utf-8")
    found = re.findall(r"^\| ([^|]+?) \| ([\d,]+)", text, re.MULTILINE)
    return {name: float(value.replace(",", "")) for name, value in found}


def test_every_limit_of_the_page_is_checked():
    assert rows().keys() == LIMITS.keys()


@pytest.mark.parametrize("name", LIMITS)
def test_the_limit_of_the_page_is_that_of_the_program(name: str):
    assert rows()[name] == LIMITS[name]
