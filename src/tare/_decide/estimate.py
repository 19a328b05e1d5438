"""`tare.estimate`: true values from few human labels and many labels of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tare._choices import SystemNames
from tare._data.findings import Finding, listed
from tare._decide.estimate_labels import (
    MatchedLabels,
    aligned_tables,
    bounds_of,
    check_range,
    cluster_fact,
    design_of,
    document_sample,
    match_labels,
    qrels_of,
    query_samples,
    ranked_labels,
    refuse_cluster,
    refuse_not_linear,
    with_inclusion,
)
from tare._decide.estimates import LEAST_CLUSTERS, Estimates
from tare._decide.judge_corrected import (
    METHODS,
    TARGETS,
    DocumentSample,
    Estimator,
    Places,
    QuerySample,
    balance_of,
    balance_of_documents,
)
from tare._measures.evaluate_rankings import evaluate
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare._signature import Signature, tare_version
from tare._tables import p_stated
from tare.errors import MismatchError, OptionError, check_share, choose
from tare.stats._corrections import adjust
from tare.stats._randomisation import check_draws

if TYPE_CHECKING:
    import polars as pl

    from tare._decide.estimate_labels import RankedLabels
    from tare._measures.clusters import Clusters
    from tare._measures.inputs import CandidatesInput, GradesInput, MeasuresInput, RunsInput

__all__ = ["FEW", "document_balance", "estimate", "estimate_findings", "estimate_tables"]


# What a reader should know about the labels behind an estimate.


EQUAL = 1e-6  # difference of probabilities that are the same

FEW = 10  # queries with human labels
UNBALANCED = 0.05  # p of the balance, below which it is reported as a warning


def estimate_findings(
    estimators: Sequence[Estimator], systems: Sequence[str], seed: int
) -> list[Finding]:
    """Return an estimate's findings about the number of human labels and the worth of the judge."""
    found = []
    sample = estimators[0].sample
    if sample.n < FEW:
        message = f"only {sample.n} queries have human labels; intervals from fewer than {FEW} are not reliable."
        found.append(Finding("few human labels", message, sample.n))
    if isinstance(sample, QuerySample):
        labelled, others = (len(sizes) for sizes in sample.cluster_sizes)
        if sample.clusters is not None and labelled < LEAST_CLUSTERS:
            message = (
                f"only {labelled} clusters have human labels; differences of systems are tested from "
                f"{LEAST_CLUSTERS} labelled clusters on."
            )
            found.append(Finding("few human labels", message, labelled))
        if not sample.judged:
            unit = "query" if sample.clusters is None else "cluster"
            message = (
                f"people labelled every {unit} of the judge, so the estimates use people's labels only."
                if others == 0
                else f"the judge labelled one {unit} more than people, which is too few to use its labels."
            )
            found.append(Finding("no other queries", message))
            return found
    found += _balance(estimators, seed)
    for estimator in estimators:
        if estimator.people_only:
            found.append(_people_only(estimator, systems))
        elif estimator.weight is None and float(estimator.fit.weight) == 0:
            message = (
                f"{estimator.measure}: λ = 0. The judge's labels do not predict people's here; they are worth "
                "nothing, and the estimates use people's labels only."
            )
            found.append(Finding("worthless judge", message))
    return found


def _balance(estimators: Sequence[Estimator], seed: int) -> list[Finding]:
    """Compare the judge's scores of labelled and other queries: was the sample drawn at random?"""
    tested = [
        (estimator.measure, balance, estimator.sample)
        for estimator in estimators
        if isinstance(estimator.sample, QuerySample)
        and (balance := balance_of(estimator.sample, seed)) is not None
    ]
    if not tested:
        return []
    _, first, sample = tested[0]
    drawn, others = (f"{len(sizes):,}" for sizes in sample.cluster_sizes)
    unit = "queries" if sample.clusters is None else "clusters"
    means = [
        f"{measure} {found.labelled:.3f} and {found.others:.3f} ({p_stated(found.p)})"
        for measure, found, _ in tested
    ]
    tried = f"all {first.samples:,}" if first.exact else f"{first.samples:,}"
    message = (
        f"Sample: the judge's mean scores of the {drawn} labelled and the {others} other {unit}, averaged over "
        f"systems: {', '.join(means)}; p is the share of {tried} random draws of {drawn} {unit} whose means "
        "are at least as far apart"
    )
    adjusted = adjust([found.p for _, found, _ in tested], "holm")
    corrected = f" after Holm's correction for {len(tested)} measures" if len(tested) > 1 else ""
    apart = [
        f"{measure} ({p_stated(p)})"
        for (measure, _, _), p in zip(tested, adjusted.tolist(), strict=True)
        if p <= UNBALANCED
    ]
    if not apart:
        message += f". No gap is significant{corrected}, which does not show that the sample was drawn at random"
        return [Finding("balance of the sample", message, severity="note")]
    message += (
        f". Random draws are seldom as far apart by {', '.join(apart)}{corrected}: find out how the {unit} "
        "for people were chosen"
    )
    return [Finding("unbalanced sample", message, len(apart))]


