"""`tare study`: one verb per study; its options are those of the study's function, which is loaded when it is called."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from tare import chance, studies
from tare._cli.engines import EngineOfRankers, EngineOfRuns, EngineOptions
from tare._cli.output import Progress, say
from tare._cli.sources import load_scores
from tare._cli.types import (
    Input,
    InputFile,
    Level,
    MeasureList,
    OneMeasure,
    OutputFolder,
    Pools,
    Rescaling,
    Several,
    StudyOutput,
)
from tare._cli.verb import Given, group, verb_of
from tare._data.columns import COLUMNS
from tare._data.labels import LABEL
from tare._data.qrels import read_qrels
from tare._data.ratings import read_ratings
from tare._data.recognised_files import is_run_text
from tare._data.table_files import table_in
from tare._decide.power import TESTS
from tare._decide.power import power as power_of_tests
from tare._files.opening import STDIN
from tare._measures.defaults import MAIN_MEASURE, MAIN_MEASURES
from tare._measures.scores import Scores
from tare.errors import OptionError

__all__ = ["STUDIES", "app"]

app = group(
    "study",
    "tare study diversity qrels.diversity runs/*.run",
    "tare study diversity qrels.diversity --systems 30 --format csv",
    help="Run a study.",
)

STUDIES: dict[str, Callable[[], App]] = {}  # how the verb of a study is made
SCORES = Parameter(
    help="Score table: written by `tare score --save`, or with the columns system, item, measure, value; "
    "other columns are attributes of the items."
)
SCORES_OR_QRELS = Parameter(help=f"{SCORES.help} If runs follow, judgements.")
RUNS = Parameter(help="Runs to score first.")
Names = Annotated[list[str] | None, Several]
MOST_PARAGRAPHS = 5  # about judges


def study(
    help: str, *examples: str, of: Callable[[], Callable[..., Any]], without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare the verb of a study: one line for `tare study --help`, examples, and the function behind it."""

    def declared(function: Callable[..., None]) -> Callable[..., None]:
        name = function.__name__
        STUDIES[name] = lambda: verb_of(of(), *examples, without=without)(function)
        app.command(f"{__name__}:{name}_app", name=name, help=help)
        return function

    return declared


def __getattr__(name: str) -> App:
    """Make the verb of a study when it is called: one study does not load the others."""
    if (found := STUDIES.get(name.removesuffix("_app"))) is None:
        raise AttributeError(name)
    return found()


@study(
    "Measure how well measures discriminate between systems.",
    "tare study discrimination scores.csv --draws 1000",
    "tare study discrimination qrels.txt runs/*.run dense.run -m nDCG@5 nDCG@10 --test t",
    of=lambda: studies.discrimination,
)
def discrimination(
    scores: Annotated[Input, SCORES_OR_QRELS],
    *runs: Annotated[Input, RUNS],
    measures: MeasureList = None,
    kinds: bool = False,
    kind_size: float = 0.1,
    pools: Pools,
    engine: EngineOfRuns,
    output: StudyOutput,
    **options: Given,
) -> None:
    """Measure how well measures discriminate between systems: discriminative power, conflicts, distances.

    For each measure and set of items: the pairs of systems that differ significantly, over all cutoffs and
    at each cutoff; the percentage of absolute difference (PAD); and the four-way table of every two
    measures.

    Parameters
    ----------
    measures
        Measures of the table, or measures for the runs.
    kinds
        With runs: also use the sets of uninformative, ideal, hard, easy, informative, broad and focused
        queries.
    kind_size
        Number of queries in the uninformative and in the ideal set, or their share if below 1.
    test
        A test of `tare compare`.
    correction
        none, bonferroni, holm, hochberg, bh, by or max-t.
    """
    with engine.opened() as place:
        given = load_scores(scores, runs, measures, pools=pools, engine=place)
        sets = None
        if kinds:
            if not runs:
                raise OptionError("--kinds needs judgements and runs; for a score table, use --by.")
            qrels = read_qrels(scores)
            found_kinds = chance.kinds(qrels, list(runs), size=kind_size, **pools.arguments())
            broad = chance.broad_and_focused(qrels, seed=options.get("seed", 0))
            sets = found_kinds.sets() | broad
        with Progress("testing", len(given.measures) * (1 + len(sets or ()))) as progress:
            found = studies.discrimination(
                given, sets=sets, engine=place, progress=progress, **options
            )
    output.show(found)


