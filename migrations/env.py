"""Alembic's entry: run the migrations in the connection and transaction that `app.store.database` hands over."""

from alembic import context

from app.models import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