def document_balance(
    ranked: RankedLabels, pairs: pl.DataFrame, places: Places, seed: int
) -> list[Finding]:
    """Compare the judge's grades of labelled and other documents, if all of a query were equally likely."""
    share = pairs["drawn"] / pairs["frame"]
    equal = (pairs["inclusion"] - share).abs().max() <= EQUAL  # type: ignore[operator]
    if not (equal or pairs["inclusion"].n_unique() == 1):
        return []
    labelled = np.zeros(len(ranked.query), dtype=np.bool_)
    labelled[places] = True
    found = balance_of_documents(ranked.query, ranked.guesses, labelled, seed)
    if found is None:
        return []
    message = (
        f"Sample: the judge's mean grade is {found.labelled:.3f} for the documents that people labelled and "
        f"{found.others:.3f} for the others of the same queries ({p_stated(found.p)}: how often {found.samples:,} "
        "random draws within the queries are at least as far apart). "
    )
    if found.p > UNBALANCED:
        message += "This does not show that the sample was drawn at random"
        return [Finding("balance of the sample", message, severity="note")]
    message += (
        "Random draws are seldom as far apart: find out how the documents for people were chosen"
    )
    return [Finding("unbalanced sample", message)]


def _people_only(estimator: Estimator, systems: Sequence[str]) -> Finding:
    """Say why the judge is not used."""
    reasons = estimator.people_only
    low, high = estimator.bounds or (0.0, 1.0)
    outcomes = {word for why in reasons.values() for word in ("success", "failure") if word in why}
    if outcomes or estimator.binary:
        what = "failures" if outcomes == {"failure"} else "successes"
        why = f"too few labelled {what} to use the judge"
    else:
        why = f"the judge is not used, because it takes estimates out of the range {low:g} to {high:g}"
    message = f"{estimator.measure}: {why}. The estimates of all systems use people's labels only"
    examples = [f"{systems[s]}: {reason}" for s, reason in reasons.items()]
    return Finding("too few labels", message, len(reasons), examples=listed(examples))


# Estimates from two score tables: the same systems under people's labels and under the judge's.


def estimate_tables(
    human: Any,
    judge: Any,
    measures: MeasuresInput | None,
    design: str,
    cluster: Clusters | None,
    range: tuple[float, float] | None,
    settings: dict[str, Any],
    extra: dict[str, Any],
) -> Estimates:
    """Return the estimates of two score tables: the queries design."""
    if design == "documents":
        raise OptionError("the documents design needs labels and runs.")
    if settings["target"] == "these-queries":
        raise OptionError("the target these-queries needs labels and runs.")
    tables = [x if isinstance(x, Scores) else Scores.load(x) for x in (human, judge)]
    if measures is not None:
        tables = [table.select(measures=parse_all(measures)) for table in tables]
    mine, theirs, both, alone, findings = aligned_tables(tables[0], tables[1])
    if len(both) < 3:
        raise MismatchError(
            f"{len(both)} items have scores of people and judge; at least 3 are needed."
        )
    check_range(mine.measures, range)
    samples = query_samples(mine, theirs, both, alone, cluster)
    names = mine.measure_names
    estimators = tuple(
        Estimator(str(measure), sample, bounds=bounds_of(measure, sample, range), **settings)
        for measure, sample in zip(mine.measures, samples, strict=True)
    )
    weight = "estimated" if settings["weight"] is None else settings["weight"]
    facts = {"estimate": settings["method"], "design": "queries", "lambda": weight}
    facts |= cluster_fact(cluster)
    signatures = tuple(
        Signature.of(n, facts | {"n": f"{len(both)}+{len(alone)}", "tare": tare_version()})
        for n in names
    )
    all_findings = (
        *findings,
        *estimate_findings(estimators, mine.systems, extra["seed"]),
    )
    return Estimates(
        mine.systems,
        (*both, *alone),
        estimators,
        "queries",
        settings["method"],
        settings["target"],
        "",
        **extra,
        signatures=signatures,
        findings=all_findings,
    )


Samples = Sequence[QuerySample | DocumentSample]


