"""Record the examples of the API reference: `python -m tests.examples`, after tests ran with WATTLINE_RECORD_ANSWERS.

    WATTLINE_RECORD_ANSWERS=/tmp/answers python -m pytest tests/api && python -m tests.examples /tmp/answers

Of all answers to an operation the one with the most different fields becomes the example; long lists are cut.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import orjson

from tests.paths import ROOT

EXAMPLES = ROOT / "app/api/service/examples.json"
LONGEST = 2
_PLOTLY = {"data": [], "layout": {}, "narrow": {}}


def record(operation_id: str, body: bytes) -> None:
    """Keep an answer if a folder is named to keep answers in."""
    folder = os.environ.get("WATTLINE_RECORD_ANSWERS")
    if folder and len(body) < 200_000:
        place = Path(folder) / operation_id
        place.mkdir(parents=True, exist_ok=True)
        (place / hashlib.sha256(body).hexdigest()[:16]).write_bytes(body)


def short(value: Any) -> Any:
    """Return an answer with lists of at most two items, and figures without their data."""
    if isinstance(value, dict):
        if value.keys() >= {"data", "layout", "title"}:
            value = value | _PLOTLY
        return {name: short(item) for name, item in list(value.items())[:40]}
    if isinstance(value, list):
        return [short(item) for item in value[:LONGEST]]
    return value


def richness(value: Any) -> tuple[int, int]:
    """Count the different paths with a value, then prefer few bytes."""
    found: set[str] = set()

    def walk(part: Any, path: str) -> None:
        if isinstance(part, dict):
            for name, item in part.items():
                walk(item, f"{path}.{name}")
        elif isinstance(part, list):
            for item in part:
                walk(item, f"{path}[]")
        elif part not in (None, ""):
            found.add(path)

    walk(value, "")
    return len(found), -len(orjson.dumps(value))


def main(folder: Path) -> None:
    from tests.checked_client import is_declared

    found = orjson.loads(EXAMPLES.read_bytes()) if EXAMPLES.exists() else {}
    found = {name: example for name, example in found.items() if is_declared(name, example)}
    for place in sorted(folder.iterdir()):
        answers = [short(orjson.loads(file.read_bytes())) for file in sorted(place.iterdir())]
        answers = [answer for answer in answers if is_declared(place.name, answer)]
        if answers:
            found[place.name] = max(answers, key=richness)
    EXAMPLES.write_bytes(lines(found))


def lines(examples: dict[str, Any]) -> bytes:
    """Return a JSON object with one example per line."""
    each = (
        orjson.dumps(name) + b":" + orjson.dumps(examples[name], option=orjson.OPT_SORT_KEYS)
        for name in sorted(examples)
    )
    return b"{\n" + b",\n".join(each) + b"\n}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
