"""The first tables: facility, jobs, time series, health."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

MS = sa.BigInteger()
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.String()
REAL = sa.Float()
COUNT = sa.Integer()
DOCUMENT = sa.JSON(none_as_null=True)
BYTES = sa.LargeBinary()


def need(name: str, kind: sa.types.TypeEngine) -> sa.Column:
    return sa.Column(name, kind, nullable=False, autoincrement=False)


def may(name: str, kind: sa.types.TypeEngine) -> sa.Column:
    return sa.Column(name, kind, nullable=True)


def create(name: str, *columns: sa.Column | sa.Constraint, key: tuple[str, ...] = ("id",), **options: bool) -> None:
    identity = [sa.Column("id", ID, nullable=False)] if key == ("id",) and columns[0].name != "id" else []
    op.create_table(name, *identity, *columns, sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"), **options)


def create_versioned(name: str, *columns: sa.Column, key: tuple[str, ...] = ("key",)) -> None:
    keyed = [need("key", TEXT), may("label", TEXT)] if key == ("key",) else []
    validity = [need("valid_from_ms", MS), may("valid_to_ms", MS)]
    create(name, *validity, *keyed, *columns, sqlite_autoincrement=True)
    still_open = sa.text("valid_to_ms IS NULL")
    op.create_index(
        f"uq_{name}_open", name, list(key), unique=True, sqlite_where=still_open, postgresql_where=still_open
    )


def upgrade() -> None:
    create_facility()
    create_jobs()
    create_series()
    create_health()


def create_facility() -> None:
    create_versioned("site", may("timezone", TEXT))
    create_versioned("room", may("site", TEXT))
    create_versioned(
        "rack", may("site", TEXT), may("room", TEXT), may("row", TEXT), may("position", COUNT),
        may("capacity_w", REAL), may("height_u", COUNT),
    )  # fmt: skip
    create_versioned(
        "model", may("rated_w", REAL), may("budget_w", REAL), may("control_w", REAL), may("idle_w", REAL),
        may("gpus", COUNT), may("height_u", COUNT),
    )  # fmt: skip
    create_versioned(
        "device", need("kind", TEXT), may("site", TEXT), may("rack", TEXT), may("profile", TEXT),
        may("address", TEXT), may("auth", TEXT), may("interval_s", REAL), may("timeout_s", REAL),
        may("feed", TEXT), may("breaker", DOCUMENT), may("node", TEXT), may("model", TEXT),
    )  # fmt: skip
    create_versioned(
        "node", may("site", TEXT), may("rack", TEXT), may("model", TEXT), may("position_u", COUNT),
        may("height_u", COUNT), need("exporters", DOCUMENT), may("bmc", TEXT),
    )  # fmt: skip
    create_versioned(
        "feed", need("node", TEXT), need("device", TEXT), need("point", TEXT), key=("node", "device", "point")
    )
    create_versioned("auth", need("settings", DOCUMENT))
    create(
        "facility_change", need("made_ms", MS), need("effective_ms", MS), need("kind", TEXT), need("key", TEXT),
        need("action", TEXT), sqlite_autoincrement=True,
    )  # fmt: skip


def create_jobs() -> None:
    create(
        "job", need("id", TEXT), need("cluster", TEXT), may("job_id", TEXT), need("submit_ms", MS),
        need("name", TEXT), may("user", TEXT), may("project", TEXT), may("partition", TEXT), may("state", TEXT),
        need("start_ms", MS), may("end_ms", MS), need("tags", DOCUMENT), may("origin", TEXT),
    )  # fmt: skip
    scheduled = sa.text("job_id IS NOT NULL")
    op.create_index(
        "uq_job_identity", "job", ["cluster", "job_id", "submit_ms"],
        unique=True, sqlite_where=scheduled, postgresql_where=scheduled,
    )  # fmt: skip
    op.create_index("ix_job_start_ms", "job", ["start_ms"])
    op.create_index("ix_job_user", "job", ["user"])
    create(
        "job_node", need("job", TEXT), need("node", TEXT), may("gpus", DOCUMENT), may("cores", COUNT),
        may("exclusive", sa.Boolean()), may("start_ms", MS), may("end_ms", MS),
    )  # fmt: skip
    op.create_index("ix_job_node_job", "job_node", ["job"])
    op.create_index("ix_job_node_node", "job_node", ["node"])
    create(
        "job_summary", need("job", TEXT), need("revision", COUNT), need("computed_at_ms", MS),
        need("content", DOCUMENT), may("energy_j", REAL), may("mean_w", REAL), may("median_w", REAL),
        may("max_w", REAL), may("duration_s", REAL), may("coverage", REAL), may("source", TEXT),
        may("sparkline", DOCUMENT), key=("job",),
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
        "frame", need("stream_id", MS), need("t_ms", MS), need("layout_id", MS), need("vals", BYTES),
        key=("stream_id", "t_ms", "layout_id"),
    )  # fmt: skip
    create(
        "chunk", need("stream_id", MS), need("start_ms", MS), need("layout_id", MS), need("n", COUNT),
        need("first_ms", MS), need("last_ms", MS), need("times", BYTES),
        key=("stream_id", "start_ms", "layout_id"),
    )  # fmt: skip
    create(
        "chunk_column", need("stream_id", MS), need("start_ms", MS), need("layout_id", MS), need("col", COUNT),
        need("vals", BYTES), need("n", COUNT), need("first_t_ms", MS), need("first_v", REAL),
        need("last_t_ms", MS), need("last_v", REAL), need("min_v", REAL), need("max_v", REAL),
        need("integral", REAL), need("covered_ms", MS),
        key=("stream_id", "start_ms", "layout_id", "col"),
    )  # fmt: skip
    create(
        "latest", need("stream_id", MS), need("layout_id", MS), need("t_ms", MS), need("vals", BYTES),
        need("stored_ms", MS), key=("stream_id",),
    )  # fmt: skip


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
    create("lease", need("device", TEXT), need("collector", TEXT), need("until_ms", MS), key=("device",))
    op.create_index("ix_lease_collector", "lease", ["collector"])


TABLES = (
    "site", "room", "rack", "model", "device", "node", "feed", "auth", "facility_change",
    "job", "job_node", "job_summary",
    "stream", "layout", "frame", "chunk", "chunk_column", "latest",
    "poll_failure", "event", "lease",
)  # fmt: skip


def downgrade() -> None:
    for name in TABLES:
        op.drop_table(name)
