"""The store: migrations, what is on disk when, and writers that fail."""

from __future__ import annotations

import asyncio
import os

import pytest
from sqlalchemy import text

from tare._judging import Event, Refusal, decisions
from tare._web.judge import StudyStore
from tare._web.judge.store import connected, migrate, open_engine, schema, url_of, writing
from tare._web.judge.writer import Writer
from tare.errors import OptionError, UnreadableError
from tests.rooms import study_of


def test_the_migrations_lead_to_the_tables(place):
    from alembic import command
    from alembic.autogenerate import compare_metadata
    from alembic.config import Config
    from alembic.migration import MigrationContext

    from tare._web.judge.store import MIGRATIONS

    engine = open_engine(place, must_exist=False)
    migrate(engine, create=True)
    migrate(engine)  # a second time changes nothing
    with connected(engine) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema) == []
        assert context.get_current_revision() == "first_log"
        connection.execute(text("UPDATE alembic_version SET version_num = 'unknown'"))
        connection.commit()
    with pytest.raises(UnreadableError, match="another version of tare"):
        migrate(engine)
    with writing(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'first_log'"))
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    with pytest.raises(UnreadableError, match="no study"):
        migrate(engine)
    engine.dispose()


def test_sqlite_syncs_every_commit(tmp_path):
    store, _ = StudyStore.create(study_of(), str(tmp_path / "s.db"))
    with connected(store.engine) as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL
    store.engine.dispose()


def test_places(tmp_path):
    assert url_of("a/b.db").database == "a/b.db"
    assert url_of("sqlite:////a/b%20c.db").database == "/a/b c.db"
    assert str(url_of("postgresql://me@h/n")) == "postgresql+psycopg://me@h/n"
    memory = ("", ":memory:", "file:x.db", "sqlite://", "sqlite:///:memory:", "sqlite:///a?mode=ro")
    for wrong in ("mysql://x/y", "postgresql:/x://", *memory):
        with pytest.raises(OptionError):
            url_of(wrong)
    (tmp_path / "text").write_text("this is no database, but a text of some length " * 30)
    with pytest.raises(UnreadableError, match="cannot be used"):
        StudyStore.open(str(tmp_path / "text"))
    with pytest.raises(OptionError, match="already exists"):
        StudyStore.create(study_of(), str(tmp_path / "text"))


@pytest.mark.parametrize("name", ["x?1.db", "a%20b.db", "a#b;c.db", "50%.db", "é 🌧.db"])
def test_every_character_of_a_path_is_part_of_it(name, tmp_path):
    store, _ = StudyStore.create(study_of(), str(tmp_path / name), invite=1)
    store.close()
    assert [(p.name, p.stat().st_mode & 0o777) for p in tmp_path.iterdir()] == [(name, 0o600)]
    opened = StudyStore.open(str(tmp_path / name))
    assert [e.kind for e in opened.events()] == ["invited"]
    opened.close()


def test_one_study_a_database(place):
    store, _ = StudyStore.create(study_of(), place)
    if "://" in place:
        with pytest.raises(OptionError, match="each study needs its own database"):
            StudyStore.create(study_of(), place)
    store.engine.dispose()


def test_texts_have_a_limit(tmp_path):
    from tare._judging import Study, StudyDesign, Task
    from tare._judging.design import Text

    long = {"a": Text("x" * 1_000_001), "b": Text("y")}
    study = Study(StudyDesign("preference"), (Task("q", ("a", "b")),), long)
    with pytest.raises(OptionError, match="1,000,000 bytes"):
        StudyStore.create(study, str(tmp_path / "s.db"))
    assert not (tmp_path / "s.db").exists()


def test_an_action_that_fails_takes_nothing_with_it(place):
    """Others of the same batch are served, and the state is that of the log again."""
    store, _ = StudyStore.create(study_of(), place, invite=2)
    writer = Writer(store)

    def breaks(state, now):
        decisions.join(state, now, "a1")  # changes the state, and then …
        raise RuntimeError("broken")

    def refuses(state, now):
        raise Refusal(409, "no")

    async def all_at_once():
        actions = [
            lambda state, now: (decisions.join(state, now, "a2", "x"), "joined"),
            breaks,
            refuses,
            lambda state, now: ([], state.assessors["a1"].joined),
        ]
        return await asyncio.gather(*map(writer.do, actions), return_exceptions=True)

    first, broken, refused, joined = asyncio.run(all_at_once())
    assert first == "joined"
    assert isinstance(broken, RuntimeError)
    assert isinstance(refused, Refusal)
    assert joined is False
    assert [e.kind for e in store.events()] == ["invited", "invited", "joined"]
    writer.close()
    store.engine.dispose()


def test_events_are_read_as_they_were_written(place):
    store, _ = StudyStore.create(study_of(), place)
    data = {"label": "é 🌧 \x00 '\"\\ % ? :x", "n": [0.1, None, True]}
    given = [
        Event(1e9 / (i + 3), "invited", f"a{i}", None if i % 2 else f"s{i}", data) for i in range(7)
    ]
    last = 0
    with writing(store.engine) as connection:
        for start, count in ((0, 0), (0, 1), (1, 6)):
            last = store.append(connection, last, given[start : start + count])
    assert last == 7
    assert store.events() == given
    store.engine.dispose()


def test_a_batch_that_cannot_be_written_is_not_acknowledged(tmp_path):
    store, _ = StudyStore.create(study_of(), str(tmp_path / "s.db"), invite=1)
    writer = Writer(store)
    with writing(store.engine) as connection:
        connection.execute(
            text(
                "CREATE TRIGGER full BEFORE INSERT ON events "
                "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
            )
        )
    join = lambda state, now: (decisions.join(state, now, "a1"), "joined")  # noqa: E731
    with pytest.raises(Exception, match="disk full"):
        asyncio.run(writer.do(join))
    with writing(store.engine) as connection:
        connection.execute(text("DROP TRIGGER full"))
    assert asyncio.run(writer.do(join)) == "joined"
    assert [e.kind for e in store.events()] == ["invited", "joined"]
    writer.close()
    store.engine.dispose()


def test_a_new_study_is_its_owners_to_read(tmp_path):
    """Whatever the umask: the file, and what SQLite puts beside it."""
    before = os.umask(0)
    try:
        store, _ = StudyStore.create(study_of(), str(tmp_path / "s.db"), invite=1)
        with writing(store.engine) as connection:
            store.write_heartbeat(connection, 1.0)
            found = {p.name: p.stat().st_mode & 0o777 for p in tmp_path.iterdir()}
    finally:
        os.umask(before)
        store.engine.dispose()
    assert set(found) == {"s.db", "s.db-wal", "s.db-shm"}
    assert set(found.values()) == {0o600}


def test_a_study_that_cannot_be_made_leaves_no_file(tmp_path, monkeypatch):
    def broken(*_, **__):
        raise UnreadableError("broken")

    monkeypatch.setattr("tare._web.judge.store.migrate", broken)
    with pytest.raises(UnreadableError, match="broken"):
        StudyStore.create(study_of(), str(tmp_path / "s.db"))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UnreadableError, match="nowhere"):
        StudyStore.create(study_of(), str(tmp_path / "nowhere" / "s.db"))
    (tmp_path / "there.db").write_text("mine")
    with pytest.raises(OptionError, match="already exists"):
        StudyStore.create(study_of(), f"sqlite:///{tmp_path}/there.db")
    assert (tmp_path / "there.db").read_text() == "mine"
