"""`tare judge`: make a study for people, serve it, and take home what they said."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import Format
from tare._cli.output import emit, say
from tare._cli.verb import verb
from tare.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    from tare._app import Store

__all__ = ["agreement", "app", "create", "export", "serve", "status"]

app = verb(
    "judge",
    "tare judge create study.toml --to study.db --invite 3",
    "tare judge status study.db",
    help="Collect human judgements: create a study, serve it, watch it, export what was said.",
)
MOST_INVITED = 10_000
LOOPBACK = ("127.0.0.1", "::1", "localhost")
Database = Annotated[str, Parameter(help="The study's file, or postgresql://user@host/name.")]


@app.command
def create(
    study: Path,
    *,
    to: str | None = None,
    invite: int = 0,
    url: str = "http://127.0.0.1:8000",
    format: Format = None,
) -> None:
    """Make a study of a TOML file; prints the links, once.

    Parameters
    ----------
    study
        The TOML file; data files are named in it.
    to
        A new file, or postgresql://…; without it the TOML file's name with .db.
    invite
        How many personal invitations to make.
    url
        Where assessors will find the server; links begin with it.
    """
    from tare._tables import Table

    store_type = _store()
    from tare._app.addresses import check_url
    from tare._app.store.database import plain_place
    from tare.studies._judging import read_study

    if not 0 <= invite <= MOST_INVITED:
        raise OptionError(f"--invite {invite}: 0 to {MOST_INVITED:,} assessors can be invited.")
    made = read_study(study)
    place = to or str(study.with_suffix(".db"))
    base = check_url(url)
    _, keys = store_type.create(made, place, invite=invite)
    rows = [("owner", "", f"{base}/owner/{keys.owner}")]
    if keys.door:
        rows += [("anyone", "", f"{base}/open/{keys.door}")]
    rows += [("assessor", name, f"{base}/join/{token}") for name, token in keys.assessors]
    table = Table.of(["for", "name", "link"], rows, title=made.design.title)
    emit(format, lambda: table, lambda: table)
    say(
        f"{len(made.tasks):,} tasks in {plain_place(place)}. Keep the links: only digests are stored."
    )
    say(f"Next: tare judge serve {plain_place(place)}")


@app.command
def serve(
    database: Database,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    url: str = "",
    proxy: tuple[str, ...] = (),
) -> None:
    """Serve a study until Ctrl-C.

    Parameters
    ----------
    host
        Where to listen; only this machine unless told otherwise.
    port
        The port.
    url
        The address that people use, such as https://study.example.org. Forms from there are
        accepted, and with https cookies are sent over https only.
    proxy
        The address or network of a reverse proxy, such as 127.0.0.1. Its X-Forwarded-For is
        believed; nobody's is unless named. May be given several times.
    """
    store = _store().open(database)
    from tare._app import serve as run
    from tare._app.addresses import check_proxies, check_url

    url, proxies = check_url(url), check_proxies(proxy)

    if not 0 < port < 65_536:
        raise OptionError(f"--port {port} is not a port: 1 to 65535.")
    if host not in LOOPBACK:
        say(
            f"Listening on {host}: tokens would travel in the clear. Put a reverse proxy with TLS "
            "(nginx, Caddy) in front, let this listen on 127.0.0.1, and give --url https://…"
        )
    say(f"{store.study.design.title}: {url or f'http://{host}:{port}'} (Ctrl-C ends it)")
    run(store, host=host, port=port, base=url, proxies=proxies)


@app.command
def export(
    database: Database,
    *,
    what: Literal["auto", "preferences", "qrels", "ratings", "scores", "scus", "units", "events"] = "auto",
    to: Path | None = None,
    form: Literal["auto", "txt", "csv", "jsonl", "parquet"] = "auto",
    repeats: Annotated[bool, Parameter(negative="")] = False,
    combine: Literal["median", "mean", "max", "min"] = "median",
) -> None:  # fmt: skip
    """Write what was said: preferences, qrels, ratings, scores, content units, or the raw log.

    Parameters
    ----------
    what
        auto is what the kind of study gives.
    to
        A file; its suffix chooses the form. Without it, standard output.
    form
        txt for preferences and qrels, csv otherwise, unless told.
    repeats
        Also second answers of one assessor to one question.
    combine
        Grades of several assessors, for qrels.
    """
    store = _store().open(database)
    from tare._app.exporting import FORMATS, offered
    from tare._app.exporting import export as exported
    from tare._writing import write_bytes

    chosen = offered(store)[0] if what == "auto" else what
    suffix = "" if to is None else to.suffix.removeprefix(".").lower()
    if form == "auto" and suffix in FORMATS:
        form = suffix  # type: ignore[assignment]
    if form == "auto":
        form = "txt" if chosen in ("preferences", "qrels") else "csv"
    body = exported(store, chosen, form, repeats=repeats, combine=combine)
    if to is None:
        sys.stdout.buffer.write(body)
        sys.stdout.flush()
    else:
        write_bytes(to, body)
        say(f"{chosen} written to {to}.")


@app.command
def status(database: Database, *, format: Format = None) -> None:
    """Say how far a study is, and which assessors to look at."""
    store = _store().open(database)
    from tare.studies._judging.quality import quality

    table = quality(store.outcomes()).table()
    emit(format, lambda: table, lambda: table)
    if format != "table" and not sys.stdout.isatty():
        for note in table.notes:
            say(note)


@app.command
def agreement(
    database: Database,
    *,
    dimension: str | None = None,
    level: Literal["auto", "nominal", "ordinal", "interval", "ratio"] = "auto",
    repeats: Annotated[bool, Parameter(negative="")] = False,
    draws: int = 1000,
    seed: int = 0,
    format: Format = None,
) -> None:
    """Say how far assessors agree: Krippendorff's α, by assessor, and without each.

    Parameters
    ----------
    dimension
        One of several scales.
    level
        How values differ; auto is ordinal for numbers and nominal for words.
    repeats
        Each assessor with himself instead, from repeated items.
    draws
        Resamples of units for the interval.
    """
    store = _store().open(database)
    from tare.stats import agreement as agree
    from tare.stats import self_consistency

    ratings = store.outcomes().ratings(dimension)
    if repeats:
        table = self_consistency(ratings, level=level).table()
    else:
        table = agree(ratings, level=level, draws=draws, seed=seed).table()
    emit(format, lambda: table, lambda: table)


def _store() -> type[Store]:
    try:
        from tare._app import Store
    except ImportError as error:
        missing = error.name or "fastapi"
        if missing.startswith("tare"):
            raise
        raise MissingExtraError(missing, "app", "tare judge") from None
    return Store
