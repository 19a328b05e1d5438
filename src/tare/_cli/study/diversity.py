"""`tare study diversity`: preferences compared with judgements by subtopic."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, FilePath, Format, ReportFile, RowsFolder, Seed, verb
from tare._cli.output import Progress
from tare._cli.results import show_study

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
    profile_file: FilePath | None = None,
    triplets: Annotated[list[int] | None, Parameter(consume_multiple=True, negative="")] = None,
    noise: Annotated[list[float] | None, Parameter(consume_multiple=True, negative="")] = None,
    repeats: int = 10,
    seed: Seed = 0,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Compare preferences with judgements by subtopic.

    Rank correlations (Kendall's τ) between systems ordered by nPrf, from simulated preferences, and by
    α-nDCG, ERR-IA and subtopic recall: for every variant of nPrf (a), for user profiles (b), for incomplete
    judgements (c) and for noisy judgements (d).

    Parameters
    ----------
    subtopics
        Judgements, with lines 'query subtopic document grade'.
    runs
        Runs; more systems are made from them by perturbation. Without runs, systems are simulated.
    systems
        Number of systems to compare.
    cutoff
        Depth of all measures.
    depth
        Documents per query that are compared with each other.
    profiles
        Number of simulated users, each with different subtopics (default: 10).
    profile_file
        File with user profiles: lines 'profile query subtopic [subtopic …]', or a table with the columns
        profile, query, subtopic.
    triplets
        Numbers of triplets per query for (c); each triplet has five answers.
    noise
        Probabilities that an answer is reversed, for (d).
    repeats
        Number of repeats of (c); (d) has a third of them.
    """
    from tare.studies import diversity as study

    defaults = {"triplets": triplets, "noise": noise}
    with Progress("studying", None) as progress:
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
            progress=progress,
            **{name: given for name, given in defaults.items() if given},  # type: ignore[arg-type]
        )
    show_study(found, format, save, report, figures)
