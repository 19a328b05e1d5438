"""Can a measure be learned from what people said? All subsets of features, four fits, honest tests.

Rankel (2016, ch. 5): trained on one part, chosen on a second, refitted there, used on a third.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tare._measures.scores import Scores
from tare._measures.text.learned import LearnedModel
from tare._result import Rows
from tare.errors import OptionError, choose
from tare.stats._meta_correlation import COEFFICIENTS
from tare.stats._randomisation import check_draws
from tare.stats._regression import FITS, Fits, all_subsets, subset_of
from tare.stats._regression.robust import SCALES
from tare.studies._journal import Journal, digest
from tare.studies._learning.data import Outputs, Split, halves, splits_of
from tare.studies._learning.result import LearnedMeasures
from tare.studies._learning.selection import SELECT_LEVELS, chosen_fit, quality
from tare.studies._people.correlations import CORRELATION, correlation_rows, gap_rows
from tare.studies._people.data import SideBySide
from tare.studies._shapes import Fixed

__all__ = ["learned_measure"]

WEIGHT = {"feature": str, "coefficient": float, "standardised": float, "turned": bool}
TESTED = {
    "features": [str], "selected": float, "tested": float, "outputs": int, "intercept": float,
    "weights": [WEIGHT],
}  # fmt: skip
REFITS = ("select", "both")


def learned_measure(
    features: Any,
    human: Any,
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
    """Learns to predict a human score from features, by each method, and tests it on what was held out.

    features, human: score tables, matched by id; every column of `features` is one. target: which
    human score (the first); "cca" uses all of them together.
    protocol: "items" or "systems" (folds of them are held out; folds=0 one by one), "years" (three
    consecutive values of the attribute `by`) or "leave-one-out" (of its values).
    level, kind: the correlation by which a subset is chosen: of all "output"s, of the systems on
    one "item", or of "system" means, as published; a dozen systems are few to choose among
    thousands of subsets by.
    refit: the chosen subset is fitted again on the part it was chosen on ("select", as published)
    or on both parts.
    scale: of robust fits, "published" or "matlab" (see `tare.stats._regression.robust`).
    models: systems that are people, for the gap between people and machines.

    What is reported is the correlation of predictions for outputs that took part in nothing.
    """
    one = features if isinstance(features, Scores) else Scores.load(features)
    other = human if isinstance(human, Scores) else Scores.load(human)
    for method in methods:
        choose("methods", method, FITS)
    choose("level", level, SELECT_LEVELS)
    choose("kind", kind, COEFFICIENTS)
    choose("refit", refit, REFITS)
    choose("scale", scale, SCALES)
    check_draws(draws, seed)
    if not methods:
        raise OptionError(f"no method was named; there are {', '.join(FITS)}.")
    if ridge < 0:
        raise OptionError(f"ridge={ridge} is not possible; it is 0 or more.")
    data = Outputs.of(one, other, target, by)
    masks = all_subsets(len(data.features))
    splits = splits_of(data, protocol, folds, seed)
    about = {
        "study": "learned measure",
        "data": digest(one, other, data.people, data.groups),
        "options": digest(
            tuple(methods), protocol, by, folds, level, kind, refit, ridge, tuple(models), draws,
            confidence, seed, scale,
        ),
    }  # fmt: skip
    book = Journal(journal, about)
    say = progress or (lambda _: None)
    options = {"level": level, "kind": kind, "ridge": ridge, "threads": threads, "scale": scale}
    predicted = {m: np.full(len(data), np.nan) for m in methods}
    chosen: Rows = []
    used: Rows = []  # coefficients of the models that were tested
    for split in splits:
        for method in methods:
            say(f"{split.name}: {method}")
            found = book.step(
                f"{split.name}\t{method}",
                lambda split=split, method=method: _tested(
                    data, split, masks, method, refit, options
                ),  # type: ignore[misc]
                TESTED | {"predicted": Fixed.of(float, len(split.test))},
            )
            predicted[method][split.test] = found["predicted"]
            named = {"held_out": split.name, "method": method}
            told = {
                k: v for k, v in found.items() if k not in ("predicted", "weights", "intercept")
            }
            chosen.append(named | told)
            used.append(named | {"feature": "(intercept)", "coefficient": found["intercept"]})
            used += [named | row for row in found["weights"]]
    final: dict[str, LearnedModel] = {}
    weights: Rows = []
    last = _final_split(data, protocol, splits, seed)
    kept_refit = refit if protocol == "years" else "both"  # nothing is left to be tested
    for method in methods:
        say(f"all: {method}")
        rows = book.step(
            f"final\t{method}",
            lambda method=method: _final(data, last, masks, method, kept_refit, options),  # type: ignore[misc]
            {"intercept": float, "weights": [WEIGHT]},
        )
        kept = [r for r in rows["weights"] if r["coefficient"] != 0] or rows["weights"][:1]
        final[method] = LearnedModel(
            tuple(r["feature"] for r in kept),
            tuple(r["coefficient"] for r in kept),
            rows["intercept"],
            data.people[0],
            {"method": method, "protocol": protocol, "level": level, "coefficient": kind,
             "outputs": len(data), "seed": seed, "features": list(data.features)},
        )  # fmt: skip
        times = [r for r in chosen if r["method"] == method]
        for r in rows["weights"]:
            share = sum(r["feature"] in c["features"] for c in times) / len(times)
            weights.append({"method": method} | r | {"chosen": share})
    tested = _side_by_side(data, predicted, models)
    correlations: Rows = []
    for peers, places in tested.peers(data.people[0]).items():
        for measure in tested.measures:
            say(f"{peers}: {measure}")
            correlations += book.step(
                f"correlations\t{peers}\t{measure}",
                lambda peers=peers, places=places, measure=measure: correlation_rows(  # type: ignore[misc]
                    tested, data.people[0], peers, places, measure,
                    draws=draws, confidence=confidence, seed=seed, threads=threads,
                ),
                [CORRELATION],
            )  # fmt: skip
    gaps = gap_rows(tested, data.people[0], [f"learned by {m}" for m in methods])
    return LearnedMeasures(
        correlations, chosen, weights, gaps, final, data.features, data.people, len(data),
        protocol, level, kind, refit, len(masks), draws, confidence, seed,
        (*one.signatures, *other.signatures), data.notes, used,
    )  # fmt: skip


def _again(split: Split, refit: str) -> Any:
    return split.select if refit == "select" else np.concatenate([split.train, split.select])


def _tested(
    data: Outputs, split: Split, masks: Any, method: str, refit: str, options: dict[str, Any]
) -> dict[str, Any]:
    mask, selected, fit = chosen_fit(
        data, split.train, split.select, _again(split, refit), masks, method=method, **options
    )
    tested = quality(data, split.test, fit, options["level"], options["kind"])
    return {
        "features": [data.features[j] for j in subset_of(mask, len(data.features))],
        "selected": selected,
        "tested": float(tested[0]),
        "outputs": len(split.test),
        "intercept": float(fit.intercepts[0]),
        "weights": _weights(data, fit, mask, _again(split, refit)),
        "predicted": fit.predict(data.x[split.test])[:, 0].tolist(),
    }


def _final_split(data: Outputs, protocol: str, splits: list[Split], seed: int) -> Split:
    """The split of the measure that is kept: nothing is held out any more."""
    if protocol == "years":  # the last two years; the one before them has served
        return Split("all", splits[-1].select, splits[-1].test, splits[-1].test)
    every = np.arange(len(data))
    first, second = halves(data, every, seed, "final", systems=protocol == "systems")
    return Split("all", first, second, every)


def _final(
    data: Outputs, split: Split, masks: Any, method: str, refit: str, options: dict[str, Any]
) -> dict[str, Any]:
    again = _again(split, refit)
    mask, _, fit = chosen_fit(
        data, split.train, split.select, again, masks, method=method, **options
    )
    return {"intercept": float(fit.intercepts[0]), "weights": _weights(data, fit, mask, again)}


def _weights(data: Outputs, fit: Fits, mask: int, rows: Any) -> Rows:
    """The chosen features with their coefficients, also per standard deviation of the feature."""
    spread = data.x[rows].std(axis=0)
    return [
        {
            "feature": data.features[j],
            "coefficient": float(fit.coefficients[0, j]),
            "standardised": float(fit.coefficients[0, j] * spread[j]),
            "turned": bool(fit.flipped[j] < 0),
        }
        for j in subset_of(mask, len(data.features))
    ]


def _side_by_side(data: Outputs, predicted: dict[str, Any], models: Sequence[str]) -> SideBySide:
    """Predictions beside the features they are made of, on the outputs that were tested."""
    known = ~np.isnan(next(iter(predicted.values())))
    measured = {f"learned by {m}": data.table(v) for m, v in predicted.items()}
    for j, feature in enumerate(data.features):
        measured[feature] = data.table(np.where(known, data.x[:, j], np.nan))
    judged = {data.people[0]: data.table(np.where(known, data.y[:, 0], np.nan))}
    unknown = [m for m in models if m not in data.systems]
    if unknown:
        raise OptionError(f"the model {unknown[0]!r} is none of the systems.")
    return SideBySide(
        data.systems,
        data.items,
        tuple(measured),
        (data.people[0],),
        measured,
        judged,
        tuple(models),
    )
