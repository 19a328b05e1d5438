"""The store of one study: its plan, its texts, its log and the drafts of answers."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from tare._app.contents import MOST_BYTES, rendered
from tare._app.store import tables
from tare._app.store.database import (
    closed_on_error,
    connected,
    migrate,
    new_database,
    open_engine,
    writing,
)
from tare._app.tokens import digest, new_token, study_id
from tare.errors import OptionError
from tare.studies._judging import Design, Event, Outcomes, Study, Task
from tare.studies._judging.design import Text

__all__ = ["Keys", "Shown", "Store"]


@dataclass(frozen=True)
class Keys:
    """The tokens of a new study, told once: only their digests are kept.

    `door` is empty where the study has no link for anyone.
    """

    owner: str
    door: str
    assessors: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Shown:
    """A text as it is shown: sanitised HTML, and the plain body."""

    title: str
    html: str
    body: str


class Store:
    """One study in one database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        with connected(engine) as connection:
            row = connection.execute(select(tables.study)).one()
        plan = json.loads(row.plan)
        self.owner, self.door, self.salt = row.owner, row.door, row.salt
        self.id = study_id(row.salt)
        self.study = Study(
            Design.of(plan["design"]),
            tuple(map(Task.of, plan["tasks"])),
            gold=tuple(map(Task.of, plan["gold"])),
            rankings={
                q: {s: tuple(d) for s, d in own.items()} for q, own in plan["rankings"].items()
            },
        )
        self.shown = lru_cache(maxsize=4096)(self._shown)

    @classmethod
    def create(cls, study: Study, place: str, *, invite: int = 0) -> tuple[Store, Keys]:
        """Puts a new study into an empty database, with some invitations."""
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
        }
        values = {"id": 1, "plan": json.dumps(plan), "salt": secrets.token_hex(32)}
        values |= {"owner": digest(owner), "door": digest(door)}
        with new_database(place) as engine:
            migrate(engine, create=True)
            with writing(engine) as connection:
                if connection.execute(select(func.count()).select_from(tables.study)).scalar():
                    raise OptionError("this database holds a study; one study, one database.")
                connection.execute(insert(tables.study), values)
                if rows:
                    connection.execute(insert(tables.texts), rows)
            store = cls(engine)
            shown = door if study.design.door else ""
            return store, Keys(owner, shown, store.invite(invite))

    @classmethod
    def open(cls, place: str) -> Store:
        """Opens a study that exists, and brings its tables up to date."""
        with closed_on_error(open_engine(place)) as engine:
            migrate(engine)
            return cls(engine)

    def invite(self, count: int) -> tuple[tuple[str, str], ...]:
        """New assessors, while no server is at work; (name, token) of each."""
        from time import time

        from tare.studies._judging import State, decisions

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
        """Adds to the log after its last event; writers take turns, so numbers have no gaps."""
        rows = [
            {"seq": last + i, "at": e.at, "kind": e.kind, "assessor": e.assessor, "submission": e.submission,
             "data": json.dumps(e.data, ensure_ascii=False)}
            for i, e in enumerate(events, 1)
        ]  # fmt: skip
        if rows:
            connection.execute(insert(tables.events), rows)
        return last + len(rows)

    def beat(self, connection: Connection, now: float) -> None:
        """Writes something that is no event: the disk has to take it, and the log stays as it is."""
        changed = connection.execute(update(tables.beats).values(at=now)).rowcount
        if not changed:
            connection.execute(insert(tables.beats), {"id": 1, "at": now})

    def read(self, connection: Connection, after: int = 0) -> tuple[int, list[Event]]:
        """The number of the last event, and all events after one."""
        columns = tables.events.c
        asked = select(tables.events).where(columns.seq > after).order_by(columns.seq)
        last, found = after, []
        for seq, at, kind, assessor, submission, data in connection.execute(asked):
            last = seq
            found.append(Event(at, kind, assessor, submission, json.loads(data)))
        return last, found

    def events(self) -> list[Event]:
        """The whole log."""
        with connected(self.engine) as own:
            return self.read(own)[1]

    def outcomes(self, *, texts: bool = False) -> Outcomes:
        """The answers that stand; with the texts where marks in them are to be read."""
        study = self.study
        if texts:
            with connected(self.engine) as connection:
                rows = connection.execute(
                    select(tables.texts).where(tables.texts.c.place == "text")
                )
                found = {r.key: Text(r.body, r.format, r.title) for r in rows}
            study = Study(
                study.design, study.tasks, found, {}, gold=study.gold, rankings=study.rankings
            )
        return Outcomes.of(study, self.events())

    def _shown(self, place: str, key: str) -> Shown | None:
        columns = tables.texts.c
        asked = select(columns.title, columns.html, columns.body).where(
            columns.key == key, columns.place == place
        )
        with connected(self.engine) as connection:
            row = connection.execute(asked).one_or_none()
        return None if row is None else Shown(*row)

    def draft(self, assessor: str, number: int) -> Any:
        """What an assessor had begun to answer, if it is this display."""
        columns = tables.drafts.c
        asked = select(columns.body).where(columns.assessor == assessor, columns.number == number)
        with connected(self.engine) as connection:
            body = connection.execute(asked).scalar_one_or_none()
        return None if body is None else json.loads(body)

    def keep_draft(self, assessor: str, number: int, draft: Any) -> None:
        """Keeps an unfinished answer; drafts are no judgements and stand outside the log."""
        with writing(self.engine) as connection:
            connection.execute(delete(tables.drafts).where(tables.drafts.c.assessor == assessor))
            row = {"assessor": assessor, "number": number, "body": json.dumps(draft)}
            connection.execute(insert(tables.drafts), row)


def _row(text: Text, *, plain: bool) -> dict[str, str]:
    if len(text.body.encode()) > MOST_BYTES:
        raise OptionError(f"a text has up to {MOST_BYTES:,} bytes; found one of {len(text.body):,} characters.")  # fmt: skip
    html = rendered(text.body, text.format) if not plain else ""
    return {"format": text.format, "title": text.title, "body": text.body, "html": html}
