"""Create the tables of the study, its texts, the append-only log, the heartbeat and the drafts."""

import sqlalchemy as sa
from alembic import op

revision = "first_log"
down_revision = None
branch_labels = None
depends_on = None

__all__ = ["downgrade", "upgrade"]


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "study",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("door", sa.String(64), nullable=False),
        sa.Column("salt", sa.String(64), nullable=False),
    )
    op.create_table(
        "texts",
        sa.Column("key", sa.String(500), primary_key=True),
        sa.Column("place", sa.String(10), primary_key=True),
        sa.Column("format", sa.String(10), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("html", sa.Text, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("assessor", sa.String(40), nullable=False),
        sa.Column("submission", sa.String(64)),
        sa.Column("data", sa.Text, nullable=False),
        sa.UniqueConstraint("submission", name="one_answer_a_submission"),
    )
    op.create_table(
        "beats",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_table(
        "drafts",
        sa.Column("assessor", sa.String(40), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER events_no_{change.lower()} BEFORE {change} ON events "
                "BEGIN SELECT RAISE(ABORT, 'the log of events only grows'); END"
            )
    else:
        op.execute(
            "CREATE FUNCTION events_only_grow() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the log of events only grows'; END $$"
        )
        op.execute(
            "CREATE TRIGGER events_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON events "
            "FOR EACH STATEMENT EXECUTE FUNCTION events_only_grow()"
        )


def downgrade() -> None:
    """Drop the tables and everything in them."""
    for name in ("drafts", "beats", "events", "texts", "study"):
        op.drop_table(name)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION events_only_grow()")
