"""A facility on a database of its own, and a clock that stands still until it is moved."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.database.engine import migrate, open_engine


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).astimezone(UTC).timestamp() * 1000)


@dataclass
class Clock:
    now: int = ms("2026-03-01T12:00:00Z")

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stores(tmp_path: Path, clock: Clock):
    settings = Settings(data_dir=tmp_path, database_url=f"sqlite:///{tmp_path / 'facility.db'}")
    engine = open_engine(settings.database_url)
    migrate(engine)
    opened: Stores = open_stores(settings, clock, engine)
    yield opened
    engine.dispose()


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes a file into the folder that the test runs in, so that its name in mistakes is short."""
    monkeypatch.chdir(tmp_path)

    def to(name: str, text: str) -> Path:
        Path(name).write_text(text, "utf-8")
        return Path(name)

    return to
