"""What Alembic runs: the steps, on the connection that `incidents.database` hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from incidents.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite cannot alter a column in place
)
with context.begin_transaction():
    context.run_migrations()
