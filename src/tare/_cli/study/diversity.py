"""`tare study diversity`: preferences held against judgements by subtopic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, ReportFile
from tare._cli.output import say
from tare._cli.study.answers import tell
from tare._cli.verb import verb

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
    depth: int = 100,
    profiles: int | None = None,
    profile_file: Path | None = None,
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
        Judgements, one line 'query subtopic document grade' each.
    runs
        Runs; others are made of them by perturbation. Without any, systems are simulated.
    systems
        How many systems to compare.
    cutoff
        Depth of all measures.
    depth
        Documents per query that are compared with one another.
    profiles
        Simulated users, each with subtopics of their own (default: 10).
    profile_file
        Users of your own, one line 'profile query subtopic [subtopic …]' each, or a table with the
        columns profile, query, subtopic.
    triplets
        Numbers of triplets per query for (c); each has five answers.
    noise
        Probabilities that an answer is reversed for (d).
    repeats
        Repeats of (c); a third of them for (d).
    seed
        Seed of everything that is drawn.
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
        depth=depth,
        profiles=profiles,
        profile_file=profile_file,
        repeats=repeats,
        seed=seed,
        progress=lambda what: say(f"{what} …"),
        **{name: given for name, given in defaults.items() if given},  # type: ignore[arg-type]
    )
    tell(found, format, save, report, figures)
