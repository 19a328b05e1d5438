"""The study of learned measures: fit all subsets of features, and test on held-out outputs.

Rankel (2016, ch. 5): train on one part, choose and refit on a second, test on a third.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tare._decide.journal import Journal, digest
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.text.learned import LearnedModel
from tare._result import Rows
from tare.errors import OptionError, choose
from tare.stats._meta_evaluation import COEFFICIENTS
from tare.stats._randomisation import check_draws
from tare.stats._regression import FITS, SCALES, all_subsets
from tare.studies._learning.data import Outputs, splits_of
from tare.studies._learning.fitting import final_fit, final_split, tested_fold
from tare.studies._learning.result import LearnedMeasures
from tare.studies._learning.selection import SELECT_LEVELS
from tare.studies._people.correlations import correlation_rows, gap_rows
from tare.studies._people.data import SideBySide

__all__ = ["learned_measure"]

REFITS = ("select", "both")


def learned_measure(
    features: ScoreSource,
    human: ScoreSource,
    *,
    target: str | None = None,
    methods: Sequence[str] = FITS,
    protocol: str = "items",
    by: str | None = None,
    folds: int = 5,
    level: str = "output",
    kind: str = "pearson",
    refit: str = "select",
    ridge: float = 1.0,
    scale: str = "published",
    models: Sequence[str] = (),
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> LearnedMeasures:
    """Learn to predict a human score from features, and test the prediction on held-out outputs.

    Reported correlations are those of outputs that were used neither for training nor for choosing
    features.

    Parameters
    ----------
    features, human : Scores, path or data frame
        Score tables, matched by id. Every measure of `features` is a feature.
    target : str, optional
        The human score to predict; by default the first. The method "cca" uses all human scores.
    methods : sequence of str
        How to fit: "robust", "nnls", "ridge" or "cca".
    protocol : {"items", "systems", "years", "leave-one-out"}
        What is held out: folds of items or of systems, the last of three consecutive values of the
        attribute `by`, or each value of it.
    by : str, optional
        The attribute of the items for "years" and "leave-one-out".
    folds : int
        Number of folds; 0 holds out one item or system at a time.
    level : {"output", "item", "system"}
        The level of the correlation that chooses a subset. The published level is "system", but a
        dozen systems are few to choose among thousands of subsets.
    kind : str
        The coefficient of this correlation.
    refit : {"select", "both"}
        Refit the chosen subset on the part used for choosing, as published, or on both parts.
    ridge : float
        Penalty of ridge regression.
    scale : {"published", "matlab"}
        Scale estimate of robust regression.
    models : sequence of str
        Systems that are human authors, for the gap between people and machines.
    draws : int
        Number of resamples behind the intervals.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Seed of splits and random draws.
    threads : int
        Number of threads; 0 uses all cores.
    progress : callable, optional
        Called with a short description of each step.
    journal : path, optional
        A file of finished steps, from which an interrupted study continues.

    Returns
    -------
    LearnedMeasures
        Correlations on held-out outputs, chosen features, and the final models.

    Raises
    ------
    OptionError
        If an option is unknown or out of range.
    MismatchError
        If too few outputs have all features and human scores.

    Examples
    --------
    >>> import polars as pl
    >>> cells = [(f"s{s}", f"i{i:02}", s, (i * 7 + s * 3) % 11) for s in range(4) for i in range(20)]
    >>> features = pl.DataFrame(
    ...     [(s, i, m, x) for s, i, a, b in cells for m, x in (("f1", a + b), ("f2", b))],
    ...     schema=["system", "item", "measure", "value"], orient="row",
    ... )
    >>> human = pl.DataFrame(
    ...     [(s, i, "overall", a) for s, i, a, _ in cells],
    ...     schema=["system", "item", "measure", "value"], orient="row",
    ... )
    >>> found = learned_measure(features, human, methods=["ridge"], ridge=0.0, draws=100)
    >>> found.model("ridge").features
    ('f1', 'f2')
    """
    one = scores_of(features)
    other = scores_of(human)
    for method in methods:
        choose("methods", method, FITS)
    choose("level", level, SELECT_LEVELS)
    choose("kind", kind, COEFFICIENTS)
    choose("refit", refit, REFITS)
    choose("scale", scale, SCALES)
    check_draws(draws, seed)
    if not methods:
        raise OptionError(f"methods= is empty. Name at least one of {', '.join(FITS)}.")
    if ridge < 0:
        raise OptionError(f"ridge={ridge} is not valid. It must be 0 or greater.")
    data = Outputs.of(one, other, target, by)
    masks = all_subsets(len(data.features))
    splits = splits_of(data, protocol, folds, seed)
    about = {
        "study": "learned measure",
        "data": digest(one, other, data.people, data.groups),
        "options": digest(
            tuple(methods),
            protocol,
            by,
            folds,
            level,
            kind,
            refit,
            ridge,
            tuple(models),
            draws,
            confidence,
            seed,
            scale,
        ),
    }
    record = Journal(journal, about)
    notify = progress or (lambda _: None)
    options = {"level": level, "kind": kind, "ridge": ridge, "threads": threads, "scale": scale}
    predicted = {m: np.full(len(data), np.nan) for m in methods}
    chosen: Rows = []
    used: Rows = []  # coefficients of the tested models
    for split in splits:
        for method in methods:
            notify(f"{split.name}: {method}")
            found = record.step(
                f"{split.name}\t{method}",
                lambda split=split, method=method: tested_fold(
                    data, split, masks, method, refit, options
                ),  # type: ignore[misc]
            )
            predicted[method][split.test] = found["predicted"]
            named = {"held_out": split.name, "method": method}
            summary = {
                k: v for k, v in found.items() if k not in ("predicted", "weights", "intercept")
            }
            chosen.append(named | summary)
            used.append(named | {"feature": "(intercept)", "coefficient": found["intercept"]})
            used += [named | row for row in found["weights"]]
    final: dict[str, LearnedModel] = {}
    weights: Rows = []
    last = final_split(data, protocol, splits, seed)
    kept_refit = refit if protocol == "years" else "both"  # no part is held out here
    for method in methods:
        notify(f"all: {method}")
        rows = record.step(
            f"final\t{method}",
            lambda method=method: final_fit(data, last, masks, method, kept_refit, options),  # type: ignore[misc]
        )
        kept = [r for r in rows["weights"] if r["coefficient"] != 0] or rows["weights"][:1]
        final[method] = LearnedModel(
            tuple(r["feature"] for r in kept),
            tuple(r["coefficient"] for r in kept),
            rows["intercept"],
            data.people[0],
            {
                "method": method,
                "protocol": protocol,
                "level": level,
                "coefficient": kind,
                "outputs": len(data),
                "seed": seed,
                "features": list(data.features),
            },
        )
        times = [r for r in chosen if r["method"] == method]
        for r in rows["weights"]:
            share = sum(r["feature"] in c["features"] for c in times) / len(times)
            weights.append({"method": method} | r | {"chosen": share})
    tested = _side_by_side(data, predicted, models)
    correlations: Rows = []
    for peers, places in tested.peers(data.people[0]).items():
        for measure in tested.measures:
            notify(f"{peers}: {measure}")
            correlations += record.step(
                f"correlations\t{peers}\t{measure}",
                lambda peers=peers, places=places, measure=measure: correlation_rows(  # type: ignore[misc]
                    tested,
                    data.people[0],
                    peers,
                    places,
                    measure,
                    draws=draws,
                    confidence=confidence,
                    seed=seed,
                    threads=threads,
                ),
            )
    gaps = gap_rows(tested, data.people[0], [f"learned by {m}" for m in methods])
    return LearnedMeasures(
        correlations,
        chosen,
        weights,
        gaps,
        final,
        data.features,
        data.people,
        len(data),
        protocol,
        level,
        kind,
        refit,
        len(masks),
        draws,
        confidence,
        seed,
        (*one.signatures, *other.signatures),
        data.notes,
        used,
    )


def _side_by_side(data: Outputs, predicted: dict[str, Any], models: Sequence[str]) -> SideBySide:
    """Return predictions and features of the tested outputs, aligned with human scores."""
    known = ~np.isnan(next(iter(predicted.values())))
    measured = {f"learned by {m}": data.table(v) for m, v in predicted.items()}
    for j, feature in enumerate(data.features):
        measured[feature] = data.table(np.where(known, data.x[:, j], np.nan))
    judged = {data.people[0]: data.table(np.where(known, data.y[:, 0], np.nan))}
    unknown = [m for m in models if m not in data.systems]
    if unknown:
        raise OptionError(f"models={unknown[0]!r} is not a system of the tables.")
    return SideBySide(
        data.systems,
        data.items,
        tuple(measured),
        (data.people[0],),
        measured,
        judged,
        tuple(models),
    )
