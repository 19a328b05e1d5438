"""The audit of model judges: labels by models against labels by people, and what follows for systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tare._data.findings import Finding
from tare._data.labels import LabelSet
from tare._data.pools import Pool
from tare._measures.defaults import MAIN_MEASURE
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._result import MultiTableResult, Row, Rows
from tare._tables import Column, PColumn, Table, interval_column
from tare._tables.table import Cell
from tare.errors import MismatchError, OptionError, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._named_tests import TESTS, TestOptions
from tare.stats._randomisation import check_draws
from tare.studies._judges_labels import (
    CommonPairs,
    Cuts,
    GroupsInput,
    LabelAudit,
    LabelSources,
    Maps,
    baseline_rows,
    ceiling_rows,
    common_pairs,
    corrected_over_judges,
    for_each_judge,
    groups_of,
    label_sets,
    mapped,
    reference_of,
    sources_of,
)
from tare.studies._judges_systems import (
    SHOWN,
    ConclusionAudit,
    agreement_sentences,
    assigned_systems,
    bias_rows,
    correlation_row,
    group_rows,
    measures_answers,
    paragraph,
    scored_systems,
)
from tare.studies._people_correlations import is_known

if TYPE_CHECKING:
    from tare._data.nuggets import AnswerSource
    from tare._measures.inputs import CandidatesInput, RunsInput

__all__ = [
    "JudgeStudy",
    "agreement",
    "base_rates",
    "binary",
    "ceiling",
    "conclusions",
    "confusion",
    "correlations",
    "flips",
    "groups",
    "judges",
    "leniency",
    "made",
    "queries",
    "ranks",
    "systems",
]


# Tables of the audit of judges: agreement on labels.


NAMES = {
    "kappa": "κ",
    "kappa_linear": "κ linear",
    "kappa_quadratic": "κ quadratic",
    "alpha": "α",
    "tau_b": "τ-b",
    "tau_ap": "τ_AP",
    "rbo": "RBO",
    "auc": "AUC",
    "labelled": "by judge",
    "human": "by people",
    "kappa_judge": "κ judge",
    "kappa_person": "κ person",
}


SHORT = ("grade", "cut", "rank_human", "rank_judge", "largest_change")


class ShortColumn(Column):
    """A column of grades or ranks in a table of the audit of judges, without trailing zeros."""

    def show(self, cell: Cell) -> str:
        """Return a number in its shortest form."""
        return f"{cell:g}" if isinstance(cell, float) and cell == cell else super().show(cell)


def _column(key: str, p: Sequence[str]) -> Column:
    kind = PColumn if key in p else ShortColumn if key in SHORT else Column
    return kind(_name(key), of=key)


def _name(key: str) -> str:
    return NAMES.get(key, key.replace("_", " "))


def made(
    rows: Rows,
    words: Sequence[str],
    numbers: Sequence[str],
    title: str,
    notes: Sequence[str],
    *,
    bounded: Sequence[str] = (),
    p: Sequence[str] = (),
) -> Table:
    """Return a table of the audit of judges; columns in `bounded` are followed by their interval."""
    columns = [Column(_name(word), align="left", of=word) for word in words]
    for number in numbers:
        columns.append(_column(number, p))
        if number in bounded:
            name = f"{_name(number)} interval"
            own = any(f"{number}_low" in row for row in rows)
            ends = (f"{number}_low", f"{number}_high") if own else ("low", "high")
            columns.append(interval_column(name, of=ends))
    return Table.of_rows(columns, rows, title=title, notes=notes)


def _intervals(study: JudgeStudy) -> str:
    return (
        f"{100 * study.confidence:g} % intervals, each on its own: percentiles of {study.draws:,} resamples "
        f"of the queries, seed {study.seed}."
    )


def agreement(study: JudgeStudy) -> Table:
    """Return agreement on labels, and judges without skill."""
    rows = study.rows_by_name["agreement"]
    notes = [
        f"κ and α: 1 is perfect, 0 is chance. By chance: the share equal of labels drawn with the same "
        f"frequencies. Leniency: mean judge − human label. {_intervals(study)}",
        "(constant): always the most frequent human label. (base rates): labels drawn with the human "
        "frequencies (expected values).",
    ]
    if any(r["scale"] != "same" for r in rows):
        notes.append(
            "Scale binary or other: labels on another scale than those of people; see the next tables."
        )
    nominal = not any("leniency" in r for r in rows)
    numbers: tuple[str, ...] = (
        "equal",
        "by_chance",
        "kappa",
        "kappa_linear",
        "kappa_quadratic",
        "alpha",
        "leniency",
    )
    if nominal:
        numbers = ("equal", "by_chance", "kappa", "alpha")
    return made(
        rows,
        ("judge", "scale"),
        ("pairs", "queries", "failed", *numbers),
        "Agreement of judges with people",
        [*notes, *study.notes],
        bounded=("kappa", "alpha", "leniency"),
    )


def ranks(study: JudgeStudy) -> Table:
    """Return the table of rank correlation and AUC of judges' labels, which need no common scale."""
    note = (
        f"τ-b of the labels of all pairs. AUC: the probability that a document with a human grade of at "
        f"least {study.rel:g} has a higher judge's label than another, ties by half. {_intervals(study)} For τ-b: "
        "± 1.96 standard deviations of the resamples at 95 %, cut to [−1, 1]."
    )
    return made(
        study.rows_by_name["ranks"],
        ("judge", "scale"),
        ("pairs", "tau_b", "auc"),
        "Rank agreement of labels",
        [note],
        bounded=("tau_b", "auc"),
    )


