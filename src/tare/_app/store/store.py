"""The database of one study: its plan, texts, event log and drafts."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from tare._app.contents import MAX_BYTES, render_html
from tare._app.store import tables
from tare._app.store.database import (
    closed_on_error,
    connected,
    migrate,
    new_database,
    open_engine,
    sqlite_file,
    writing,
)
from tare._app.store.study_file import StudyFile, merge_write_ahead_log
from tare._app.tokens import digest, new_token, study_id
from tare._judging import Event, Outcomes, Study, StudyDesign, Task
from tare._judging.design import BlindSlice, Text
from tare.errors import OptionError

__all__ = ["AccessTokens", "DisplayedText", "StudyStore"]


@dataclass(frozen=True)
class AccessTokens:
    """The tokens of a new study, shown once; only their digests are stored.

    `door` is empty if the study has no open link.
    """

    owner: str
    door: str
    assessors: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DisplayedText:
    """A text as it is displayed: sanitised HTML and the plain body."""

    title: str
    html: str
    body: str


class StudyStore:
    """One study in one database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        with connected(engine) as connection:
            row = connection.execute(select(tables.study)).one()
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
        """Create a study in an empty database, with invitations.

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
                if connection.execute(select(func.count()).select_from(tables.study)).scalar():
                    raise OptionError(
                        "this database already holds a study; each study needs its own database."
                    )
                connection.execute(insert(tables.study), values)
                if rows:
                    connection.execute(insert(tables.texts), rows)
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
        """Refuse answers while the file that was opened is not in its place."""
        if self._file is not None:
            self._file.check()

    def close(self) -> None:
        """Close all connections; a file of SQLite then holds everything without a second file."""
        merge_write_ahead_log(self.engine)
        self.engine.dispose()

    def move(self, url: str) -> None:
        """Record the address with which links begin from now on."""
        with writing(self.engine) as connection:
            plan = json.loads(connection.execute(select(tables.study.c.plan)).scalar_one())
            plan["url"] = url
            connection.execute(update(tables.study).values(plan=json.dumps(plan)))
        self.url = url

    def invite(self, count: int) -> tuple[tuple[str, str], ...]:
        """Invite assessors while no server is running; return (name, token) of each."""
        from time import time

        from tare._judging import State, decisions

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
        """Append events to the log; return the number of the last one. Writers take turns: no gaps."""
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
            connection.execute(insert(tables.events), rows)
        return last + len(rows)

    def write_heartbeat(self, connection: Connection, now: float) -> None:
        """Write a row outside the log, to check that the database is writable."""
        changed = connection.execute(update(tables.beats).values(at=now)).rowcount
        if not changed:
            connection.execute(insert(tables.beats), {"id": 1, "at": now})

    def read(self, connection: Connection, after: int = 0) -> tuple[int, list[Event]]:
        """Return the number of the last event, and all events after the given one."""
        columns = tables.events.c
        asked = select(tables.events).where(columns.seq > after).order_by(columns.seq)
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
        """Return the valid answers; with the texts if marked passages are needed."""
        study = self.study
        if texts:
            with connected(self.engine) as connection:
                rows = connection.execute(
                    select(tables.texts).where(tables.texts.c.place == "text")
                )
                found = {r.key: Text(r.body, r.format, r.title) for r in rows}
            study = replace(study, texts=found)
        return Outcomes.of(study, self.events())

    def _shown(self, place: str, key: str) -> DisplayedText | None:
        columns = tables.texts.c
        asked = select(columns.title, columns.html, columns.body).where(
            columns.key == key, columns.place == place
        )
        with connected(self.engine) as connection:
            row = connection.execute(asked).one_or_none()
        return None if row is None else DisplayedText(*row)

    def draft(self, assessor: str, number: int) -> Any:
        """Return an assessor's saved draft for this display, if any."""
        columns = tables.drafts.c
        asked = select(columns.body).where(columns.assessor == assessor, columns.number == number)
        with connected(self.engine) as connection:
            body = connection.execute(asked).scalar_one_or_none()
        return None if body is None else json.loads(body)

    def save_draft(self, assessor: str, number: int, draft: Any) -> None:
        """Save an unfinished answer; drafts are not part of the log."""
        with writing(self.engine) as connection:
            connection.execute(delete(tables.drafts).where(tables.drafts.c.assessor == assessor))
            row = {"assessor": assessor, "number": number, "body": json.dumps(draft)}
            connection.execute(insert(tables.drafts), row)


def _row(text: Text, *, plain: bool) -> dict[str, str]:
    if len(text.body.encode()) > MAX_BYTES:
        raise OptionError(
            f"a text of {len(text.body):,} characters is too long; the limit is {MAX_BYTES:,} bytes."
        )
    html = render_html(text.body, text.format) if not plain else ""
    return {"format": text.format, "title": text.title, "body": text.body, "html": html}
