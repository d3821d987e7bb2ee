"""`python -m tests.torture --kills 100 --engine sqlite`."""

import argparse
import os
import secrets
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from app.store.database.engine import migrate, open_engine
from tests.torture.run import torture

DEFAULT_POSTGRES_URL = "postgresql://root@127.0.0.1:5432/test"


@contextmanager
def postgres_database():
    """The URL of a new database beside the one WATTLINE_TEST_POSTGRES_URL names; dropped at the end."""
    server = os.environ.get("WATTLINE_TEST_POSTGRES_URL", DEFAULT_POSTGRES_URL)
    name = f"wattline_test_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True, connect_timeout=5) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield make_url(server).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def database(kind, folder):
    """The URL of a new database of a kind."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'wattline.db'}"
    else:
        with postgres_database() as url:
            yield url


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.torture")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, database(given.engine, Path(name)) as url:
        engine = open_engine(url)
        migrate(engine)
        shown = sys.stderr.isatty()
        report = torture(
            engine,
            Path(name),
            given.kills,
            given.seed,
            lambda done: print(f"\r{done}/{given.kills}", end="", file=sys.stderr) if shown else None,
        )
        engine.dispose()
    print(f"{given.engine}: {report}")


if __name__ == "__main__":
    main()
