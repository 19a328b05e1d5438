"""`tare study diversity`: preferences held against judgements by subtopic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tare.cli.options import FiguresFolder, Format, ReportFile
from tare.cli.output import say
from tare.cli.study.answers import tell
from tare.cli.verb import verb

__all__ = ["app", "diversity"]

app = verb(
    "diversity",
    "tare study diversity qrels.diversity runs/*.run",
    "tare study diversity qrels.diversity --systems 30 --repeats 3 --save study",
)


@app.default
def diversity(
    subtopics: str,
    *runs: str,
    systems: int = 24,
    cutoff: int = 20,
    pool: int = 100,
    profiles: int = 10,
    triplets: Annotated[list[int] | None, Parameter(consume_multiple=True)] = None,
    noise: Annotated[list[float] | None, Parameter(consume_multiple=True)] = None,
    repeats: int = 10,
    seed: int = 0,
    save: Path | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Hold preferences against judgements by subtopic.

    Rank correlations (Kendall τ) between systems ordered by nPrf, from simulated preferences, and
    by α-nDCG, ERR-IA and subtopic recall: for every variant of nPrf (a), for profiles of users (b),
    for incomplete (c) and for noisy judgements (d).

    Parameters
    ----------
    subtopics
        Judgements, 'query subtopic document grade' a line.
    runs
        Runs; others are made of them by perturbation. Without any, systems are simulated.
    systems
        How many systems there are to be.
    cutoff
        Depth of all measures.
    pool
        Documents of a query that are compared with one another.
    profiles
        Users, each with subtopics of his own.
    triplets
        Numbers of triplets a query for (c).
    noise
        Probabilities that an answer is turned round for (d).
    repeats
        Repeats of (c); a third of them for (d).
    seed
        For everything that is drawn.
    save
        Write the frames behind the tables as CSV into this folder.
    """
    from tare.studies import diversity as study

    defaults = {"triplets": triplets, "noise": noise}
    found = study(
        subtopics,
        list(runs) or None,
        systems=systems,
        cutoff=cutoff,
        pool=pool,
        profiles=profiles,
        repeats=repeats,
        seed=seed,
        progress=lambda what: say(f"{what} …"),
        **{name: given for name, given in defaults.items() if given},  # type: ignore[arg-type]
    )
    tell(found, format, save, report, figures)
