"""`tare.estimate`: true values from few human labels and many labels of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tare._choices import SystemNames
from tare._data.findings import Finding
from tare._decide.estimate.bounds import bounds_of, check_range
from tare._decide.estimate.clustering import cluster_fact, refuse_cluster
from tare._decide.estimate.designs import design_of, with_inclusion
from tare._decide.estimate.findings import document_balance, estimate_findings
from tare._decide.estimate.labels import MatchedLabels, match_labels, qrels_of
from tare._decide.estimate.linear_measures import refuse_not_linear
from tare._decide.estimate.ranked_labels import document_sample, ranked_labels
from tare._decide.estimate.score_tables import estimate_tables
from tare._decide.estimate.score_values import query_samples
from tare._decide.ppi.estimates import Estimates
from tare._decide.ppi.estimators import METHODS, TARGETS, Estimator
from tare._decide.ppi.samples import DocumentSample, QuerySample
from tare._measures.evaluate_rankings import evaluate
from tare._measures.names import parse_all
from tare._signature import Signature, tare_version
from tare.errors import MismatchError, OptionError, choose
from tare.stats._randomisation import check_draws

if TYPE_CHECKING:
    import polars as pl

    from tare._measures.clusters import Clusters
    from tare._measures.inputs import CandidatesInput, GradesInput, MeasuresInput, RunsInput
    from tare._measures.scores import Scores

__all__ = ["estimate"]

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
    method
        "t": Student's interval with the jackknife variance and n − 1 degrees of freedom; for measures with
        bounds in Wilson's form, which stays within them. "z": the normal interval of the formula.
        "bootstrap": over queries, studentised. Intervals by "z" and "bootstrap" are cut at the bounds.
    design
        "queries": people labelled all of some queries. "documents": people labelled some documents of
        every query. "auto" decides by the labels.
    weight
        λ, the weight of the judge's labels: 0 uses people's labels only, 1 is the estimate without
        tuning. By default it is estimated, one for all systems.
    target
        "all-queries": the queries are a sample of those that matter. "these-queries": only these
        queries matter, and the error is that of drawing documents (documents design).
    inclusion
        The probability with which a document was drawn for labelling: one number, or the name of a
        column of people's table. By default a column named inclusion, probability or pi, or else the
        share of the judge's documents that people labelled in each query.
    sampling
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
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is out of range; it must lie between 0 and 1.")
    check_draws(draws, seed)


def _places(labels: MatchedLabels, pairs: pl.DataFrame) -> Any:
    """Return the place of each pair among the judge's documents."""
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
