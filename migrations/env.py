"""Alembic's entry: runs in the connection that `app.store.engine.migrate` hands over, inside its transaction."""

from alembic import context

from app.models import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
