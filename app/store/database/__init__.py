"""The database connection and what differs between engines."""

from __future__ import annotations

from app.store.database.backup import BackupReport, backup, restore
from app.store.database.bulk import among, among_given, among_texts, given_list, insertion, raw, raw_in_parts, upsert
from app.store.database.citus import distribute, has_citus, is_spread
from app.store.database.database_copy import TableFingerprint, copy_database
from app.store.database.engine import (
    BadDatabaseUrl,
    Engine,
    UnknownSchema,
    is_empty,
    migrate,
    open_engine,
    reading,
    require_current_schema,
    schema_is_current,
    take_turns,
    writing,
)
from app.store.database.faults import ERRORS, GONE, driver_says, fault
from app.store.database.given_rows import GivenRows
from app.store.database.identifiers import ulid
from app.store.database.partial_reads import PartialReads, Unread
from app.store.database.readiness import require_writable
from app.store.database.table_stats import stats
from app.store.database.task_lock import acquire_task_lock, release_task_locks, task_lock_holders

__all__ = [
    "ERRORS",
    "GONE",
    "BackupReport",
    "BadDatabaseUrl",
    "Engine",
    "GivenRows",
    "PartialReads",
    "TableFingerprint",
    "UnknownSchema",
    "Unread",
    "acquire_task_lock",
    "among",
    "among_given",
    "among_texts",
    "backup",
    "copy_database",
    "distribute",
    "driver_says",
    "fault",
    "given_list",
    "has_citus",
    "insertion",
    "is_empty",
    "is_spread",
    "migrate",
    "open_engine",
    "raw",
    "raw_in_parts",
    "reading",
    "release_task_locks",
    "require_current_schema",
    "require_writable",
    "restore",
    "schema_is_current",
    "stats",
    "take_turns",
    "task_lock_holders",
    "ulid",
    "upsert",
    "writing",
]
