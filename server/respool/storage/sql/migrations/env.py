"""Alembic runs on the connection it is given; there is no configuration file."""

from alembic import context

from respool.storage.sql.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
