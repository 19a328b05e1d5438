"""The audit of judges: labels by models against labels by people, and what follows for systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tare._data.findings import Finding
from tare._data.labels import LabelSet
from tare._data.pools import Pool
from tare._measures.defaults import MAIN_MEASURE
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._result import Rows
from tare.errors import MismatchError, OptionError, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._named_tests import TESTS, TestOptions
from tare.stats._randomisation import check_draws
from tare.studies._judges.agreement import LabelAudit, baseline_rows, ceiling_rows
from tare.studies._judges.assigned_systems import assigned_systems, measures_answers
from tare.studies._judges.conclusions import paragraph
from tare.studies._judges.corrections import corrected_over_judges
from tare.studies._judges.data import (
    CommonPairs,
    common_pairs,
    label_sets,
    mapped,
    reference_of,
)
from tare.studies._judges.options import (
    Cuts,
    GroupsInput,
    LabelSources,
    Maps,
    for_each_judge,
    groups_of,
    sources_of,
)
from tare.studies._judges.result import JudgeStudy
from tare.studies._judges.significance import ConclusionAudit
from tare.studies._judges.systems import bias_rows, correlation_row, group_rows, scored_systems

if TYPE_CHECKING:
    from tare._data.nuggets import AnswerSource
    from tare._measures.inputs import CandidatesInput, RunsInput

__all__ = ["judges"]

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
    """Return what readers should know about the label sets."""
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