def estimate(
    human: GradesInput | Scores,
    judge: GradesInput | Scores,
    runs: RunsInput | None = None,
    measures: MeasuresInput | None = None,
    baseline: str | None = None,
    *,
    method: Literal["t", "z", "bootstrap"] = "t",
    design: Literal["auto", "queries", "documents"] = "auto",
    weight: float | None = None,
    target: Literal["all-queries", "these-queries"] = "all-queries",
    inclusion: float | str | None = None,
    sampling: Literal["auto", "fixed", "poisson"] = "auto",
    cluster: Clusters | None = None,
    range: tuple[float, float] | None = None,
    confidence: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
    pool: str | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    system_names: SystemNames = "file",
    progress: Callable[[str], None] | None = None,
) -> Estimates:
    """Estimate true values from people's labels of a sample and a model's labels of everything.

    The model's labels lower the error as far as they agree with people's, and their bias is removed
    (prediction-powered inference). Where people labelled fewer than five successes or failures of a system
    by a measure of successes, such as Success@10, the estimates of that measure use people's labels only,
    and a finding says so. People labelled either all of some queries, drawn at random, or some
    documents of every query, drawn with known probability.

    Parameters
    ----------
    human, judge
        Labels by people and by the model: what `tare.read_qrels` takes. Without runs, score tables of
        the same systems under both (`Scores`).
    runs
        One or several runs: what `tare.read_runs` takes.
    measures
        One or several measures. If people labelled some documents of every query: P, CG, DCG, SDCG and
        RBP.
    baseline
        Show the differences from this system. By default, those of all pairs.
    method : {"t", "z", "bootstrap"}
        "t": Student's interval with the jackknife variance and n − 1 degrees of freedom; for measures with
        bounds in Wilson's form, which stays within them. "z": the normal interval of the formula.
        "bootstrap": over queries, studentised. Intervals by "z" and "bootstrap" are cut at the bounds.
    design : {"auto", "queries", "documents"}
        "queries": people labelled all of some queries. "documents": people labelled some documents of
        every query. "auto" decides by the labels.
    weight
        λ, the weight of the judge's labels: 0 uses people's labels only, 1 is the estimate without
        tuning. By default it is estimated, one for all systems.
    target : {"all-queries", "these-queries"}
        "all-queries": the queries are a sample of those that matter. "these-queries": only these
        queries matter, and the error is that of drawing documents (documents design).
    inclusion
        The probability with which a document was drawn for labelling: one number, or the name of a
        column of people's table. By default a column named inclusion, probability or pi, or else the
        share of the judge's documents that people labelled in each query.
    sampling : {"auto", "fixed", "poisson"}
        How documents were drawn, for the target "these-queries": "fixed" is a fixed number without
        replacement within each query, "poisson" each document independently.
    cluster
        The cluster of each query, such as the session it belongs to: an attribute of score tables,
        {query: cluster}, or a path or frame with the columns query and cluster. People labelled whole
        clusters, drawn at random, and errors are those of clusters (queries design, method "t").
    range
        The lowest and the highest value that a measure can have whose definition gives none, such as a
        rating from 1 to 5. Intervals stay within the bounds of a measure.
    confidence
        Confidence level of the intervals.
    draws, seed
        Number of bootstrap draws, and their seed.
    pool, corpus, candidates
        What could have been ranked, for Net and similar measures, as for `tare.evaluate`.
    system_names
        Name the systems of TREC files by "file" or by "tag".
    progress
        Called with the name of each run before it is read.

    Returns
    -------
    Estimates
        For each system the estimate, people only, judge only with its bias, λ and what the judge is
        worth; and the differences between systems.

    Raises
    ------
    MismatchError
        If the labels do not fit together.
    MeasureError
        If a measure cannot be estimated with this design or method.

    References
    ----------
    Angelopoulos, Duchi, Zrnic (2023). PPI++: Efficient prediction-powered inference. Särndal, Swensson,
    Wretman (1992). Model assisted survey sampling. Wilson (1927). Probable inference, the law of
    succession, and statistical inference. Kish (1965). Survey sampling.

    Examples
    --------
    >>> import tare
    >>> world = tare.simulate(queries=200, documents=30, seed=3)
    >>> truth = world.qrels.to_dict()
    >>> people = {query: truth[query] for query in list(truth)[::5]}
    >>> judge = {q: {d: min(2, g + (int(d[1:]) % 4 == 0)) for d, g in docs.items()}
    ...          for q, docs in truth.items()}
    >>> found = tare.estimate(people, judge, world.runs, "P@10")
    >>> row = found.rows()[0]
    >>> row["system"], row["judge"] > row["high"], row["n_eff"] > row["n"]
    ('lexical', True, True)
    """
    _check(method, target, weight, confidence, draws, seed)
    settings: dict[str, Any] = {"method": method, "weight": weight, "target": target}
    extra: dict[str, Any] = {
        "confidence": confidence,
        "baseline": baseline,
        "draws": draws,
        "seed": seed,
    }
    if runs is None:
        refuse_cluster(cluster, design, method)
        return estimate_tables(human, judge, measures, design, cluster, range, settings, extra)
    if measures is None:
        raise OptionError("no measures given: call estimate(human, judge, runs, measures).")
    wanted = parse_all(measures)
    check_range(wanted, range)
    labels = match_labels(human, judge, inclusion if isinstance(inclusion, str) else None)
    chosen = design_of(labels, design, inclusion)
    refuse_cluster(cluster, chosen, method)
    if target == "these-queries" and chosen == "queries":
        raise OptionError(
            "the target these-queries needs the documents design. If people labelled whole queries, the "
            "other queries are a sample as well."
        )
    both, alone = labels.queries()
    pairs, drawn_as = labels.common, ""
    samples: Samples
    if chosen == "documents":
        for measure in wanted:
            refuse_not_linear(measure)
        pairs, drawn_as = with_inclusion(labels, inclusion, sampling)
        both, alone = [*both, *alone], []
    elif inclusion is not None or sampling != "auto":
        raise OptionError("inclusion and sampling belong to the documents design.")
    if len(both) < 3:
        raise MismatchError(
            f"people labelled {len(both)} queries that the judge labelled as well; an estimate needs at "
            "least 3, and 30 or more to be of use."
        )
    findings: tuple[Finding, ...] = ()
    if chosen == "queries":
        pools: dict[str, Any] = {"pool": pool, "corpus": corpus, "candidates": candidates}
        pools["system_names"] = system_names
        scores = [
            evaluate(qrels_of(table, name, of), runs, wanted, seed=seed, progress=step, **pools)
            for table, name, of, step in (
                (labels.human, labels.names[0], both, progress),
                (labels.judge, labels.names[1], None, None),
            )
        ]
        samples = query_samples(scores[0], scores[1], both, alone, cluster)
        systems = scores[0].systems
        findings = tuple(f for f in scores[0].findings if f.kind == "pool")
    else:
        ranked = ranked_labels(labels, runs, system_names, progress)
        places = _places(labels, pairs)
        systems, both = ranked.systems, list(ranked.queries)
        how = drawn_as if target == "these-queries" else None
        samples = [document_sample(ranked, m, pairs, places, weight, how) for m in wanted]
        findings = tuple(document_balance(ranked, pairs, places, seed))
    estimators = tuple(
        Estimator(str(m), sample, bounds=bounds_of(m, sample, range), **settings)
        for m, sample in zip(wanted, samples, strict=True)
    )
    signatures = tuple(
        _signature(str(m), chosen, settings, len(both), len(alone), labels, cluster) for m in wanted
    )
    all_findings = (
        *labels.findings,
        *findings,
        *estimate_findings(estimators, systems, seed),
    )
    return Estimates(
        systems,
        (*both, *alone),
        estimators,
        chosen,
        method,
        target,
        drawn_as,
        **extra,
        signatures=signatures,
        findings=all_findings,
    )


