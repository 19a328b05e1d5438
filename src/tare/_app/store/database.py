"""Databases: SQLite in one file by default, PostgreSQL by URL; alembic makes their tables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from tare.errors import OptionError, UnreadableError

__all__ = [
    "closed_on_error",
    "connected",
    "migrate",
    "new_database",
    "open_engine",
    "sqlite_file",
    "url_of",
    "without_password",
    "writing",
]

MIGRATIONS = Path(__file__).parent / "migrations"
WRITER_LOCK = 0x74617265  # key of the advisory lock in PostgreSQL


def url_of(location: str) -> URL:
    """Return the database URL: a path is SQLite, postgresql://… is PostgreSQL.

    Every character of a path belongs to it; in the text of a URL, ? and % would have a meaning.
    """
    if "://" not in location:
        return _sqlite_url(location)
    try:
        url = make_url(location)
    except ArgumentError:
        raise OptionError(
            "expected a path or a database URL such as postgresql://host/name."
        ) from None
    if url.drivername in ("postgresql", "postgres", "postgresql+psycopg"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername == "sqlite":
        if url.query:
            raise OptionError("options after ? are not accepted in the URL of an SQLite file.")
        return _sqlite_url(url.database or "")
    raise OptionError(f"unknown database {url.drivername!r}. Accepted: a path, or postgresql://…")


def _sqlite_url(path: str) -> URL:
    if path in ("", ":memory:") or path.startswith("file:"):
        raise OptionError(
            f"{path!r}: a study needs a file, so that no answer is lost. Accepted: a path such as study.db, "
            "or postgresql://… Write ./ before the name of a file that begins like this."
        )
    return URL.create("sqlite", database=path)


def without_password(location: str) -> str:
    """Return a location without its password.

    >>> without_password("postgresql://me:secret@host/name")
    'postgresql://me:***@host/name'
    """
    return (
        make_url(location).render_as_string(hide_password=True) if "://" in location else location
    )


def sqlite_file(url: URL) -> Path | None:
    """Return the file of an SQLite database; None for other databases."""
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


@contextmanager
def new_database(location: str) -> Iterator[Engine]:
    """Yield an engine for a new study; only its owner can read the file, which is removed on failure.

    SQLite gives the files that it creates next to it the same permissions.
    """
    path = sqlite_file(url_of(location))
    if path is not None:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise OptionError(f"{path} already exists; a new study needs a new file.") from None
        except OSError as error:
            raise UnreadableError(
                f"{path}: the study cannot be created: {error.strerror}."
            ) from None
    try:
        with closed_on_error(open_engine(location)) as engine:
            yield engine
    except BaseException:
        for end in ("", "-wal", "-shm") if path is not None else ():
            Path(f"{path}{end}").unlink(missing_ok=True)
        raise


def open_engine(location: str, *, must_exist: bool = True) -> Engine:
    """Open a database; SQLite syncs every commit to a write-ahead log, so that no answer is lost."""
    url = url_of(location)
    path = sqlite_file(url)
    if path is not None and must_exist and not path.is_file():
        raise UnreadableError(
            f"{path}: no such study. To create one, run: tare judge create STUDY.toml"
        )
    engine = create_engine(url, pool_size=5, max_overflow=5, hide_parameters=True)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin)
    return engine


def _configure(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # `_begin` starts transactions, not the driver
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def closed_on_error(engine: Engine) -> Iterator[Engine]:
    """Close all connections of an engine if an error occurs."""
    try:
        yield engine
    except BaseException:
        engine.dispose()
        raise


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open an exclusive write transaction; it is on disk when the block ends."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITER_LOCK})
        yield connection


@contextmanager
def connected(engine: Engine) -> Iterator[Connection]:
    """Open a connection for reading; error messages contain no secrets."""
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
    """Bring the tables to the present schema; without `create`, the database must already hold a study."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    with connected(engine) as connection:
        if not create and not inspect(connection).has_table("study"):
            where = engine.url.render_as_string(hide_password=True)
            raise UnreadableError(f"{where}: no study in this database.")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    try:
        with writing(engine) as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except DBAPIError as error:
        where = engine.url.render_as_string(hide_password=True)
        raise UnreadableError(f"{where}: the tables cannot be created: {error.orig}.") from None
    except CommandError:  # its revision is not among ours
        where = engine.url.render_as_string(hide_password=True)
        raise UnreadableError(f"{where}: the study was made by another version of tare.") from None
