"""The initial schema.

Revision ids carry the prefix `wattline_`: databases from before the first release hold plain numbers (0001 to 0014),
which must never be taken for these.
"""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0001"
down_revision = None
branch_labels = None
depends_on = None

MS = sa.BigInteger()
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.String()
REAL = sa.Float()
COUNT = sa.Integer()
FLAG = sa.Boolean()
DOCUMENT = sa.JSON(none_as_null=True)
BYTES = sa.LargeBinary()


def need(name: str, kind: sa.types.TypeEngine) -> sa.Column:
    return sa.Column(name, kind, nullable=False, autoincrement=False)


def may(name: str, kind: sa.types.TypeEngine) -> sa.Column:
    return sa.Column(name, kind, nullable=True)


def only(condition: str) -> dict[str, sa.TextClause]:
    """Options of an index that holds only the rows of a condition."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def create(name: str, *columns: sa.Column | sa.Constraint, key: tuple[str, ...] = ("id",), **options: bool) -> None:
    identity = [sa.Column("id", ID, nullable=False)] if key == ("id",) and columns[0].name != "id" else []
    op.create_table(name, *identity, *columns, sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"), **options)


def create_versioned(name: str, *columns: sa.Column, key: tuple[str, ...] = ("key",)) -> None:
    """Create a table of versioned objects with at most one open version per key."""
    keyed = [need("key", TEXT), may("label", TEXT)] if key == ("key",) else []
    validity = [need("valid_from_ms", MS), may("valid_to_ms", MS)]
    create(name, *validity, *keyed, *columns, sqlite_autoincrement=True)
    op.create_index(f"uq_{name}_open", name, list(key), unique=True, **only("valid_to_ms IS NULL"))


def upgrade() -> None:
    create_facility()
    create_jobs()
    create_accounts()
    create_series()
    create_rollups()
    create_health()


def create_facility() -> None:
    create_versioned("site", may("timezone", TEXT))
    create_versioned("room", may("site", TEXT))
    create_versioned(
        "rack", may("site", TEXT), may("room", TEXT), may("row", TEXT), may("position", COUNT), may("capacity_w", REAL),
        may("height_u", COUNT),
    )  # fmt: skip
    create_versioned(
        "model", may("rated_w", REAL), may("budget_w", REAL), may("control_w", REAL), may("idle_w", REAL),
        may("gpus", COUNT), may("gpu_tdp_w", REAL), may("gpu_slices", COUNT), may("cores", COUNT),
        may("height_u", COUNT),
    )  # fmt: skip
    create_versioned(
        "device", need("kind", TEXT), may("site", TEXT), may("rack", TEXT), may("profile", TEXT), may("address", TEXT),
        may("auth", TEXT), may("interval_s", REAL), may("timeout_s", REAL), may("feed", TEXT), may("breaker", DOCUMENT),
        need("branches", DOCUMENT), may("node", TEXT), may("model", TEXT),
    )  # fmt: skip
    create_versioned(
        "node", may("site", TEXT), may("rack", TEXT), may("model", TEXT), may("position_u", COUNT),
        may("height_u", COUNT), need("exporters", DOCUMENT), may("bmc", TEXT),
    )  # fmt: skip
    create_versioned(
        "power_connection", need("node", TEXT), need("device", TEXT), need("point", TEXT),
        key=("node", "device", "point"),
    )  # fmt: skip
    create_versioned(
        "shared_supply", may("site", TEXT), need("nodes", DOCUMENT), need("feeds", DOCUMENT), may("psus", DOCUMENT),
        need("split", TEXT),
    )  # fmt: skip
    create_versioned("auth", need("settings", DOCUMENT))
    create(
        "facility_change", need("made_ms", MS), need("effective_ms", MS), need("kind", TEXT), need("key", TEXT),
        need("action", TEXT), may("due_ms", MS), sqlite_autoincrement=True,
    )  # fmt: skip


def create_jobs() -> None:
    create(
        "job", need("id", TEXT), need("cluster", TEXT), may("job_id", TEXT), need("submit_ms", MS), need("name", TEXT),
        may("user", TEXT), may("project", TEXT), may("partition", TEXT), may("within", TEXT), may("state", TEXT),
        need("start_ms", MS), may("end_ms", MS), need("tags", DOCUMENT), may("origin", TEXT), may("touched_ms", MS),
        may("summarised_at_ms", MS),
    )  # fmt: skip
    op.create_index(
        "ix_job_outdated",
        "job",
        ["end_ms", "id"],
        **only("end_ms IS NOT NULL AND (summarised_at_ms IS NULL OR touched_ms >= summarised_at_ms)"),
    )
    op.create_index("ix_job_start_ms", "job", ["start_ms"])
    op.create_index("ix_job_user", "job", ["user"])
    op.create_index(
        "uq_job_identity", "job", ["cluster", "job_id", "submit_ms"], unique=True, **only("job_id IS NOT NULL")
    )
    create(
        "job_node", need("job", TEXT), need("node", TEXT), may("gpus", DOCUMENT), may("cores", COUNT),
        may("exclusive", FLAG), may("start_ms", MS), may("end_ms", MS),
        sa.ForeignKeyConstraint(["job"], ["job.id"], "fk_job_node_job_job", ondelete="CASCADE"),
    )  # fmt: skip
    op.create_index("ix_job_node_job", "job_node", ["job"])
    op.create_index("ix_job_node_node", "job_node", ["node"])
    create(
        "job_summary", need("job", TEXT), need("revision", COUNT), need("computed_at_ms", MS),
        need("content", DOCUMENT), may("energy_j", REAL), may("inside_j", REAL), may("mean_w", REAL),
        may("median_w", REAL), may("max_w", REAL), may("duration_s", REAL), may("coverage", REAL), may("source", TEXT),
        may("sparkline", DOCUMENT),
        sa.ForeignKeyConstraint(["job"], ["job.id"], "fk_job_summary_job_job", ondelete="CASCADE"), key=("job",),
    )  # fmt: skip
    op.create_index(
        "ix_job_summary_figures",
        "job_summary",
        ["job", "energy_j", "inside_j", "duration_s", "mean_w", "median_w", "max_w", "coverage"],
    )


def create_accounts() -> None:
    create(
        "factor", need("site", TEXT), need("kind", TEXT), need("unit", TEXT), need("source", TEXT),
        may("constant", REAL), need("changed_ms", MS), key=("site", "kind"),
    )  # fmt: skip
    create(
        "factor_step", need("site", TEXT), need("kind", TEXT), need("start_ms", MS), need("end_ms", MS),
        need("value", REAL), key=("site", "kind", "start_ms"),
    )  # fmt: skip
    create(
        "node_day", need("node", TEXT), need("start_ms", MS), need("end_ms", MS), need("basis", TEXT),
        need("computed_at_ms", MS), may("touched_ms", MS), need("content", DOCUMENT), key=("node", "start_ms"),
    )  # fmt: skip


def create_series() -> None:
    create(
        "stream", need("device", TEXT), need("group_name", TEXT),
        sa.UniqueConstraint("device", "group_name", name="uq_stream_device_group_name"),
    )  # fmt: skip
    create(
        "layout", need("hash", TEXT), need("stream_id", ID), need("interval_ms", MS), need("max_gap_ms", MS),
        need("content", DOCUMENT), sa.UniqueConstraint("hash", name="uq_layout_hash"),
    )  # fmt: skip
    op.create_index("ix_layout_stream_id", "layout", ["stream_id"])
    create(
        "frame", need("stream_id", MS), need("t_ms", MS), need("layout_id", MS), need("payload", BYTES),
        key=("stream_id", "t_ms", "layout_id"),
    )  # fmt: skip
    create(
        "chunk", need("stream_id", MS), need("start_ms", MS), need("layout_id", MS), need("count", COUNT),
        need("first_ms", MS), need("last_ms", MS), need("times", BYTES), key=("stream_id", "start_ms", "layout_id"),
    )  # fmt: skip
    create(
        "chunk_column", need("stream_id", MS), need("start_ms", MS), need("layout_id", MS), need("column_index", COUNT),
        need("payload", BYTES), need("count", COUNT), need("first_t_ms", MS), need("first_v", REAL),
        need("last_t_ms", MS), need("last_v", REAL), need("min_v", REAL), need("max_v", REAL), need("integral", REAL),
        need("covered_ms", MS), key=("stream_id", "start_ms", "layout_id", "column_index"),
    )  # fmt: skip
    create(
        "latest_frame", need("stream_id", MS), need("layout_id", MS), need("t_ms", MS), need("payload", BYTES),
        need("stored_ms", MS), key=("stream_id",),
    )  # fmt: skip


def create_rollups() -> None:
    create(
        "rollup_day_series", need("subject", TEXT), need("day_ms", MS), need("step_ms", MS), need("covered_ms", MS),
        need("integrals", BYTES), need("covered", BYTES), need("lows", BYTES), need("highs", BYTES),
        key=("subject", "day_ms"),
    )  # fmt: skip
    op.create_index("ix_rollup_day_series_day_ms_subject", "rollup_day_series", ["day_ms", "subject"])
    create(
        "rollup_day_summary", need("subject", TEXT), need("day_ms", MS), need("integral", REAL), need("covered_ms", MS),
        need("min_v", REAL), need("max_v", REAL), need("max_at_ms", MS), need("levels", BYTES),
        key=("subject", "day_ms"), sqlite_with_rowid=False,
    )  # fmt: skip
    create(
        "rollup_backlog", need("stream_id", MS), need("day_ms", MS), need("from_ms", MS), need("to_ms", MS),
        need("token", MS), key=("stream_id", "day_ms"),
    )  # fmt: skip
    create("retention_watermark", need("kind", TEXT), need("before_ms", MS), key=("kind",))


def create_health() -> None:
    create(
        "poll_failure", need("device", TEXT), need("collector", TEXT), need("t_ms", MS), may("duration_ms", MS),
        need("code", TEXT), need("detail", TEXT),
        sa.UniqueConstraint("device", "t_ms", "collector", name="uq_poll_failure_device_t_ms_collector"),
    )  # fmt: skip
    op.create_index("ix_poll_failure_t_ms", "poll_failure", ["t_ms"])
    create(
        "event", need("t_ms", MS), need("device", TEXT), need("subject", TEXT), need("kind", TEXT),
        need("severity", TEXT), need("detail", TEXT),
        sa.UniqueConstraint("t_ms", "device", "subject", "kind", name="uq_event_t_ms_device_subject_kind"),
    )  # fmt: skip
    op.create_index("ix_event_device", "event", ["device"])
    create(
        "lease", need("device", TEXT), need("collector", TEXT), need("until_ms", MS), may("latency_ms", MS),
        may("skipped", MS), may("offset_ms", MS), key=("device",),
    )  # fmt: skip
    op.create_index("ix_lease_collector", "lease", ["collector"])
    create(
        "alert", need("rule", TEXT), need("subject", TEXT), may("device", TEXT), may("rack", TEXT), may("node", TEXT),
        need("level", COUNT), need("worst_level", COUNT), may("value", REAL), may("limit", REAL), need("unit", TEXT),
        need("detail", TEXT), need("since_ms", MS), may("opened_ms", MS), may("worst", REAL), may("worst_ms", MS),
        may("missing_ms", MS), may("warn_pending_ms", MS), may("crit_pending_ms", MS), may("until_ms", MS),
        need("ended", TEXT), may("acknowledged_ms", MS), need("acknowledged_by", TEXT), need("note", TEXT),
        may("notified_level", COUNT),
    )  # fmt: skip
    op.create_index("ix_alert_unfinished", "alert", ["rule", "subject"], unique=True, **only("until_ms IS NULL"))
    op.create_index("ix_alert_until_ms", "alert", ["until_ms"])
    create("alert_rule", need("name", TEXT), need("content", DOCUMENT), need("changed_ms", MS), key=("name",))
    create("task_lock", need("task", TEXT), need("holder", TEXT), need("until_ms", MS), key=("task",))


TABLES = (
    "site", "room", "rack", "model", "device", "node", "power_connection", "shared_supply", "auth", "facility_change",
    "job_node", "job_summary", "job",
    "factor", "factor_step", "node_day",
    "stream", "layout", "frame", "chunk", "chunk_column", "latest_frame",
    "rollup_day_series", "rollup_day_summary", "rollup_backlog", "retention_watermark",
    "poll_failure", "event", "lease", "alert", "alert_rule", "task_lock",
)  # fmt: skip


def downgrade() -> None:
    for name in TABLES:
        op.drop_table(name)
