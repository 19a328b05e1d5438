"""Databases: SQLite in one file by default, PostgreSQL by URL; brought up to date when opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from tare.errors import OptionError, UnreadableError

__all__ = [
    "closed_on_error",
    "connected",
    "migrate",
    "new_database",
    "open_engine",
    "plain_place",
    "url_of",
    "writing",
]

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK = 0x74617265  # of writers, where the database is not a file


def url_of(place: str) -> str:
    """The URL of a place: a path is SQLite, postgresql://… is PostgreSQL."""
    if "://" not in place:
        return f"sqlite:///{place}"
    try:
        url = make_url(place)
    except ArgumentError:
        raise OptionError(
            "the database is a path or a URL such as postgresql://host/name."
        ) from None
    if url.drivername in ("postgresql", "postgres", "postgresql+psycopg"):
        return url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
    if url.drivername == "sqlite":
        return place
    raise OptionError(f"{url.drivername} is not known. Accepted: a path, or postgresql://…")


def plain_place(place: str) -> str:
    """A place without its password.

    >>> plain_place("postgresql://me:secret@host/name")
    'postgresql://me:***@host/name'
    """
    return make_url(place).render_as_string(hide_password=True) if "://" in place else place


def file_of(place: str) -> Path | None:
    """The file of a place, where it is SQLite."""
    url = url_of(place)
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite") else None


@contextmanager
def new_database(place: str) -> Iterator[Engine]:
    """An engine for a new study; its file can be read by its owner only, and goes if this fails.

    SQLite gives the files it puts beside it the same permissions.
    """
    path = file_of(place)
    if path is not None:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise OptionError(f"{path} exists already; a new study needs a new file.") from None
        except OSError as error:
            raise UnreadableError(f"{path}: the study cannot be made: {error.strerror}.") from None
    try:
        with closed_on_error(open_engine(place)) as engine:
            yield engine
    except BaseException:
        for end in ("", "-wal", "-shm") if path is not None else ():
            Path(f"{path}{end}").unlink(missing_ok=True)
        raise


def open_engine(place: str, *, must_exist: bool = True) -> Engine:
    """An engine; SQLite writes ahead and syncs every commit, so that what is acknowledged stays."""
    url, path = url_of(place), file_of(place)
    if path is not None and must_exist and not path.is_file():
        raise UnreadableError(f"{path}: no such study. Make one with: tare judge create STUDY.toml")
    engine = create_engine(url, pool_size=5, max_overflow=5, hide_parameters=True)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up)
        event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def closed_on_error(engine: Engine) -> Iterator[Engine]:
    """Leaves no connection open when something goes wrong."""
    try:
        yield engine
    except BaseException:
        engine.dispose()
        raise


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that no other writer shares; it is on disk when it ends."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
        yield connection


@contextmanager
def connected(engine: Engine) -> Iterator[Connection]:
    """A connection that reads; what goes wrong is told without secrets."""
    try:
        with engine.connect() as connection:
            yield connection
    except DBAPIError as error:
        where = engine.url.render_as_string(hide_password=True)
        reason = str(error.orig).strip().splitlines()[0]
        raise UnreadableError(f"{where}: the database cannot be used: {reason}.") from None
    except SQLAlchemyError as error:
        raise UnreadableError(f"the database cannot be used: {type(error).__name__}.") from None


def migrate(engine: Engine, *, create: bool = False) -> None:
    """Brings the tables up to date; without `create` there must be some already."""
    from alembic import command
    from alembic.config import Config

    with connected(engine) as connection:
        if not create and not inspect(connection).has_table("study"):
            where = engine.url.render_as_string(hide_password=True)
            raise UnreadableError(f"{where}: no study in this database.")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    try:
        with writing(engine) as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except DBAPIError as error:
        where = engine.url.render_as_string(hide_password=True)
        raise UnreadableError(f"{where}: the tables cannot be made: {error.orig}.") from None
