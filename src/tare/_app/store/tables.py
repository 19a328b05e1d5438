"""The database tables of a study: its plan, its texts and the append-only event log."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

__all__ = ["beats", "drafts", "events", "schema", "study", "texts"]

schema = MetaData()

study = Table(
    "study",
    schema,
    Column("id", Integer, primary_key=True),
    Column("plan", Text, nullable=False),
    Column("owner", String(64), nullable=False),  # digest of the owner's token
    Column("door", String(64), nullable=False),  # digest of the open link's token
    Column("salt", String(64), nullable=False),
)

texts = Table(
    "texts",
    schema,
    Column("key", String(500), primary_key=True),
    Column("place", String(10), primary_key=True),  # text or query
    Column("format", String(10), nullable=False),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("html", Text, nullable=False),
)

events = Table(
    "events",
    schema,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("assessor", String(40), nullable=False),
    Column("submission", String(64)),
    Column("data", Text, nullable=False),
    UniqueConstraint("submission", name="one_answer_a_submission"),
)

beats = Table(  # one row, written to check that the database is writable
    "beats",
    schema,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
)

drafts = Table(
    "drafts",
    schema,
    Column("assessor", String(40), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("body", Text, nullable=False),
)
