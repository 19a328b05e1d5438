"""Saved estimates: Parquet files with the values of every query, how they are recognised, and what a damaged file may lack."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from tare._data.findings import Finding
from tare._data.formats import parquet
from tare._data.formats.damage import guarded
from tare._decide.estimates import Estimates
from tare._decide.judge_corrected import (
    METHODS,
    TARGETS,
    DocumentSample,
    Estimator,
    Floats,
    Places,
    QuerySample,
)
from tare._files.opening import name_of, plain_suffix
from tare._files.writing import write_bytes
from tare._signature import Signature
from tare.errors import FormatError, OptionError
from tare.stats._randomisation import check_draws

if TYPE_CHECKING:
    import polars as pl

__all__ = ["KEY", "KIND", "check_facts", "check_values", "is_saved", "load", "save"]


# How saved estimates are recognised.


KEY = "tare"  # of the metadata of a Parquet file
KIND = "estimates"


def is_saved(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether a source is a file of saved estimates."""
    if not isinstance(source, str | os.PathLike) or plain_suffix(source) not in parquet.SUFFIXES:
        return False
    about = parquet.metadata(source).get(KEY, "")
    return about.startswith(f'{{"kind": "{KIND}"')


# Checks of saved estimates: settings, names and values that a damaged or edited file may lack.


def check_facts(about: Mapping[str, Any]) -> None:
    """Raise ValueError or a tare error if a setting or a name of saved estimates is missing, of another type or out of range."""
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
    """Raise ValueError if a value of saved estimates is missing or an array has another shape."""
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


# Saved estimates: Parquet files with the values of every query.


FIELDS = ("design", "method", "target", "sampling", "confidence", "baseline", "draws", "seed")


def save(estimates: Estimates, path: str | os.PathLike[str]) -> None:
    """Save estimates as Parquet: the values of every query as rows, and everything else as metadata."""
    import polars as pl

    about: dict[str, Any] = {"kind": KIND}
    about |= {name: getattr(estimates, name) for name in FIELDS}
    about |= {
        "systems": list(estimates.systems),
        "queries": list(estimates.queries),
        "labelled": estimates.labelled,
        "weight": estimates.estimators[0].weight,
        "clusters": _cluster_lists(estimates.estimators[0].sample),
        "signatures": [str(signature) for signature in estimates.signatures],
        "findings": [
            [f.kind, f.message, f.count, f.severity, list(f.examples)] for f in estimates.findings
        ],
        "measures": [_about(estimator) for estimator in estimates.estimators],
    }
    cells = len(estimates.systems) * len(estimates.queries)
    ids = {
        "system": np.repeat(estimates.systems, len(estimates.queries)).tolist(),
        "query": list(estimates.queries) * len(estimates.systems),
    }
    frames = []
    for estimator in estimates.estimators:
        columns = {
            name: pl.Series(name, values.reshape(cells)).fill_nan(None)
            for name, values in _columns(estimator).items()
        }
        frames.append(pl.DataFrame(ids | {"measure": [estimator.measure] * cells} | columns))
    buffer = io.BytesIO()
    whole = pl.concat(frames, how="diagonal")
    whole.write_parquet(buffer, metadata={KEY: json.dumps(about)})
    write_bytes(path, buffer.getvalue())


def _about(estimator: Estimator) -> dict[str, Any]:
    made: dict[str, Any] = {"name": estimator.measure, "bounds": estimator.bounds}
    if isinstance(estimator.sample, DocumentSample) and estimator.sample.spread is not None:
        made["spread"] = [part.tolist() for part in estimator.sample.spread]
        made["freedom"] = estimator.sample.freedom
    return made


def _cluster_lists(sample: QuerySample | DocumentSample) -> list[list[int]] | None:
    if not isinstance(sample, QuerySample) or sample.clusters is None:
        return None
    return [clusters.tolist() for clusters in sample.clusters]


def _clusters(given: list[list[int]] | None) -> tuple[Places, Places] | None:
    if given is None:
        return None
    labelled, others = (np.asarray(ids, dtype=np.int64) for ids in given)
    return labelled, others