@study(
    "Measure how often systems swap places on other items.",
    "tare study consistency scores.csv",
    "tare study consistency scores.csv scores.csv --names 2011 2012 --format csv",
    of=lambda: studies.consistency,
)
def consistency(
    first: Input,
    *others: Input,
    measures: MeasureList = None,
    kinds: bool = False,
    halves: bool = False,
    kind_size: float = 0.5,
    by: str | None = None,
    names: tuple[str, str] | None = None,
    pools: Pools,
    engine: EngineOptions,
    output: StudyOutput,
    **options: Given,
) -> None:
    """Measure how often two systems swap places on other items: swap rates and correlations.

    Compares two score tables (of two data sets, or of two halves of the documents), or one table whose
    items are grouped by an attribute, or resamples of the items of a single table. With --kinds or
    --halves, FIRST is judgements and OTHERS are runs: uninformative queries are compared with ideal ones,
    broad with focused ones, and the two halves of each query's documents with each other.

    Parameters
    ----------
    first
        Score table: written by `tare score --save`, or with the columns system, item, measure, value. With
        --kinds or --halves, judgements.
    others
        Another score table of the same systems; with --kinds or --halves, runs.
    measures
        Measures of the tables, or measures for the runs (default: nDCG@10 and AP).
    kinds
        Compare uninformative with ideal queries, and broad with focused ones; needs a pool. The scores,
        with the kinds as attributes of the queries, are saved in scores.parquet.
    halves
        Split each query's documents into random halves, and compare them.
    kind_size
        Number of queries in the uninformative and in the ideal set, or their share if below 1.
    by
        Attribute of the items of a single table; compare every two of its values.
    names
        Names of the two tables (default: first and second).
    """
    if kinds or halves:
        if by is not None or names is not None:
            raise OptionError(
                "--by and --names apply to score tables; they cannot be used with --kinds or --halves."
            )
        if not others:
            raise OptionError(
                "--kinds and --halves need judgements and runs; name at least 2 runs."
            )
        steps = 3 * len(measures or MAIN_MEASURES)
        with engine.opened() as place, Progress("resampling", steps) as progress:
            found = studies.run_consistency(
                first,
                list(others),
                measures or MAIN_MEASURES,
                by_kind=kinds,
                by_half=halves,
                **pools.arguments(),
                kind_size=kind_size,
                engine=place,
                progress=progress,
                **options,
            )
        output.show(found, scores=found.scores)
        return
    if len(others) > 1:
        raise OptionError(
            f"found {1 + len(others)} score tables; expected 1 or 2. To compare judgements and runs, add "
            "--kinds or --halves."
        )
    if pools.given:
        raise OptionError("a pool applies to --kinds and --halves, with judgements and runs.")

    one, *other = (_selected(table, measures) for table in (first, *others))
    with engine.opened() as place, Progress("resampling", len(one.measures)) as progress:
        found = studies.consistency(
            one,
            other[0] if other else None,
            by=by,
            names=names or ("first", "second"),
            engine=place,
            progress=progress,
            **options,
        )
    output.show(found)


def _selected(table: str, measures: Sequence[str] | None) -> Scores:
    """Load a score table for a study, and keep the measures that were asked for."""
    scores = Scores.load(table)
    return scores.select(measures=measures) if measures else scores


@study(
    "Test whether systems, items or groups of items differ.",
    "tare study items scores.csv",
    "tare study items scores.csv --method ranks --against A --save study",
    of=lambda: studies.items,
)
def items(
    scores: Annotated[Input, SCORES_OR_QRELS],
    *runs: Annotated[Input, RUNS],
    measure: OneMeasure = None,
    output: StudyOutput,
    **options: Given,
) -> None:
    """Test whether systems, items or groups of items differ, and show which do.

    Analysis of variance, Kruskal–Wallis and Friedman tests over systems, items and groups of items, such as
    those of one assessor or category; and simultaneous intervals of every level, with the levels marked
    that differ from a chosen one. Missing values are allowed.
    """
    chosen = measure or (MAIN_MEASURES[0] if runs else None)
    given = load_scores(scores, runs, None if chosen is None else [chosen])
    output.show(studies.items(given, **options))


