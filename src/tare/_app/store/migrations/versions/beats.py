"""A row that is written to show that writing is possible."""

import sqlalchemy as sa
from alembic import op

revision = "beats"
down_revision = "first_log"
branch_labels = None
depends_on = None

__all__ = ["downgrade", "upgrade"]


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "beats",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
    )


def downgrade() -> None:
    """Takes it away."""
    op.drop_table("beats")