def _check(
    method: str, target: str, weight: float | None, confidence: float, draws: int, seed: int
) -> None:
    choose("method", method, METHODS)
    choose("target", target, TARGETS)
    if weight is not None and not 0 <= weight <= 1:
        raise OptionError(f"weight={weight} is out of range; it must lie between 0 and 1.")
    if target == "these-queries" and method == "bootstrap":
        raise OptionError(
            "the bootstrap is for queries that are a sample; the target these-queries needs t or z."
        )
    check_share("confidence", confidence)
    check_draws(draws, seed)


def _places(labels: MatchedLabels, pairs: pl.DataFrame) -> Any:
    """Return the place of each pair of query and document, labelled by people and judge, among the judge's documents."""
    index = labels.judge.select("query", "document").with_row_index("place")
    found = pairs.select("query", "document").join(
        index, on=["query", "document"], how="left", maintain_order="left"
    )
    return found["place"].to_numpy().astype(np.int64)


def _signature(
    measure: str,
    design: str,
    settings: dict[str, Any],
    n: int,
    others: int,
    labels: MatchedLabels,
    cluster: Clusters | None,
) -> Signature:
    weight = settings["weight"]
    digests = [
        qrels_of(table, name).digest
        for table, name in zip((labels.human, labels.judge), labels.names, strict=True)
    ]
    return Signature.of(
        measure,
        {
            "estimate": settings["method"],
            "design": design,
            "target": settings["target"],
            "lambda": "estimated" if weight is None else weight,
            **cluster_fact(cluster),
            "human": digests[0],
            "judge": digests[1],
            "n": f"{n}+{others}",
            "tare": tare_version(),
        },
    )