def _columns(estimator: Estimator) -> dict[str, Floats]:
    """Return the values of one measure as columns of saved estimates, each systems × queries."""
    sample = estimator.sample
    made: dict[str, Floats]
    if isinstance(sample, DocumentSample):
        made = {"people": sample.people, "control": sample.control, "judge": sample.judge}
    else:
        made = _query_columns((sample.human, sample.judge, sample.others), "")
        if sample.rooms is not None:
            made |= _query_columns(sample.rooms, "_room")
    return made


def _query_columns(parts: tuple[Floats, Floats, Floats], suffix: str) -> dict[str, Floats]:
    human, judge, others = parts
    return {
        f"human{suffix}": np.hstack([human, np.full(others.shape, np.nan)]),
        f"judge{suffix}": np.hstack([judge, others]),
    }


def load(source: str | os.PathLike[str]) -> Estimates:
    """Read saved estimates, as `save` wrote them; damaged or other files raise an error."""
    name = name_of(source)
    if not is_saved(source):
        raise FormatError(
            f"{name}: not a file of estimates. `tare estimate --save FILE.parquet` writes one."
        )
    frame = parquet.read(source)
    damaged = FormatError(f"{name}: the file is damaged. Save the estimates again.")
    with guarded(name, "a file that `tare estimate --save` wrote"):
        try:
            return _restored(frame, json.loads(parquet.metadata(source)[KEY]))
        except OptionError as error:
            raise FormatError(f"{name}: {error}") from None
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            raise damaged from None


def _restored(frame: pl.DataFrame, about: dict[str, Any]) -> Estimates:
    check_facts(about)
    systems, queries = tuple(about["systems"]), tuple(about["queries"])
    shape = (len(systems), len(queries))
    n = int(about["labelled"])
    if frame.height != shape[0] * shape[1] * len(about["measures"]):
        raise ValueError("another number of rows")
    estimators = []
    for place, measure in enumerate(about["measures"]):
        rows = frame.slice(place * shape[0] * shape[1], shape[0] * shape[1])
        if rows["system"].to_list() != [s for s in systems for _ in queries] or (
            rows["query"].to_list() != list(queries) * len(systems)
        ):
            raise ValueError("rows in another order")

        def cells(column: str, rows: pl.DataFrame = rows) -> Floats:
            return np.ascontiguousarray(rows[column].to_numpy().astype(np.float64).reshape(shape))

        sample: QuerySample | DocumentSample
        if about["design"] == "documents":
            spread = None
            if "spread" in measure:
                first, second = (np.asarray(x, dtype=np.float64) for x in measure["spread"])
                spread = (first, second)
            parts = (cells("people"), cells("control"), cells("judge"))
            sample = DocumentSample(*parts, spread, float(measure.get("freedom", np.inf)))
        else:
            rooms = None
            if "human_room" in rows.columns and rows["judge_room"].null_count() == 0:
                rooms = _split(cells("human_room"), cells("judge_room"), n)
            parts = _split(cells("human"), cells("judge"), n)
            sample = QuerySample(*parts, rooms, _clusters(about["clusters"]))
        bounds = measure["bounds"]
        estimators.append(
            Estimator(
                str(measure["name"]),
                sample,
                about["method"],
                about["weight"],
                about["target"],
                None if bounds is None else (float(bounds[0]), float(bounds[1])),
            )
        )
    for estimator in estimators:
        check_values(estimator, *shape)
    findings = tuple(Finding(k, m, c, s, tuple(e)) for k, m, c, s, e in about["findings"])
    signatures = tuple(Signature.parse(text) for text in about["signatures"])
    settings = {name: about[name] for name in FIELDS}
    return Estimates(
        systems, queries, tuple(estimators), **settings, signatures=signatures, findings=findings
    )


def _split(human: Floats, judge: Floats, n: int) -> tuple[Floats, Floats, Floats]:
    if np.isnan(human[:, :n]).any() or np.isnan(judge).any():
        raise ValueError("missing values")
    return human[:, :n].copy(), judge[:, :n].copy(), judge[:, n:].copy()
