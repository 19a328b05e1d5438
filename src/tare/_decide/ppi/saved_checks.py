"""Checks of saved estimates: settings, names and values that a damaged or edited file may lack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tare._decide.ppi.estimators import METHODS, TARGETS, Estimator
from tare._decide.ppi.samples import DocumentSample, Floats
from tare.stats._randomisation import check_draws

__all__ = ["check_facts", "check_values"]


def check_facts(about: Mapping[str, Any]) -> None:
    """Raise ValueError or a tare error if a setting or a name is missing, of another type or out of range."""
    names = (about["systems"], about["queries"])
    for given in names:
        _check(_are_names(given), "names")
    systems, queries = names
    n, weight, level = about["labelled"], about["weight"], about["confidence"]
    _check(about["design"] in ("queries", "documents"), "design")
    _check(about["method"] in METHODS and about["target"] in TARGETS, "method")
    _check(about["sampling"] in ("", "fixed", "poisson"), "sampling")
    _check(_is_whole(n) and 2 < n <= len(queries), "labelled")
    _check(about["design"] == "queries" or n == len(queries), "labelled")
    _check(weight is None or (_is_number(weight) and 0 <= weight <= 1), "weight")
    _check(_is_number(level) and 0 < level < 1, "confidence")
    _check(about["baseline"] is None or about["baseline"] in systems, "baseline")
    _check(_is_whole(about["draws"]) and _is_whole(about["seed"]), "draws")
    check_draws(about["draws"], about["seed"])
    measures = about["measures"]
    _check(isinstance(measures, list) and bool(measures), "measures")
    _check(_are_names([measure["name"] for measure in measures]), "measures")
    for measure in measures:
        bounds = measure["bounds"]
        _check(bounds is None or (len(bounds) == 2 and all(map(_is_number, bounds))), "bounds")
        _check(bounds is None or -1e150 < bounds[0] < bounds[1] < 1e150, "bounds")
    if about["clusters"] is not None:
        _check(about["design"] == "queries" and about["method"] == "t", "clusters")
        _check([len(ids) for ids in about["clusters"]] == [n, len(queries) - n], "clusters")
        for ids in about["clusters"]:
            _check(all(map(_is_whole, ids)) and set(ids) == set(range(len(set(ids)))), "clusters")
        _check(len(set(about["clusters"][0])) > 1, "clusters")
    _check(about["target"] != "these-queries" or all("spread" in m for m in measures), "spread")
    _check(_are_names(about["signatures"], empty=True), "signatures")
    _check(len(about["signatures"]) in (0, len(measures)), "signatures")
    for kind, message, count, severity, examples in about["findings"]:
        words = (kind, message, severity, *examples)
        _check(all(isinstance(word, str) for word in words), "findings")
        _check(count is None or _is_whole(count), "findings")


def check_values(estimator: Estimator, systems: int, queries: int) -> None:
    """Raise ValueError if a value is missing or an array has another shape."""
    sample = estimator.sample
    parts: list[tuple[Floats, tuple[int, ...]]] = []
    whole = (systems, queries)
    if isinstance(sample, DocumentSample):
        parts += [(x, whole) for x in (sample.people, sample.control, sample.judge)]
        parts += [(x, (systems, systems)) for x in sample.spread or ()]
        _check(sample.freedom > 0, "freedom")
        _check(all((np.diag(x) >= 0).all() for x in sample.spread or ()), "spread")
    else:
        for three in ((sample.human, sample.judge, sample.others), sample.rooms or ()):
            parts += [(x, (systems, x.shape[-1])) for x in three]
        if sample.rooms is not None:
            _check(bool((sample.rooms[0].mean(axis=1) > 0).all()), "room")
    for values, shape in parts:
        _check(values.shape == shape and bool(np.isfinite(values).all()), "values")
        _check(not values.size or float(np.abs(values).max()) < 1e150, "values")


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def _are_names(given: Any, *, empty: bool = False) -> bool:
    fits = isinstance(given, Sequence) and not isinstance(given, str)
    fits = fits and all(isinstance(name, str) and name for name in given)
    return fits and (empty or (len(given) > 0 and len(set(given)) == len(given)))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