@study(
    "Train rankers, and test how reliable the measures of them are.",
    "tare study letor train.txt test.txt --ranker rankboost adarank listnet --draws 1000",
    "tare study letor train.txt test.txt --ranker rankboost adarank --draws 1000 -o results",
    of=lambda: studies.letor,
    without=("name", "rankers", "folder"),
)
def letor(
    train: Input | None = None,
    test: Input | None = None,
    valid: Input | None = None,
    *,
    folds: InputFile | None = None,
    against: InputFile | None = None,
    ranker: Annotated[
        list[str] | None, Parameter(name=["--ranker", "-r"], consume_multiple=True)
    ] = None,
    threads: int | None = None,
    output: Annotated[OutputFolder | None, Parameter(name=["--output", "-o"])] = None,
    engine: EngineOfRankers,
    results: StudyOutput,
    **options: Given,
) -> None:
    """Train rankers, score them with and without chance correction, and test how reliable the measures are.

    Mean tables of nDCG, DCG and SP, and of their normalised versions (V1, V2; SP with the exact and with
    the published expected value); Kendall's τ, significance conflicts, significant pairs and PAD on all,
    uninformative and ideal queries; swap rates between kinds of queries, halves of documents and data
    sets; and which claims of Feng and Karmaker 2023 hold.

    Parameters
    ----------
    train
        LETOR data for training; join several files with a plus sign: S1.txt+S2.txt.
    test
        LETOR data to rank.
    valid
        LETOR data for validation.
    folds
        Folder of folds, instead of TRAIN, TEST and VALID: Fold1/train.txt, vali.txt, test.txt, Fold2/…
    against
        Folder of another study; adds swap rates between the two studies.
    ranker
        Rankers of `tare rank` (default: all eight).
    kind_size
        Number of queries in the uninformative and in the ideal set, or their share if below 1. The article
        used half of the queries of MQ2007 and a tenth of those of MSLR.
    threads
        Threads for training (default: TARE_THREADS or 1).
    output
        Keep models, runs, scores and tables in this folder; a second call computes only what is missing.
    """
    with engine.opened() as place, Progress("studying", 150) as progress:
        found = studies.letor(
            *(_parts(names) for names in (train, test, valid)),
            folds=folds,
            against=against,
            rankers=ranker or None,
            threads=threads,
            folder=output,
            engine=place,
            progress=progress,
            **options,
        )
    results.show(found)


def _parts(names: str | None) -> list[str] | None:
    return None if names is None else [name for name in names.split("+") if name]


@study(
    "Measure how well measures agree with people, and test whether they differ.",
    "tare study people scores.csv human.csv --chance 10",
    "tare study people scores.csv human.csv --model A --top 4 --draws 200 --chance 10 --save study",
    of=lambda: studies.measures_and_people,
)
def people(
    scores: Input,
    human: Input,
    *,
    measures: MeasureList = None,
    rescaling: Rescaling,
    output: StudyOutput,
    **options: Given,
) -> None:
    """Measure how well measures agree with people, and test whether they differ.

    Significant differences found by people and by measures; correlations over systems and over outputs,
    with intervals; tests between measures; the consensus of measures; wins, losses and ties. The values of
    chance and of a constant measure are shown for comparison.

    Parameters
    ----------
    scores
        Score table of measures: written by `tare score --save` or `tare text --save`, or with the columns
        system, item, measure, value.
    human
        Score table with human scores of the same systems and items.
    measures
        Measures of the first table.
    test
        Significance test, for people and for measures.
    correction
        none, bonferroni, holm, hochberg, bh or by.
    """
    table, human_scores = Scores.load(scores), Scores.load(human)
    human_scores = rescaling.of(human_scores)
    if measures:
        table = table.select(measures=measures)
    groups = 1 + ("models" in options) + len(options.get("top", ()))
    steps = groups * len(human_scores.measures) * (len(table.measures) + 2)
    with Progress("studying", steps) as progress:
        found = studies.measures_and_people(table, human_scores, progress=progress, **options)
    output.show(found)


@study(
    "Measure how consistent assessors are, and what changes without the worst.",
    "tare study assessors ratings.jsonl --level ordinal",
    "tare study assessors rated.csv --same text --scores scores.csv --worst 1 --save study",
    of=lambda: studies.assessors,
    without=("methods",),
)
def assessors(
    ratings: Input,
    *,
    level: Level = "auto",
    rescaling: Rescaling,
    output: StudyOutput,
    **options: Given,
) -> None:
    """Measure how consistent assessors are, and what changes without the worst of them.

    Self-consistency on outputs that were judged twice, with contingency tables; manual − automatic pyramid
    scores per assessor; and, without the worst one or two assessors, the order of systems, the correlation
    of measures with people, and learned measures.

    Parameters
    ----------
    ratings
        Table with the columns unit, coder and value, and optionally system, item and others.
    same
        Column with equal values for identical units, such as the text.
    system
        Column with the system of a unit.
    item
        Column with the item of a unit.
    """
    with Progress("studying", None) as progress:
        given = rescaling.of(read_ratings(ratings))
        found = studies.assessors(given, level=level, progress=progress, **options)
    output.show(found)


