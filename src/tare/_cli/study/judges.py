"""`tare study judges`: may labels by a model be used in place of labels by people?"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tare._cli.files import check_file_names
from tare._cli.options import (
    FiguresFolder,
    Format,
    Measures,
    PoolOptions,
    ReportFile,
    RowsFolder,
    Seed,
    verb,
)
from tare._cli.output import Progress, say
from tare._cli.results import show_study
from tare._measures.defaults import MAIN_MEASURE
from tare.errors import OptionError

__all__ = ["app", "judges"]

app = verb(
    "judges",
    "tare study judges qrels.txt llm.jsonl bm25.run dense.run -m nDCG@10",
    "tare study judges labels.csv --rel 2 --draws 500 --save audit",
)
Names = Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")]
MOST_PARAGRAPHS = 5


@app.default
def judges(
    human: str,
    *files: str,
    runs: Annotated[
        list[str] | None, Parameter(name="--runs", consume_multiple=True, negative="")
    ] = None,
    measures: Measures = None,
    nuggets: str | None = None,
    people: Names = None,
    rel: float = 1,
    map: Annotated[list[str] | None, Parameter(name="--map", negative="")] = None,
    cut: Annotated[list[str] | None, Parameter(name="--cut", negative="")] = None,
    systems: str | None = None,
    group: str | None = None,
    top: int = 5,
    test: str = "t",
    correction: str = "none",
    alpha: float = 0.05,
    splits: int = 100,
    pools: PoolOptions | None = None,
    draws: int = 2000,
    seed: Seed = 0,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Audit judges: compare labels by models with labels by people.

    Agreement on labels (κ, α, leniency) with intervals over queries, next to judges without skill and to the
    agreement between people; with runs also the rankings of systems and the conclusions of significance tests
    under both label sets. Labels that could not be read are counted and left out.

    Parameters
    ----------
    human
        Labels by people: qrels, a table of labels, ratings, preferences, content units or assignments of
        nuggets. A wide table
        (query, document, one column per judge) may also hold the judges.
    files
        Labels by judges, further labels by people (--people), and runs; a TREC run or a table with scores is
        recognised as a run.
    runs
        Runs, if they are not recognised.
    measures
        Measures of the runs (default: nDCG@10); NuggetAll and similar measures score assigned answers.
    nuggets
        Lists of nuggets with their importance, if the assignments do not contain it.
    people
        Label sets that are people: columns, coders or names of files.
    rel
        Lowest relevant grade.
    map
        Grades of labels on another scale: 0=0,1=1,2=1 or, for one judge, llm:0=0,1=3.
    cut
        Lowest relevant label of judges on another scale: 0.5 or, for one judge, llm=0.5.
    systems
        Table with the column system and attributes of the systems.
    group
        Attribute of the systems: is the judge kinder to some of its values?
    top
        Number of best systems whose agreement is shown.
    test
        Significance test, for people and judges.
    correction
        none, bonferroni, holm, hochberg, bh or by.
    alpha
        Significance level of the test.
    splits
        Number of random splits of the queries into halves.
    draws
        Number of resamples of the queries.
    """
    from tare._cli.study.label_files import cuts_of, is_run, maps_of
    from tare.studies import judges as study

    check_file_names(human, *files)
    if group is not None and systems is None:
        raise OptionError(
            "--group needs --systems, a table with the column system and that attribute."
        )
    ranked = [*(f for f in files if is_run(f)), *(runs or ())]
    labelled = [f for f in files if f not in ranked]
    with Progress("auditing", None) as progress:
        found = study(
            human,
            labelled,
            ranked or None,
            measures or MAIN_MEASURE,
            nuggets=nuggets,
            people=people or (),
            rel=rel,
            maps=maps_of(map),
            cut=cuts_of(cut),
            groups=systems,
            group=group,
            top=top,
            test=test,
            correction=correction,
            alpha=alpha,
            splits=splits,
            draws=draws,
            seed=seed,
            progress=progress,
            **({} if pools is None else pools.arguments()),
        )
    show_study(found, format, save, report, figures)
    for row in found.all_rows()["paragraphs"][:MOST_PARAGRAPHS]:
        say(row["text"])
    if len(found.judges) > MOST_PARAGRAPHS:
        say(
            f"The paragraphs about {len(found.judges)} judges are in --save, --format json and --report."
        )
