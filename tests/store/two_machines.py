"""A database on two machines, as Citus makes it, from what plain PostgreSQL has.

The distributed tables are partitioned; the partitions of some streams and subjects are foreign tables
(`postgres_fdw`) of a second database, which the test makes unreachable. So a statement that needs a row of them fails
with an error of the connection (SQLSTATE 08001, Citus: 08006), and one that names other keys does not ask them. What
Citus tells about its shards is told by two tables of its names. A partitioned table with foreign partitions
has no unique index, so these tables cannot be upserted into: they are filled before they are distributed.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from sqlalchemy import Connection, Engine, make_url, text

from app.store.database.citus import SPREAD
from app.store.database.engine import migrate, open_engine
from tests.conftest import TEMPORARY

CLOSED_PORT = "1"
CATALOG = """
CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
INSERT INTO pg_dist_placement VALUES (1, 1), (2, 2);
CREATE TABLE there (of regclass, key text);
CREATE FUNCTION create_distributed_table(regclass, text, colocate_with text) RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION get_shard_id_for_distribution_column(regclass, anyelement) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN EXISTS (SELECT FROM there WHERE of = $1 AND key = $2::text) THEN 2 ELSE 1 END::bigint $$;
"""


@dataclass
class TwoMachines:
    """The coordinator, which holds one part itself, and the port at which it finds the other machine."""

    engine: Engine
    port: str

    def distribute(
        self, devices: Sequence[str], subjects: Sequence[str] = (), tables: Sequence[str] = tuple(SPREAD)
    ) -> None:
        """Partition tables: the streams of some devices, and the rollups of some subjects, go to the other machine."""
        of_devices = text("SELECT id::text FROM stream WHERE device = ANY(:devices)")
        with self.engine.begin() as connection:
            streams = list(connection.scalars(of_devices, {"devices": list(devices)}))
            for table in tables:
                by = SPREAD[table]
                keys = streams if by == "stream_id" else list(subjects)
                _partition(connection, table, by, keys)
                for key in keys:
                    connection.execute(text(f"INSERT INTO there VALUES ('{table}', :key)"), {"key": key})
        self.engine.dispose()

    @contextmanager
    def down(self) -> Iterator[None]:
        """The other machine refuses connections while it lasts."""
        self._listen(CLOSED_PORT)
        try:
            yield
        finally:
            self._listen(self.port)

    def _listen(self, port: str) -> None:
        with self.engine.begin() as connection:
            connection.execute(text(f"ALTER SERVER other OPTIONS (SET port '{port}')"))


def _partition(connection: Connection, table: str, by: str, keys: Sequence[str]) -> None:
    listed = ", ".join(f"'{key}'" for key in keys)
    statements = [
        f"ALTER TABLE {table} RENAME TO {table}_whole",
        f"CREATE TABLE {table} (LIKE {table}_whole INCLUDING DEFAULTS) PARTITION BY LIST ({by})",
        f"CREATE TABLE {table}_here PARTITION OF {table} DEFAULT",
        f"INSERT INTO {table} SELECT * FROM {table}_whole",
        f"DROP TABLE {table}_whole",
    ]
    if keys:
        there = f"CREATE FOREIGN TABLE {table}_there PARTITION OF {table} FOR VALUES IN ({listed}) SERVER other"
        statements.insert(3, f"{there} OPTIONS (table_name '{table}')")
    for statement in statements:
        connection.execute(text(statement))


@contextmanager
def two_machines(server: str) -> Iterator[TwoMachines]:
    """Create the two databases on a PostgreSQL, and drop them."""
    names = [f"{TEMPORARY}{secrets.token_hex(6)}_{part}" for part in ("here", "there")]
    urls = [make_url(server).set(database=name) for name in names]
    with psycopg.connect(server, autocommit=True, connect_timeout=5) as admin:
        for name in names:
            admin.execute(f'CREATE DATABASE "{name}"')
            admin.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = off')
    engines = [open_engine(url.render_as_string(hide_password=False)) for url in urls]
    try:
        for engine in engines:
            migrate(engine)
        engines[1].dispose()
        with engines[0].begin() as connection:
            port = str(connection.scalar(text("SELECT inet_server_port()")))
            connection.execute(text("CREATE EXTENSION postgres_fdw"))
            host = connection.scalar(text("SELECT host(inet_server_addr())"))
            options = f"host '{host}', port '{port}', dbname '{names[1]}'"
            connection.execute(text(f"CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({options})"))
            login = {"user": urls[1].username, "password": urls[1].password}
            given = ", ".join(f"{key} '{value}'" for key, value in login.items() if value)
            connection.execute(text(f"CREATE USER MAPPING FOR CURRENT_USER SERVER other OPTIONS ({given})"))
            for statement in CATALOG.split(";\n"):
                if statement.strip():
                    connection.execute(text(statement.replace(":", "\\:")))
        yield TwoMachines(engines[0], port)
    finally:
        for engine in engines:
            engine.dispose()
        with psycopg.connect(server, autocommit=True, connect_timeout=5) as admin:
            for name in names:
                admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