def binary(study: JudgeStudy) -> Table:
    """Return agreement on relevant or not."""
    note = (
        f"Relevant: a human grade of at least {study.rel:g}, and a judge's label of at least the cut. "
        f"{_intervals(study)}"
    )
    numbers = (
        "cut",
        "pairs",
        "relevant_human",
        "relevant_judge",
        "equal",
        "kappa",
        "sensitivity",
        "specificity",
        "precision",
    )
    return made(
        study.rows_by_name["binary"],
        ("judge",),
        numbers,
        "Agreement on relevant or not",
        [note],
        bounded=("kappa",),
    )


def leniency(study: JudgeStudy) -> Table:
    """Return leniency by human grade."""
    note = f"Mean judge − human label of the pairs with each human grade. {_intervals(study)}"
    return made(
        study.rows_by_name["leniency"],
        ("judge",),
        ("grade", "pairs", "leniency"),
        "Leniency by human grade",
        [note],
        bounded=("leniency",),
    )


def base_rates(study: JudgeStudy) -> Table:
    """Return the table of base rates: how often people and judges give each label."""
    note = "Share of each label among the common pairs, by people and by the judge."
    return made(
        study.rows_by_name["base_rates"],
        ("judge", "label"),
        ("share_human", "share_judge"),
        "Base rates",
        [note],
    )


def confusion(study: JudgeStudy) -> Table | None:
    """Return the table of confusion per judge and human label: the number of pairs with each judge's label."""
    rows = study.rows_by_name["confusion"]
    if not rows:
        return None
    said = list(dict.fromkeys(str(r["judge_label"]) for r in rows))
    said = sorted(said, key=_sortable)
    lines: dict[tuple[str, str], dict[str, int]] = {}
    for r in rows:
        lines.setdefault((r["judge"], str(r["human_label"])), {})[str(r["judge_label"])] = r[
            "count"
        ]
    columns: list[Column | str] = ["judge", "human label", *(Column(f"judge {s}") for s in said)]
    cells = [
        [judge, label, *(found.get(s) for s in said)] for (judge, label), found in lines.items()
    ]
    return Table.of(columns, cells, title="Labels of people and judges", notes=["Number of pairs."])


