"""`wattline db copy`: copy the database into another one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from app.cli.terminal import console


def command(
    source: Annotated[str, typer.Argument(metavar="FROM", help="URL of the database to copy.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="URL of an empty database.")],
) -> None:
    """Copy everything into another database, with every server stopped: SQLite to PostgreSQL, or any other direction.
    Run it again to continue after an interruption. At the end rows and checksums of both are compared."""
    from app.store.database import copy_database, open_engine

    with contextlib.ExitStack() as stack:
        for folder in sorted({*_folders(source, must_exist=True), *_folders(target)}):
            stack.enter_context(_locked(folder))
        engines = open_engine(source), open_engine(target)
        for engine in engines:
            stack.callback(engine.dispose)
        copied = copy_database(*engines, lambda table, rows: console.print(f"{table}: {rows:,} rows copied"))
    rows = sum(one.rows for one in copied)
    console.print(f"{rows:,} rows in {len(copied)} tables, the same in both databases", markup=False, soft_wrap=True)


def _folders(url: str, *, must_exist: bool = False) -> Iterator[Path]:
    """Yield the directory of a SQLite database."""
    from app.errors import NotFound

    kind, _, place = url.partition(":///")
    if kind == "sqlite" and place:
        file = Path(place).expanduser()
        if must_exist and not file.is_file():
            raise NotFound(f"there is no database {file}", "give the URL of the database to copy")
        yield file.parent.resolve()


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    from app.server import only_server

    with only_server(folder):
        yield
