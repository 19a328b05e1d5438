"""The database of a judging study: an append-only log in SQLite or PostgreSQL."""

from __future__ import annotations

import json
import logging
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import time
from typing import Any

from sqlalchemy import (
    URL,
    BigInteger,
    Column,
    Connection,
    Double,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from tare._judging import Event, Outcomes, Refusal, State, Study, StudyDesign, Task, decisions
from tare._judging.design import BlindSlice
from tare._judging.design import Text as StudyText
from tare._web.contents import MAX_BYTES, render_html
from tare._web.guard import digest, new_token, study_id
from tare.errors import OptionError, UnreadableError

__all__ = [
    "AccessTokens",
    "DisplayedText",
    "StudyFile",
    "StudyStore",
    "beats",
    "closed_on_error",
    "connected",
    "drafts",
    "events_table",
    "merge_write_ahead_log",
    "migrate",
    "new_database",
    "open_engine",
    "schema",
    "sqlite_file",
    "study_table",
    "texts_table",
    "url_of",
    "without_password",
    "writing",
]


# The database tables of a study: its plan, its texts and the append-only event log.


schema = MetaData()

study_table = Table(
    "study",
    schema,
    Column("id", Integer, primary_key=True),
    Column("plan", Text, nullable=False),
    Column("owner", String(64), nullable=False),  # digest of the owner's token
    Column("door", String(64), nullable=False),  # digest of the open link's token
    Column("salt", String(64), nullable=False),
)

texts_table = Table(
    "texts",
    schema,
    Column("key", String(500), primary_key=True),
    Column("place", String(10), primary_key=True),  # text or query
    Column("format", String(10), nullable=False),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("html", Text, nullable=False),
)

events_table = Table(
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


# The file of a study in SQLite: whether it is still in its place, and whether it is complete.


log = logging.getLogger("tare._web.judge")


class StudyFile:
    """The database file of a study that was opened; a program that moves or replaces it does not change what is open."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._opened = self._found()

    def check(self) -> None:
        """Refuse answers while another file, or none, is in the place of the study's database file that was opened."""
        if self._found() != self._opened:
            reason = (
                f"the file {self.path.name} was moved, replaced or deleted while it is being served, so answers are "
                "not accepted; move the file back, or stop the server and start it with the right file."
            )
            log.error("%s", reason)
            raise Refusal(503, reason)

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


def merge_write_ahead_log(engine: Engine) -> None:
    """Write the answers in the write-ahead log of SQLite to the file itself, so that the file is complete.

    Another program that reads the file can prevent this; the log then stays next to the file.
    """
    if engine.dialect.name != "sqlite":
        return
    try:
        connection = engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute("PRAGMA busy_timeout=2000")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (row,) = cursor.fetchall()
            cursor.execute("PRAGMA busy_timeout=10000")
            reason = "another program uses it" if row[0] else ""
        finally:
            connection.close()
    except (DBAPIError, engine.dialect.loaded_dbapi.Error) as error:
        reason = str(getattr(error, "orig", error))
    if reason:
        file = engine.url.database
        log.error("%s is incomplete without %s-wal: %s; copy both files.", file, file, reason)


# Databases: SQLite in one file by default, PostgreSQL by URL; alembic makes their tables.


MIGRATIONS = Path(__file__).parent / "migrations"
WRITER_LOCK = 0x74617265  # key of the advisory lock in PostgreSQL


def url_of(location: str) -> URL:
    """Return the URL of a study's database: a path is SQLite, postgresql://… is PostgreSQL.

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
    """Return the file of a study's SQLite database; None for other databases."""
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


@contextmanager
def new_database(location: str) -> Iterator[Engine]:
    """Yield a database engine for a new study; only its owner can read the file, which is removed on failure.

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
    """Open the database of a study; SQLite syncs every commit to a write-ahead log, so that no answer is lost."""
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
    """Close all connections of a study's database engine if an error occurs."""
    try:
        yield engine
    except BaseException:
        engine.dispose()
        raise


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open an exclusive write transaction in the database of a study; it is on disk when the block ends."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITER_LOCK})
        yield connection


@contextmanager
def connected(engine: Engine) -> Iterator[Connection]:
    """Open a connection for reading the database of a study; error messages contain no secrets."""
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
    """Bring the tables of a study's database to the present schema; without `create`, it must already hold a study."""
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


# The database of one study: its plan, texts, event log and drafts.


@dataclass(frozen=True)
class AccessTokens:
    """The tokens of a new study in the database, shown once; only their digests are stored.

    `door` is empty if the study has no open link.
    """

    owner: str
    door: str
    assessors: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DisplayedText:
    """A text of a study as it is stored for display: sanitised HTML and the plain body."""

    title: str
    html: str
    body: str


class StudyStore:
    """One study in one database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        with connected(engine) as connection:
            row = connection.execute(select(study_table)).one()
        plan = json.loads(row.plan)
        self.owner, self.door, self.salt = row.owner, row.door, row.salt
        self.id, self.url = study_id(row.salt), str(plan["url"])
        self.study = Study(
            StudyDesign.of(plan["design"]),
            tuple(map(Task.of, plan["tasks"])),
            gold=tuple(map(Task.of, plan["gold"])),
            rankings={
                q: {s: tuple(d) for s, d in own.items()} for q, own in plan["rankings"].items()
            },
            slice=BlindSlice.of(plan["slice"]) if plan["slice"] else None,
        )
        self.shown = lru_cache(maxsize=4096)(self._shown)
        path = sqlite_file(engine.url)
        self._file = None if path is None else StudyFile(path)

    @classmethod
    def create(
        cls, study: Study, place: str, *, invite: int = 0, url: str = ""
    ) -> tuple[StudyStore, AccessTokens]:
        """Create a study in an empty database, with invitations of its assessors.

        url: the address with which links were written.
        """
        rows = [
            {"key": key, "place": kind, **_row(text, plain=study.design.kind == "markup")}
            for kind, given in (("text", study.texts), ("query", study.queries))
            for key, text in given.items()
        ]
        owner, door = new_token(), new_token()
        plan = {
            "design": study.design.to_dict(),
            "tasks": [task.to_dict() for task in study.tasks],
            "gold": [task.to_dict() for task in study.gold],
            "rankings": study.rankings,
            "slice": None if study.slice is None else study.slice.to_dict(),
            "url": url,
        }
        values = {"id": 1, "plan": json.dumps(plan), "salt": secrets.token_hex(32)}
        values |= {"owner": digest(owner), "door": digest(door)}
        with new_database(place) as engine:
            migrate(engine, create=True)
            with writing(engine) as connection:
                if connection.execute(select(func.count()).select_from(study_table)).scalar():
                    raise OptionError(
                        "this database already holds a study; each study needs its own database."
                    )
                connection.execute(insert(study_table), values)
                if rows:
                    connection.execute(insert(texts_table), rows)
            store = cls(engine)
            shown = door if study.design.door else ""
            return store, AccessTokens(owner, shown, store.invite(invite))

    @classmethod
    def open(cls, place: str) -> StudyStore:
        """Open an existing study."""
        with closed_on_error(open_engine(place)) as engine:
            migrate(engine)
            return cls(engine)

    def __enter__(self) -> StudyStore:
        return self

    def __exit__(self, *_: object) -> None:
        """Close all connections."""
        self.engine.dispose()

    def check_file(self) -> None:
        """Refuse answers while the database file of the study that was opened is not in its place."""
        if self._file is not None:
            self._file.check()

    def close(self) -> None:
        """Close all connections to the study's database; a file of SQLite then holds everything without a second file."""
        merge_write_ahead_log(self.engine)
        self.engine.dispose()

    def move(self, url: str) -> None:
        """Record in the study's database the address with which links begin from now on."""
        with writing(self.engine) as connection:
            plan = json.loads(connection.execute(select(study_table.c.plan)).scalar_one())
            plan["url"] = url
            connection.execute(update(study_table).values(plan=json.dumps(plan)))
        self.url = url

    def invite(self, count: int) -> tuple[tuple[str, str], ...]:
        """Invite assessors in the database of a study while no server is running; return (name, token) of each."""
        made = []
        with writing(self.engine) as connection:
            last, events = self.read(connection)
            state = State(self.study, events)
            for _ in range(count):
                name, token = decisions.new_name(state), new_token()
                caused = decisions.invite(state, time(), name, digest(token))
                last = self.append(connection, last, caused)
                made.append((name, token))
        return tuple(made)

    def append(self, connection: Connection, last: int, events: Iterable[Event]) -> int:
        """Append events to the log of the study; return the number of the last one. Writers take turns: no gaps."""
        rows = [
            {
                "seq": last + i,
                "at": e.at,
                "kind": e.kind,
                "assessor": e.assessor,
                "submission": e.submission,
                "data": json.dumps(e.data, ensure_ascii=False),
            }
            for i, e in enumerate(events, 1)
        ]
        if rows:
            connection.execute(insert(events_table), rows)
        return last + len(rows)

    def write_heartbeat(self, connection: Connection, now: float) -> None:
        """Write a row outside the log of events, to check that the database of the study is writable."""
        changed = connection.execute(update(beats).values(at=now)).rowcount
        if not changed:
            connection.execute(insert(beats), {"id": 1, "at": now})

    def read(self, connection: Connection, after: int = 0) -> tuple[int, list[Event]]:
        """Return the number of the last event in the study's log, and all events after the given one."""
        columns = events_table.c
        asked = select(events_table).where(columns.seq > after).order_by(columns.seq)
        last, found = after, []
        for seq, at, kind, assessor, submission, data in connection.execute(asked):
            last = seq
            found.append(Event(at, kind, assessor, submission, json.loads(data)))
        return last, found

    def events(self) -> list[Event]:
        """Return the whole log."""
        with connected(self.engine) as own:
            return self.read(own)[1]

    def outcomes(self, *, texts: bool = False) -> Outcomes:
        """Return the valid answers in the study's log; with the texts if marked passages are needed."""
        study = self.study
        if texts:
            with connected(self.engine) as connection:
                rows = connection.execute(select(texts_table).where(texts_table.c.place == "text"))
                found = {r.key: StudyText(r.body, r.format, r.title) for r in rows}
            study = replace(study, texts=found)
        return Outcomes.of(study, self.events())

    def _shown(self, place: str, key: str) -> DisplayedText | None:
        columns = texts_table.c
        asked = select(columns.title, columns.html, columns.body).where(
            columns.key == key, columns.place == place
        )
        with connected(self.engine) as connection:
            row = connection.execute(asked).one_or_none()
        return None if row is None else DisplayedText(*row)

    def draft(self, assessor: str, number: int) -> Any:
        """Return an assessor's draft for this display from the study's database, if any."""
        columns = drafts.c
        asked = select(columns.body).where(columns.assessor == assessor, columns.number == number)
        with connected(self.engine) as connection:
            body = connection.execute(asked).scalar_one_or_none()
        return None if body is None else json.loads(body)

    def save_draft(self, assessor: str, number: int, draft: Any) -> None:
        """Save an assessor's unfinished answer in the study's database; drafts are not part of the log."""
        with writing(self.engine) as connection:
            connection.execute(delete(drafts).where(drafts.c.assessor == assessor))
            row = {"assessor": assessor, "number": number, "body": json.dumps(draft)}
            connection.execute(insert(drafts), row)


def _row(text: StudyText, *, plain: bool) -> dict[str, str]:
    if len(text.body.encode()) > MAX_BYTES:
        raise OptionError(
            f"a text of {len(text.body):,} characters is too long; the limit is {MAX_BYTES:,} bytes."
        )
    html = render_html(text.body, text.format) if not plain else ""
    return {"format": text.format, "title": text.title, "body": text.body, "html": html}
