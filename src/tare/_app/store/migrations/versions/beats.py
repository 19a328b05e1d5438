"""Add a table that is written to check that the database is writable."""

import sqlalchemy as sa
from alembic import op

revision = "beats"
down_revision = "first_log"
branch_labels = None
depends_on = None

__all__ = ["downgrade", "upgrade"]


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "beats",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("beats")
