"""`tare judge`: create a study with human assessors, serve it, and export their judgements."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tare._cli import output as streams
from tare._cli.output import emit, say
from tare._cli.types import Format, InputFile, OutputFile, Role, Seed
from tare._cli.verb import group, verb
from tare._files.writing import write_bytes
from tare._judging import read_study
from tare._judging.quality import quality
from tare._tables import Table
from tare.errors import MissingExtraError, OptionError
from tare.studies import agreement as agree
from tare.studies import self_consistency

if TYPE_CHECKING:
    from tare._web.judge import StudyStore

__all__ = ["agreement", "create", "export", "serve", "status"]

app = group(
    "judge",
    "tare judge create study.toml -o study.db --invite 3",
    "tare judge status study.db",
    help="Collect human judgements: create a study, serve it, follow its progress, export the results.",
)
MAX_INVITED = 10_000
Database = Annotated[
    str, Parameter(help="Database of the study: a file, or postgresql://user@host/name.")
]


@app.command
@verb(
    "tare judge create study.toml -o study.db --invite 3",
    "tare judge create study.toml --url https://study.example.org --invite 10",
)
def create(
    study: InputFile,
    *,
    output: Annotated[str | None, Role.FILE, Parameter(name=["--output", "-o"])] = None,
    invite: int = 0,
    url: str = "http://127.0.0.1:8000",
    format: Format = None,
) -> None:
    """Create a study from a TOML file, and print its links once.

    Parameters
    ----------
    study
        TOML file; it names the data files.
    output
        New file, or postgresql://… (default: the name of the TOML file with the suffix .db).
    invite
        Number of personal invitations to create.
    url
        Address of the server for assessors; links begin with it.
    """
    store_type = _store()
    from tare._web.guard import check_url
    from tare._web.judge.store import without_password

    if not 0 <= invite <= MAX_INVITED:
        raise OptionError(f"--invite {invite}: expected a number from 0 to {MAX_INVITED:,}.")
    made = read_study(study)
    place = output or str(study.with_suffix(".db"))
    base = check_url(url)
    store, keys = store_type.create(made, place, invite=invite, url=base)
    store.engine.dispose()
    rows = [("owner", "", f"{base}/owner/{keys.owner}")]
    if keys.door:
        rows += [("anyone", "", f"{base}/open/{keys.door}")]
    rows += [("assessor", name, f"{base}/join/{token}") for name, token in keys.assessors]
    table = Table.of(["for", "name", "link"], rows, title=made.design.title)
    emit(format, lambda: table, lambda: table)
    say(
        f"{len(made.tasks):,} task{'s' * (len(made.tasks) > 1)} in {without_password(place)}. Keep these links; they cannot be shown again."
    )
    say(f"Next: tare judge serve {without_password(place)}")


@app.command
@verb(
    "tare judge serve study.db --port 9000",
    "tare judge serve study.db --url https://study.example.org --proxy 127.0.0.1",
)
def serve(
    database: Database,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    url: str = "",
    proxy: Annotated[tuple[str, ...], Parameter()] = (),
) -> None:
    """Serve a study until Ctrl-C is pressed.

    Parameters
    ----------
    host
        Address to listen on (default: this machine only).
    port
        Port to listen on (default: the port in the links of the study, or 8000). The links of a study on
        this machine begin with this port from now on; the tokens in them stay the same.
    url
        Public address, such as https://study.example.org, with which links begin from now on. Forms sent
        from there are accepted, and with https, cookies are sent over https only.
    proxy
        Address or network of a reverse proxy, such as 127.0.0.1, whose X-Forwarded-For header is trusted.
        Can be given several times; without it, no such header is trusted.
    """
    store_type = _store()
    from tare._web.guard import check_proxies, check_url

    url, proxies = check_url(url), check_proxies(proxy)
    with store_type.open(database) as store:
        _serve(store, host, port, url, proxies)


@app.command
@verb(
    "tare judge export study.db -o judgements.txt",
    "tare judge export study.db --what ratings -o ratings.csv",
)
def export(
    database: Database,
    *,
    what: Literal[
        "auto",
        "preferences",
        "qrels",
        "ratings",
        "scores",
        "scus",
        "units",
        "events",
        "slice",
        "model",
        "slice-scores",
        "model-scores",
    ] = "auto",
    output: Annotated[OutputFile | None, Parameter(name=["--output", "-o"])] = None,
    form: Literal["auto", "txt", "csv", "jsonl", "parquet"] = "auto",
    repeats: bool = False,
    combine: Literal["median", "mean", "max", "min"] = "median",
) -> None:
    """Export the results: preferences, qrels, ratings, scores, content units, or the event log.

    Parameters
    ----------
    what
        What to export; auto chooses by the kind of study. In a study with a model's labels, slice is what
        people judged, with inclusion probabilities, model is the model's labels, and slice-scores and
        model-scores are the scores of systems under both, for tare estimate.
    output
        File to write; its suffix chooses the format (default: standard output).
    form
        Format; auto is txt for preferences and qrels, and csv otherwise.
    repeats
        Also export an assessor's second answers to repeated questions.
    combine
        How to combine the grades of several assessors, for qrels.
    """
    store_type = _store()
    from tare._web.judge.exports import FORMATS, offered
    from tare._web.judge.exports import export as exported

    with store_type.open(database) as store:
        chosen = offered(store)[0] if what == "auto" else what
        suffix = "" if output is None else output.suffix.removeprefix(".").lower()
        if form == "auto" and suffix in FORMATS:
            form = suffix  # type: ignore[assignment]
        if form == "auto":
            form = "txt" if chosen in ("preferences", "qrels") else "csv"
        body = exported(store, chosen, form, repeats=repeats, combine=combine)
    if output is None:
        streams.print_bytes(body)
        sys.stdout.flush()
    else:
        write_bytes(output, body)
        say(f"Exported {chosen} to {output}.")


@app.command
@verb(
    "tare judge status study.db",
    "tare judge status study.db --format json",
)
def status(database: Database, *, format: Format = None) -> None:
    """Show the progress of a study, and which assessors are flagged."""
    with _store().open(database) as store:
        table = quality(store.outcomes()).table()
    emit(format, lambda: table, lambda: table)
    if format != "table" and not sys.stdout.isatty():
        for note in table.notes:
            say(note)


@app.command
@verb(
    "tare judge agreement study.db",
    "tare judge agreement study.db --repeats",
)
def agreement(
    database: Database,
    *,
    dimension: str | None = None,
    level: Literal["auto", "nominal", "ordinal", "interval", "ratio"] = "auto",
    repeats: bool = False,
    draws: int = 1000,
    seed: Seed = 0,
    format: Format = None,
) -> None:
    """Measure the agreement of assessors: Krippendorff's α, per assessor, and without each of them.

    Parameters
    ----------
    dimension
        Dimension to use, if the study has several.
    level
        Level of measurement; auto is ordinal for numbers and nominal for other values.
    repeats
        Compute the self-consistency of each assessor from repeated items instead.
    draws
        Number of resamples of the units for the interval.
    """
    store_type = _store()
    with store_type.open(database) as store:
        ratings = store.outcomes().ratings(dimension)
    if repeats:
        table = self_consistency(ratings, level=level).table()
    else:
        table = agree(ratings, level=level, draws=draws, seed=seed).table()
    emit(format, lambda: table, lambda: table)


def _serve(
    store: StudyStore, host: str, port: int | None, url: str, proxies: tuple[str, ...]
) -> None:
    """Serve a study of human assessors, and let its links begin with the address of the server."""
    from tare._web.guard import LOOPBACK, is_same_place, local_port, local_url
    from tare._web.judge import serve as run

    if port is None:
        port = local_port(store.url) or 8000
    if not 0 < port < 65_536:
        raise OptionError(f"--port {port}: expected a port from 1 to 65535.")
    if host not in LOOPBACK:
        say(
            f"Warning: {host} is not a local address: links would be sent unencrypted, and requests that never "
            "end could keep others out. Run a reverse proxy with TLS (nginx, Caddy) in front of 127.0.0.1, and "
            "set --url https://…"
        )
    address = url or local_url(host, port)

    def on_start() -> None:
        say(f"{store.study.design.title}: {address} (press Ctrl-C to stop)")
        if store.url and not is_same_place(store.url, address):
            _move_links(store, address, given=bool(url))

    run(store, host=host, port=port, base=url, proxies=proxies, on_start=on_start)


def _move_links(store: StudyStore, address: str, *, given: bool) -> None:
    """Let the links of a judging study begin with the address at which it is served, and show them without tokens."""
    from tare._web.guard import local_port

    here = local_port(address) is not None
    if not given and not (here and local_port(store.url) is not None):
        if here:
            say(
                f"The links of this study begin with {store.url}. If a proxy forwards that address to this server, "
                f"add --url {store.url}"
            )
        return
    before = store.url
    store.move(address)
    roles = ("owner", "open", "join") if store.study.design.door else ("owner", "join")
    shown = ", ".join(f"{address}/{role}/…" for role in roles)
    say(
        f"The links of this study now begin with {address} (before: {before}): {shown}. The last part of each link "
        "stays the same."
    )


def _store() -> type[StudyStore]:
    try:
        from tare._web.judge import StudyStore
    except ImportError as error:
        missing = error.name or "fastapi"
        if missing.startswith("tare"):
            raise
        raise MissingExtraError(missing, "app", "tare judge") from None
    return StudyStore
