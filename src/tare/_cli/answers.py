"""`tare answers`: score answers by nuggets, citations and refusals."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter

import tare
from tare._cli.output import emit, for_reading, say
from tare._cli.results import emit_scores, exit_code, say_findings
from tare._cli.sources import prepared
from tare._cli.types import (
    ClusterOption,
    Input,
    MeasureList,
    Output,
    OutputFile,
    RangeOption,
    Seed,
    Several,
    Source,
    Strict,
    chosen_columns,
)
from tare._cli.verb import verb
from tare._measures.means_and_intervals import item_table
from tare.errors import OptionError

__all__ = ["answers"]


Files = Annotated[list[Input] | None, Several]


@verb(
    "tare answers assignments.jsonl -m NuggetVital NuggetAll --save scores.parquet",
    "tare answers matches.csv --nuggets nuggets.jsonl --unassigned skip --show nuggets --format csv",
)
def answers(
    *assignments: Source,
    nuggets: Files = None,
    elsewhere: Files = None,
    citations: Files = None,
    texts: Files = None,
    measures: MeasureList = None,
    assigner: str | None = None,
    column: Annotated[list[str] | None, Several] = None,
    missing: Literal["skip", "zero", "error"] = "skip",
    unassigned: Literal["error", "skip", "zero"] = "error",
    refusals: Literal["score", "skip"] = "score",
    cluster: ClusterOption = None,
    range: RangeOption = None,
    by_item: Annotated[bool, Parameter(name=["--by-item", "-q"])] = False,
    show: Literal["scores", "topics", "nuggets"] = "scores",
    save: OutputFile | None = None,
    seed: Seed = 0,
    strict: Strict = False,
    output: Output,
) -> int:
    """Score answers by the nuggets they contain, the support of their citations, and refusals.

    ASSIGNMENTS are nuggetizer's assignments (.jsonl), tables (.jsonl, .csv, .tsv, .parquet) with one row per
    answer and nugget (system, item, nugget, assignment, and optionally importance, assigner and answer_to), or
    content units (.pan, tables with scu and present). Files may be compressed (.gz, .zst); "-" is standard
    input.

    Parameters
    ----------
    assignments
        Files with the assignment of each answer and nugget: support, partial_support or not_support.
    nuggets
        Lists of nuggets with their importance (vital, okay, or a weight), if the assignments do not contain it.
    elsewhere
        Assignments of answers to nuggets of other topics, which show what answers support by chance. Net
        scores need them.
    citations
        Tables of citations: system, item, statement, citation, support.
    texts
        The answers: system, item, and text or words; optionally refused and answerable.
    measures
        Measures such as NuggetVital, NuggetAll, NuggetWeighted, 'Net(NuggetAll)', Support, CitationRecall,
        Refusal (default: those that the data allow).
    assigner
        Keep only the assignments of this person or model (default: the mean over all).
    column
        Names of columns other than the usual ones, as part=column, such as importance=passage_grade.
    missing
        Topics without an answer by a system: leave out, count as 0, or raise an error.
    unassigned
        Nuggets without assignment: raise an error, leave out, or count as not supported.
    refusals
        Refusals: score like other answers, or leave out of all measures but Refusal and Abstention.
    by_item
        Print one line per topic instead of means.
    show
        The scores of systems, the topics, or the nuggets with how often each was found.
    save
        Write the score table to this Parquet file, for tare compare, power, report and estimate.
    """
    format = output.format
    if by_item and show != "scores":
        raise OptionError(f"--by-item shows scores; leave out --show {show}.")
    given = tare.read_answers(
        _one(assignments),
        nuggets=_one(nuggets),
        elsewhere=_one(elsewhere),
        citations=_one(citations),
        texts=_one(texts),
        assigner=assigner,
        columns=chosen_columns(column),
    )
    policies: dict[str, Any] = {"missing": missing, "unassigned": unassigned, "refusals": refusals}
    scores = tare.evaluate_answers(given, measures, seed=seed, **policies)
    scores = prepared(scores, False, cluster, range, assignments)
    if by_item:
        emit(format, lambda: item_table(scores), lambda: item_table(scores))
        say_findings(scores.findings)
    elif show == "scores":
        emit_scores(format, scores)
    else:
        found = tare.studies.answers(given, measures, seed=seed, **policies).tables()
        if show not in found:
            raise OptionError(f"--show {show} needs assignments of nuggets; there are none.")
        emit(format, lambda: found[show], lambda: found[show])
        if not for_reading(format):
            say_findings(scores.findings)
    if save is not None:
        scores.save(save)
        say(f"Scores written to {save}.")
    if output.report is not None:
        output.write_report(tare.studies.answers(given, measures, seed=seed, **policies))
    return exit_code(scores.findings, strict)


def _one(files: tuple[str, ...] | list[str] | None) -> Any:
    """Return no file, one file, or several."""
    if not files:
        return None
    return files[0] if len(files) == 1 else list(files)
