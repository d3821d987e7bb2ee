"""Users, sessions, one-time links, API tokens and the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "wattline_0006"
down_revision = "wattline_0005"
branch_labels = None
depends_on = None


def _text(name: str, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=nullable)


def _ms(name: str, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _json(name: str, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.JSON(none_as_null=True), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "user_account",
        _text("name"), _text("label"), _json("roles"), _json("projects"), _text("origin"), _text("password", True),
        sa.Column("disabled", sa.Boolean(), nullable=False), _ms("created_ms"), _ms("seen_ms", True),
        sa.PrimaryKeyConstraint("name", name="pk_user_account"),
    )  # fmt: skip
    op.create_table(
        "one_time_link",
        _text("hash"), _text("user"), _ms("until_ms"),
        sa.PrimaryKeyConstraint("hash", name="pk_one_time_link"),
    )  # fmt: skip
    op.create_table(
        "session",
        _text("hash"), _text("user", True), _text("built_in", True), _ms("created_ms"), _ms("until_ms"),
        _text("address"),
        sa.PrimaryKeyConstraint("hash", name="pk_session"),
    )  # fmt: skip
    op.create_index("ix_session_user", "session", ["user"])
    op.create_index("ix_session_until_ms", "session", ["until_ms"])
    op.create_table(
        "api_token",
        _text("id"), _text("hash"), _text("prefix"), _text("name"), _text("owner", True), _json("scopes"),
        _text("collector", True), _text("cluster", True), _text("user", True), _text("created_by"), _ms("created_ms"),
        _ms("until_ms", True), _ms("used_ms", True), _ms("revoked_ms", True),
        sa.PrimaryKeyConstraint("id", name="pk_api_token"),
        sa.UniqueConstraint("hash", name="uq_api_token_hash"),
    )  # fmt: skip
    op.create_index("ix_api_token_owner", "api_token", ["owner"])
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        _ms("t_ms"), _text("who"), _text("how"), _text("address"), _text("action"), _text("subject"),
        _json("before", True), _json("after", True),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )  # fmt: skip
    for column in ("t_ms", "who", "action"):
        op.create_index(f"ix_audit_{column}", "audit", [column])


def downgrade() -> None:
    for name in ("audit", "api_token", "session", "one_time_link", "user_account"):
        op.drop_table(name)
