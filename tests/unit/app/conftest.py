"""Studies in SQLite and in a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.postgres import NO_SERVER, running_server
from tests.rooms import House, study_of


@pytest.fixture(scope="session")
def postgres() -> Iterator[str | None]:
    """A server of PostgreSQL, or None."""
    with running_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path) -> str:
    """Where a new study may be put."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    url = request.getfixturevalue("postgres")
    if url is None:
        pytest.skip(NO_SERVER)
    from sqlalchemy import create_engine, text

    name = f"study_{uuid4().hex[:12]}"
    engine = create_engine(
        url.format(name="postgres").replace("postgresql:", "postgresql+psycopg:"),
        isolation_level="AUTOCOMMIT",
    )
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return url.format(name=name)


@pytest.fixture
def house(tmp_path) -> Iterator[House]:
    """A study of simple preferences in SQLite, served."""
    with House(study_of(overlap=2), str(tmp_path / "study.db")) as made:
        yield made