@study(
    "Compare labels by models with labels by people.",
    "tare study judges qrels.txt llm.jsonl bm25.run dense.run -m nDCG@10",
    "tare study judges labels.csv --rel 2 --draws 500 --save audit",
    of=lambda: studies.judges,
    without=("maps", "groups", "pool", "corpus", "candidates"),
)
def judges(
    human: Input,
    *files: Input,
    runs: Names = None,
    measures: MeasureList = None,
    map: list[str] | None = None,
    cut: list[str] | None = None,
    systems: Input | None = None,
    group: str | None = None,
    pools: Pools,
    output: StudyOutput,
    **options: Given,
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
    map
        Grades of labels on another scale: 0=0,1=1,2=1 or, for one judge, llm:0=0,1=3.
    cut
        Lowest relevant label of judges on another scale: 0.5 or, for one judge, llm=0.5.
    systems
        Table with the column system and attributes of the systems.
    group
        Attribute of the systems: is the judge kinder to some of its values?
    test
        Significance test, for people and judges.
    correction
        none, bonferroni, holm, hochberg, bh or by.
    """
    if group is not None and systems is None:
        raise OptionError(
            "--group needs --systems, a table with the column system and that attribute."
        )
    ranked = [*(f for f in files if is_run(f)), *(runs or ())]
    labelled = [f for f in files if f not in ranked]
    with Progress("auditing", None) as progress:
        found = studies.judges(
            human,
            labelled,
            ranked or None,
            measures or MAIN_MEASURE,
            maps=maps_of(map),
            cut=cuts_of(cut),
            groups=systems,
            group=group,
            progress=progress,
            **pools.arguments(),
            **options,
        )
    output.show(found)
    for row in found.all_rows()["paragraphs"][:MOST_PARAGRAPHS]:
        say(row["text"])
    if len(found.judges) > MOST_PARAGRAPHS:
        say(
            f"The paragraphs about {len(found.judges)} judges are in --save, --format json and --report."
        )


# What the files of an audit are, maps of labels, and cuts.


def is_run(path: str) -> bool:
    """Return whether a file for the study of judges is a run, by its first lines or by its columns."""
    if path == STDIN:
        return False
    table = table_in(path)
    if table is not None:
        columns = {c.strip().lower() for c in table.columns}
        labelled = columns & set(LABEL) - {"score"}
        return bool(columns & {*COLUMNS["score"], "rank"}) and not labelled
    return is_run_text(path)


def maps_of(
    given: Sequence[str] | None,
) -> dict[float, float] | dict[str, dict[float, float]] | None:
    """Return the maps of labels in the study of judges: one for all judges, or by judge.

    >>> maps_of(["0=0,1=1,2=1"])
    {0.0: 0.0, 1.0: 1.0, 2.0: 1.0}
    """
    if not given:
        return None
    named: dict[str, dict[float, float]] = {}
    for text in given:
        head, _, entries = text.rpartition(":")
        table = named.setdefault(head, {})
        for entry in entries.split(","):
            left, _, right = entry.partition("=")
            label, grade = _number(left), _number(right)
            if label is None or grade is None:
                raise OptionError(
                    f"--map {text}: {entry!r} is not label=grade. Write 0=0,1=1,2=1, or llm:0=0,1=3 for one "
                    "judge."
                )
            table[label] = grade
    if "" in named and len(named) > 1:
        raise OptionError("--map: give one map for all judges, or a map for each judge by name.")
    return named.get("", named)


def cuts_of(given: Sequence[str] | None) -> float | dict[str, float] | None:
    """Return the cuts of labels in the study of judges: one for all judges, or by judge.

    >>> cuts_of(["0.5"]), cuts_of(["llm=0.5"])
    (0.5, {'llm': 0.5})
    """
    if not given:
        return None
    named: dict[str, float] = {}
    for text in given:
        name, _, value = text.rpartition("=")
        number = _number(value)
        if number is None:
            raise OptionError(f"--cut {text}: {value!r} is not a number. Write 0.5, or llm=0.5.")
        named[name] = number
    if "" in named and len(named) > 1:
        raise OptionError("--cut: give one cut for all judges, or a cut for each judge by name.")
    return named.get("", named)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


@study(
    "Estimate the power of significance tests on scores like these.",
    "tare study power scores.csv --first A B --second C D --simulations 500",
    "tare study power scores.csv --first A --second D --effects without --test t --simulations 500",
    of=lambda: power_of_tests,
    without=("draws", "null_simulations"),
)
def power(
    scores: Annotated[Input, SCORES],
    *,
    first: Annotated[list[str], Several],
    second: Annotated[list[str], Several],
    tests: Annotated[list[str] | None, Parameter(name="--test", consume_multiple=True)] = None,
    effects: Names = None,
    side: Literal["both", "above", "below"] = "both",
    steps: Annotated[list[float] | None, Several] = None,
    simulations: int = 10_000,
    engine: EngineOptions,
    output: StudyOutput,
    **options: Given,
) -> None:
    """Estimate the power of significance tests on scores like these.

    One system scores like the first group, the other moves towards the second group. Shows how often each
    test rejects, with and without document effects, at cutoffs that reject a share alpha if there is no
    difference; and the size of each test on these scores.

    Parameters
    ----------
    first
        Systems from whose scores both start, such as machines.
    second
        Systems to whose scores one of them moves, such as people.
    tests
        Tests to try (default: t, welch, wilcoxon and sign).
    effects
        with, without or both: whether to model that some items are easier than others.
    items
        Items in each simulated experiment (default: as many as the table has).
    side
        Rejection on both sides, or only where the second group scores above, or below, the first.
    steps
        Mixtures of the two groups, between 0 and 1 (default: 0, 0.1, … 1).
    simulations
        Simulated experiments per step; five times as many where there is no difference.
    """
    chosen, kinds = tuple(tests or TESTS), tuple(effects or ("without", "with"))
    if steps:
        options["steps"] = steps
    with engine.opened() as place, Progress("simulating", len(chosen) * len(kinds)) as progress:
        found = power_of_tests(
            scores,
            first,
            second,
            tests=chosen,
            effects=kinds,
            side=side,
            simulations=simulations,
            null_simulations=5 * simulations,
            engine=place,
            progress=progress,
            **options,
        )
    output.show(found)


@study(
    "Show what chance correction does to text measures.",
    "tare study summaries rated.jsonl --samples 100 --draws 100",
    "tare study summaries rated.jsonl -m ROUGE-1 'ROUGE-2(refs=mean)' --draws 100 --save study",
    of=lambda: studies.summaries,
    without=("systems",),
)
def summaries(
    data: Input,
    *,
    human: Input | None = None,
    measures: MeasureList = None,
    system: Annotated[
        list[str] | None, Parameter(name=["--system", "-s"], consume_multiple=True)
    ] = None,
    expected: Annotated[
        list[Literal["exact", "sampled", "published", "best", "worst"]] | None, Several
    ] = None,
    output: StudyOutput,
    **options: Given,
) -> None:
    """Show what chance correction does to the correlation of text measures with people.

    Every measure, its V1 and its V2 against every dimension that people rated, over systems and over the
    summaries of a document; the improvement (PAI); and which one people agree with where original and
    normalised scores disagree. With a model, also on heterogeneous and homogeneous documents. The published
    tables are shown for comparison.

    Parameters
    ----------
    data
        Summaries with ratings in JSON lines: SummEval's documents (doc_id, src, ref_summs, sys_summs), or
        one text per line with 'scores'.
    human
        Score table of ratings, if the data contain none.
    measures
        Measures; V1 and V2 of each are added.
    system
        Systems to use (default: all).
    expected
        Expected values for V1 and V2; each measure uses those that it has (default: exact; for BERTScore
        also best, the published one).
    model
        Encoder of BERTScore: a folder, or an installed package that contains one.
    size
        Number of heterogeneous and of homogeneous documents; 0 for no such sets.
    """
    with Progress("studying", 100) as progress:
        found = studies.summaries(
            data,
            human,
            measures,
            systems=system or None,
            expected=expected or None,
            progress=progress,
            **options,
        )
    output.show(found)


@study(
    "Compare preferences with judgements by subtopic.",
    "tare study diversity qrels.diversity runs/*.run",
    "tare study diversity qrels.diversity --systems 30 --repeats 3 --save study",
    of=lambda: studies.diversity,
)
def diversity(
    subtopics: Input,
    *runs: Input,
    profile_file: InputFile | None = None,
    output: StudyOutput,
    **options: Given,
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
    with Progress("studying", None) as progress:
        found = studies.diversity(
            subtopics, list(runs) or None, profile_file=profile_file, progress=progress, **options
        )
    output.show(found)
