"""Alembic environment for the database of a study; the connection comes from the store."""

from alembic import context

from tare._web.judge.store import schema

__all__: list[str] = []

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=schema,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