def _sortable(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label


def ceiling(study: JudgeStudy) -> Table:
    """Return the table of the agreement of judges and of other people with the first person."""
    note = (
        f"κ with the first person, on the pairs that all three labelled. {_intervals(study)} p: sign flips "
        "of whole queries, with Holm's correction over all judges and persons."
    )
    return made(
        study.rows_by_name["ceiling"],
        ("judge", "person", "against"),
        ("pairs", "kappa_judge", "kappa_person", "difference", "p_adjusted"),
        "Agreement between people, and with judges",
        [note],
        bounded=("difference",),
        p=("p_adjusted",),
    )


def queries(study: JudgeStudy) -> Table:
    """Return how the agreement varies between queries."""
    found: Rows = []
    for judge in study.judges:
        own = [r for r in study.rows_by_name["queries"] if r["judge"] == judge]
        if not own:
            continue
        equal = np.array([r["equal"] for r in own])
        kappa = np.array([r["kappa"] for r in own])
        known = kappa[~np.isnan(kappa)]
        worst = own[int(np.argmin(equal))]
        found.append(
            {
                "judge": judge,
                "queries": len(own),
                "lowest": float(equal.min()),
                "query": worst["query"],
                "median": float(np.median(equal)),
                "highest": float(equal.max()),
                "median_kappa": float(np.median(known)) if len(known) else None,
            }
        )
    note = "Share of equal labels on one query; `query` is the one with the lowest share."
    return made(
        found,
        ("judge", "query"),
        ("queries", "lowest", "median", "highest", "median_kappa"),
        "Agreement by query",
        [note],
    )


# Tables of the audit of judges: rankings of systems and conclusions about them.


MOST_FLIPS = 20


def correlations(study: JudgeStudy) -> Table:
    """Return correlations of the rankings of systems."""
    note = (
        f"Rankings of systems by people and by the judge. {100 * study.confidence:g} % intervals of the "
        f"expected coefficient for query sets of this size ({study.draws:,} resamples, seed {study.seed}); they "
        "need not contain the coefficient of the true rankings. Top agreement: share of the "
        "best systems by people that are also best by the judge."
    )
    return made(
        study.rows_by_name["correlations"],
        ("judge", "measure"),
        (*SHOWN, "largest_change", "top", "top_agreement", "top_by_chance"),
        "Rankings of systems",
        [note],
        bounded=SHOWN,
    )


def systems(study: JudgeStudy) -> Table:
    """Return the table of the mean of each system by labels of people and of judges."""
    note = (
        f"Bias: judge − human, with Student's {100 * study.confidence:g} % interval over queries, each on its "
        "own. p: Student's test, with Holm's correction over the systems of all judges."
    )
    return made(
        study.rows_by_name["systems"],
        ("judge", "measure", "system"),
        ("human", "labelled", "bias", "p_adjusted", "rank_human", "rank_judge"),
        "Systems by labels of people and judges",
        [note],
        bounded=("bias",),
        p=("p_adjusted",),
    )


def groups(study: JudgeStudy) -> Table:
    """Return the bias by an attribute of systems."""
    note = (
        "Difference: mean bias of the group minus that of the other systems. p by permuting the attribute "
        f"among the systems, {study.draws:,} draws, seed {study.seed}; p all: all groups at once. Adjusted: Holm's correction "
        "over the groups of all judges, and for p all over the judges."
    )
    return made(
        study.rows_by_name["groups"],
        ("judge", "measure", "attribute", "group"),
        ("systems", "bias", "difference", "p", "p_adjusted", "p_all", "p_all_adjusted"),
        "Bias by groups of systems",
        [note],
        p=("p", "p_adjusted", "p_all", "p_all_adjusted"),
    )


def conclusions(study: JudgeStudy) -> Table:
    """Return the table of the nine cells of conclusions from judges' and people's labels, and the yardsticks."""
    corrected = (
        "each pair on its own, without a correction"
        if study.correction == "none"
        else f"correction {study.correction} over the pairs of systems"
    )
    note = (
        f"Pairs of systems by what people and the judge conclude: better, no difference shown (none) or worse (test "
        f"{study.test}, {corrected}, α = {study.alpha:g}). Better none: better for people, none "
        "for the judge. Precision, recall and balanced accuracy of significant differences with the same "
        "sign, people as the reference."
    )
    more = (
        f"Two halves: the reference on one random half of the queries, the other labels on the other half; "
        f"means of {study.splits:,} splits, seed {study.seed}. Halves have less power than all queries, so "
        "compare the two lines of halves with each other."
    )
    cells = [f"{h}_{j}" for h in ("better", "none", "worse") for j in ("better", "none", "worse")]
    return made(
        study.rows_by_name["conclusions"],
        ("judge", "measure", "comparison"),
        ("pairs", *cells, "precision", "recall", "balanced"),
        "Conclusions about pairs of systems",
        [note, more],
    )


def flips(study: JudgeStudy) -> Table:
    """Return the pairs of systems whose difference changes its sign from people to judge and is significant for one side."""
    rows = [r for r in study.rows_by_name["pairs"] if r["flips"]]
    rows.sort(key=lambda r: (not r["reversed"], max(r["p_human"], r["p_judge"])))
    notes = ["The difference has opposite signs, and is significant for people, the judge or both."]
    if len(rows) > MOST_FLIPS:
        notes.append(f"The first {MOST_FLIPS} of {len(rows):,}; the rows hold all.")
    return made(
        rows[:MOST_FLIPS],
        ("judge", "measure", "system", "against"),
        ("difference_human", "p_human", "difference_judge", "p_judge"),
        "Pairs of systems that flip",
        notes,
        p=("p_human", "p_judge"),
    )


# The result of the audit of judges.


MOST_REPORTED = 6  # judges in a report


@dataclass(frozen=True, eq=False, repr=False)
class JudgeStudy(MultiTableResult):
    """Labels by judges next to labels by people: agreement, systems and conclusions.

    Attributes
    ----------
    rows_by_name : dict of str to list of dict
        The rows of all tables and charts; `all_rows()` returns those that are not empty.
    judges, people : tuple of str
        The names of the label sets.
    rel : float
        The lowest relevant grade.
    measures : tuple of str
        The measures of systems; none without runs.
    test, correction : str
        How differences between systems are tested.
    alpha : float
        Significance level.
    draws, splits : int
        Number of resamples of queries, and of random halves.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Seed of random draws.
    findings : tuple of Finding
        Properties of the labels that readers should know, such as labels that could not be read.
    kind : str
        What the labels are: "grades", "ratings", "preferences" or "units".

    Examples
    --------
    >>> import tare
    >>> human = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(6)} for q in range(8)}
    >>> judge = {q: {d: min(2, g + (d == "d1")) for d, g in docs.items()} for q, docs in human.items()}
    >>> found = tare.studies.judges(human, {"llm": judge}, draws=200)
    >>> found.judges, found.people
    (('llm',), ('labels',))
    >>> round(found.rows()[0]["kappa"], 3)
    0.844
    """

    rows_by_name: dict[str, Rows]
    judges: tuple[str, ...]
    people: tuple[str, ...]
    kind: str
    rel: float
    measures: tuple[str, ...]
    test: str
    correction: str
    alpha: float
    draws: int
    splits: int
    confidence: float
    seed: int
    findings: tuple[Finding, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The findings as sentences."""
        return tuple(str(f) for f in self.findings)

    def conclusion(self, judge: str | None = None) -> str:
        """Return the paragraph about one judge.

        Parameters
        ----------
        judge : str, optional
            By default the first one.

        Returns
        -------
        str
            What may be concluded, with the numbers.
        """
        rows = self.rows_by_name["paragraphs"]
        return str(next(r["text"] for r in rows if judge in (None, r["judge"])))

    @property
    def shortlist(self) -> tuple[str, ...]:
        """The judges that a report is about: all, or of many those with the highest κ."""
        if len(self.judges) <= MOST_REPORTED:
            return self.judges
        rows = self.rows_by_name["agreement"]
        kappa = {r["judge"]: float(r["kappa"]) for r in rows if is_known(r.get("kappa"))}
        best = sorted(self.judges, key=lambda judge: -kappa.get(judge, -2.0))
        return tuple(best[:MOST_REPORTED])

    def headlines(self) -> list[str]:
        """Return the paragraph about each judge; of many judges, those with the highest κ."""
        return [self.conclusion(judge) for judge in self.judges if judge in self.shortlist]

    def answer(self) -> str:
        """Return how often the first judge and people agree, and whether that is above chance."""
        return " ".join(agreement_sentences(self.judges[0], self.rows_by_name, self.alpha)[:2])

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows of all tables and charts by name."""
        return {name: rows for name, rows in self.rows_by_name.items() if rows}

    def facts(self) -> Row:
        """Return the label sets, the options and the findings."""
        names = (
            "judges",
            "people",
            "kind",
            "rel",
            "measures",
            "test",
            "correction",
            "alpha",
            "draws",
            "splits",
            "confidence",
            "seed",
        )
        return {name: getattr(self, name) for name in names} | {"notes": list(self.notes)}

    def tables(self) -> dict[str, Table]:
        """Return the tables: agreement, ranks, binary, leniency, people, systems and conclusions."""
        made = {
            "agreement": agreement(self),
            "ranks": ranks(self),
            "binary": binary(self),
            "leniency": leniency(self),
            "base_rates": base_rates(self),
            "confusion": confusion(self),
            "ceiling": ceiling(self),
            "queries": queries(self),
            "correlations": correlations(self),
            "systems": systems(self),
            "groups": groups(self),
            "conclusions": conclusions(self),
            "flips": flips(self),
        }
        return {name: table for name, table in made.items() if table is not None and table.rows}


# The audit of judges: labels by models against labels by people, and what follows for systems.


MOST_SPLITS = 10_000
TABLES = (
    "agreement",
    "ranks",
    "binary",
    "leniency",
    "base_rates",
    "confusion",
    "ceiling",
    "queries",
    "correlations",
    "systems",
    "scores",
    "groups",
    "conclusions",
    "pairs",
    "paragraphs",
)


def judges(
    human: LabelSources,
    judges: LabelSources = (),
    runs: RunsInput | None = None,
    measures: str | Measure | Sequence[str | Measure] = MAIN_MEASURE,
    *,
    nuggets: AnswerSource | None = None,
    people: Sequence[str] = (),
    rel: float = 1,
    maps: Maps | None = None,
    cut: Cuts | None = None,
    groups: GroupsInput | None = None,
    group: str | None = None,
    top: int = 5,
    test: str = "t",
    correction: str = "none",
    alpha: float = 0.05,
    splits: int = 100,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    draws: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
) -> JudgeStudy:
    """Audit judges: compare labels by models with labels by people, on labels, systems and conclusions.

    Labels that could not be read are counted and left out; they are never 0. Intervals resample the
    queries, because the pairs of one query are not independent. Claims about judges rest on p-values that
    Holm's correction adjusts over all judges; intervals are each on their own.

    Parameters
    ----------
    human : path, data frame, dict, Qrels or several of them
        Labels by people. With several people, the first is the reference, completed by the others, and
        the study shows how well people agree. A wide table may also hold the judges.
    judges : path, data frame, dict, Qrels, several of them, or {name: source}
        Labels by the judges: relevance grades, ratings, preferences, content units or assignments of
        nuggets.
    runs : optional
        Runs to score with each label set: what `tare.read_runs` takes.
    measures : str, Measure or sequence of them
        The measures of the runs. Measures of nuggets, such as NuggetAll, score the answers of the systems
        that the labels are about; they need no runs.
    nuggets : path, data frame or list of dict, optional
        Lists of nuggets with their importance, if the labels are assignments without it.
    people : sequence of str
        The columns or coders that are people, if one source holds people and judges. By default names
        such as human, human2, people, gold, nist, expert or assessor_1.
    rel : float
        The lowest grade that is relevant, for binary agreement and AUC.
    maps : mapping, optional
        Grades for the labels of judges on another scale: {label: grade}, or {judge: {label: grade}}.
    cut : float or mapping, optional
        The lowest relevant label of judges on another scale; one number, or {judge: number}.
    groups : mapping, path or data frame, optional
        An attribute of each system: {system: value}, or a table with the columns system and `group`.
    group : str, optional
        The name of the attribute: does the bias of the judge differ between its values?
    top : int
        Number of best systems whose agreement is shown.
    test, correction : str
        The test and correction that decide which systems differ, for people and judges alike; by default
        the paired t-test of each pair of systems without a correction. A correction is over the pairs of
        systems of one measure and label set.
    alpha : float
        Significance level of this test, and of claims about judges.
    splits : int
        Number of random splits of the queries into halves.
    pool, corpus, candidates : optional
        As in `tare.evaluate`; with one of them, expected and net scores are also studied.
    draws : int
        Number of resamples of the queries.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Seed of random draws.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    progress : callable, optional
        Called with a short description of each step.

    Returns
    -------
    JudgeStudy
        Agreement on labels, correlations of systems, and conclusions.

    Raises
    ------
    MismatchError
        If label sets have no pair in common, or people gave a single label.
    FormatError
        If a file cannot be read, or one source gives a pair two different labels.
    OptionError
        If an option is unknown or out of range.

    Examples
    --------
    >>> human = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(6)} for q in range(8)}
    >>> judge = {q: {d: min(2, g + (d == "d1")) for d, g in docs.items()} for q, docs in human.items()}
    >>> found = judges(human, {"llm": judge}, draws=200)
    >>> round(found.rows()[0]["kappa"], 3), round(found.rows()[0]["leniency"], 3)
    (0.844, 0.104)
    """
    check_draws(draws, seed)
    choose("test", test, tuple(TESTS))
    choose("correction", correction, CORRECTIONS)
    if TESTS[test].family_wise and correction != "none":
        raise OptionError(
            f"test={test!r} already controls the family-wise error rate. Remove "
            f"correction={correction!r}."
        )
    if not 0 < alpha < 1 or not 0 < confidence < 1:
        raise OptionError(
            f"alpha={alpha} or confidence={confidence} is not valid. Both must lie between 0 and 1."
        )
    if not 1 <= splits <= MOST_SPLITS or top < 1:
        raise OptionError(
            f"splits={splits} or top={top} is not valid: splits lie between 1 and {MOST_SPLITS:,}, and top "
            "is 1 or more."
        )
    measures = parse_all(measures)
    sets = label_sets(sources_of(human), sources_of(judges), people)
    reference = reference_of(sets.people)
    wanted, cuts = (
        for_each_judge(maps, sets.judges, "maps"),
        for_each_judge(cut, sets.judges, "cut"),
    )
    chosen: list[LabelSet] = []
    aligned: list[CommonPairs] = []
    for judge in sets.judges:
        pairs = common_pairs(reference, judge)
        if judge.name in wanted and (
            pairs.scale != "same" or isinstance(next(iter(maps or {}), None), str)
        ):
            judge = mapped(judge, wanted[judge.name])
            pairs = common_pairs(reference, judge, same=True)
        if len(pairs.first_levels) < 2:
            raise MismatchError(
                f"the {len(pairs):,} labels of {reference.name} that {judge.name} shares are all "
                f"{pairs.first_levels[0]:g}, so κ is undefined. Agreement needs two or more labels."
            )
        chosen.append(judge)
        aligned.append(pairs)
    rows: dict[str, Rows] = {name: [] for name in TABLES}
    audit = LabelAudit(draws, confidence, seed)
    notify = progress or (lambda _: None)
    for judge, pairs in zip(chosen, aligned, strict=True):
        notify(f"labels of {judge.name}")
        row, lenient = audit.agreement(pairs)
        rows["agreement"].append(row | {"failed": judge.failures})
        rows["leniency"] += lenient
        rows["ranks"] += [r for r in (audit.ranks(pairs, rel),) if r]
        limit = _cut(pairs, rel, cuts.get(judge.name))
        if limit is not None:
            rows["binary"] += [r for r in (audit.binary(pairs, rel, limit),) if r]
        rows["base_rates"] += audit.base_rates(pairs)
        rows["confusion"] += audit.confusion(pairs)
        rows["queries"] += audit.queries(pairs)
    rows["agreement"] += baseline_rows(reference)
    if len(sets.people) > 1:
        rows["ceiling"] = ceiling_rows(sets.people, chosen, audit)
    names: tuple[str, ...] = ()
    assigned = runs is None and measures_answers(measures)
    if nuggets is not None and not assigned:
        raise OptionError("nuggets belong to measures of answers; name one, such as NuggetVital.")
    if runs is not None or assigned:
        if not assigned and reference.kind != "grades":
            raise OptionError(
                f"runs are scored with grades, and these labels are {reference.kind}."
            )
        options = TestOptions(seed=seed, alpha=alpha, threads=threads)
        if assigned:
            sources = (*sources_of(human), *sources_of(judges))
            scored = assigned_systems(reference, chosen, measures, sources, nuggets)
        else:
            assert runs is not None
            scored = scored_systems(
                reference, chosen, runs, measures, pool=pool, corpus=corpus, candidates=candidates
            )
        names, rows["scores"] = scored.measures, scored.score_rows()
        decided = ConclusionAudit(test, correction, options, splits)
        attributes = None if groups is None else groups_of(groups, group, scored.human.systems)
        for judge in chosen:
            for measure in names:
                notify(f"systems by {judge.name}, {measure}")
                pair = scored.pair(judge.name, measure)
                rows["correlations"].append(
                    correlation_row(
                        pair,
                        top=top,
                        draws=draws,
                        confidence=confidence,
                        seed=seed,
                        threads=threads,
                    )
                )
                rows["systems"] += bias_rows(pair, confidence)
                if attributes is not None:
                    rows["groups"] += group_rows(pair, *attributes, draws=draws, seed=seed)
                found, per_pair = decided.rows(pair)
                rows["conclusions"] += found
                rows["pairs"] += per_pair
    elif groups is not None:
        raise OptionError("groups are attributes of systems; give runs as well.")
    corrected_over_judges(rows)
    rows["paragraphs"] = [
        {"judge": j.name, "text": paragraph(j.name, rows, alpha, confidence)} for j in chosen
    ]
    return JudgeStudy(
        rows,
        tuple(j.name for j in chosen),
        tuple(p.name for p in sets.people),
        reference.kind,
        rel,
        names,
        test,
        correction,
        alpha,
        draws,
        splits,
        confidence,
        seed,
        (*sets.findings, *_findings(reference, chosen, aligned, rows)),
    )


def _cut(pairs: CommonPairs, rel: float, given: float | None) -> float | None:
    """Return the lowest relevant label of the judge; None if its scale is unknown."""
    if given is not None:
        return given
    if pairs.scale == "same":
        return rel
    return float(pairs.second_levels.max()) if pairs.scale == "binary" else None


def _findings(
    reference: LabelSet,
    judges: Sequence[LabelSet],
    aligned: Sequence[CommonPairs],
    rows: dict[str, Rows],
) -> list[Finding]:
    """Return the findings of the audit: what readers should know about the label sets of people and judges."""
    made = []
    for judge, pairs in zip(judges, aligned, strict=True):
        name = judge.name
        missing = len(reference) - len(pairs)
        if missing:
            made.append(
                Finding(
                    "pairs without a label",
                    f"{name}: {missing:,} of {len(reference):,} pairs labelled by people have no label and were left out of the agreement.",
                    missing,
                )
            )
        if pairs.scale == "same" and pairs.outside:
            made.append(
                Finding(
                    "labels outside the scale",
                    f"{name}: {pairs.outside:,} labels are not on the scale of people; they count as disagreement.",
                    pairs.outside,
                )
            )
        if len(pairs.second_levels) == 1:
            made.append(
                Finding(
                    "one label only",
                    f"{name}: all {len(pairs):,} labels are {pairs.second_levels[0]:g}; κ is 0, and τ-b is undefined.",
                )
            )
        if len(pairs.queries) == 1:
            made.append(
                Finding(
                    "one query",
                    f"{name}: one query in common with people, so there are no intervals.",
                )
            )
        if pairs.scale == "other" and not any(r["judge"] == name for r in rows["binary"]):
            made.append(
                Finding(
                    "another scale",
                    f"{name}: labels on another scale; name the lowest relevant label (cut) or a map to grades for κ.",
                    severity="note",
                )
            )
    return made
