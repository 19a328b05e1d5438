"""Agreement of two label sets from their confusion matrices, for many resamples of the queries at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import resampled_indices
from tare.stats._flips import flip_test
from tare.studies._judges.data import CommonPairs

__all__ = [
    "WEIGHTS",
    "by_query",
    "confusion_of",
    "confusion_statistics",
    "flipped_p",
    "intervals",
    "kappa_totals",
    "query_weights",
    "rank_statistics",
    "resampled",
]

Floats = NDArray[np.float64]
WEIGHTS = ("kappa", "kappa_linear", "kappa_quadratic")
CELLS = 4_000_000  # cells of resampled tables that are in memory at once


def query_weights(queries: int, draws: int, seed: int) -> Floats:
    """Return draws × queries: how often each resample of the queries contains each query."""
    places = resampled_indices(queries, draws, seed=seed)
    flat = (places + np.arange(draws)[:, None] * queries).ravel()
    return np.bincount(flat, minlength=draws * queries).reshape(draws, queries).astype(np.float64)


def by_query(
    query: NDArray[np.int64], first: Any, second: Any, shape: tuple[int, int, int]
) -> Floats:
    """Return the confusion matrix of each query: queries × labels × labels."""
    flat = (query * shape[1] + first) * shape[2] + second
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)


def confusion_statistics(
    tables: Floats, levels: Floats, *, nominal: bool = False
) -> dict[str, Floats]:
    """Return the agreement of each table (… × labels of people × labels of the judge).

    κ = 1 − Σ w·p_ij / Σ w·p_i·p_j with w = [i ≠ j], |i − j| and (i − j)² in steps of the sorted labels.
    Krippendorff's α of two coders is computed from the coincidences n_ij + n_ji, at the ordinal level,
    or nominal for words.
    """
    k = len(levels)
    flat = tables.reshape(*tables.shape[:-2], k * k)
    n = flat.sum(axis=-1)
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    steps = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :]).astype(np.float64)
    made: dict[str, Floats] = {}
    with np.errstate(invalid="ignore", divide="ignore"):
        made["equal"] = np.trace(tables, axis1=-2, axis2=-1) / n
        made["by_chance"] = (rows * columns).sum(axis=-1) / n**2
        for name, cost in zip(WEIGHTS, (steps > 0, steps, steps**2), strict=True):
            if nominal and name != "kappa":
                continue
            cost = cost.astype(np.float64)
            observed = flat @ cost.ravel() / n
            expected = ((rows @ cost) * columns).sum(axis=-1) / n**2
            made[name] = np.where(expected > 0, 1 - observed / expected, np.nan)
        made["alpha"] = _alpha(tables, rows + columns, nominal)
        if not nominal:
            gaps = levels[None, :] - levels[:, None]
            made["leniency"] = flat @ gaps.ravel() / n
            made["leniency_by_grade"] = (tables * gaps).sum(axis=-1) / rows
    return made


def _alpha(tables: Floats, counts: Floats, nominal: bool) -> Floats:
    """Return 1 − D_o/D_e, where D_o and D_e are the mean distances within pairs and of all values."""
    total = counts.sum(axis=-1)
    if nominal:
        same = np.trace(tables, axis1=-2, axis2=-1)
        observed = 1 - 2 * same / total
        expected = 1 - (counts * (counts - 1)).sum(axis=-1) / (total * (total - 1))
    else:
        middle = np.cumsum(counts, axis=-1) - counts / 2
        gaps = (middle[..., :, None] - middle[..., None, :]) ** 2
        observed = 2 * (tables * gaps).sum(axis=(-2, -1)) / total
        mean = (counts * middle).sum(axis=-1) / total
        spread = (counts * (middle - mean[..., None]) ** 2).sum(axis=-1)
        expected = 2 * spread / (total - 1)
    return np.where(expected > 0, 1 - observed / expected, np.nan)


def rank_statistics(tables: Floats, relevant: NDArray[np.bool_]) -> dict[str, Floats]:
    """Return τ-b of tables (… × labels of people × labels of the judge), and AUC.

    AUC is the probability that the judge labels a relevant document higher than another, ties by half.
    """
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    n = rows.sum(axis=-1)
    below = np.cumsum(np.cumsum(tables, axis=-2), axis=-1)
    lower = np.zeros_like(tables)
    lower[..., 1:, 1:] = below[..., :-1, :-1]
    upper = np.zeros_like(tables)  # people lower, judge higher
    upper[..., 1:, :] = below[..., :-1, -1:] - below[..., :-1, :]
    concordant = (tables * lower).sum(axis=(-2, -1))
    discordant = (tables * upper).sum(axis=(-2, -1))
    pairs = n * (n - 1) / 2
    tied_rows = (rows * (rows - 1)).sum(axis=-1) / 2
    tied_columns = (columns * (columns - 1)).sum(axis=-1) / 2
    good = tables[..., relevant, :].sum(axis=-2)
    bad = columns - good
    under = np.cumsum(bad, axis=-1) - bad
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = (concordant - discordant) / np.sqrt((pairs - tied_rows) * (pairs - tied_columns))
        wins = (good * (under + bad / 2)).sum(axis=-1)
        auc = wins / (good.sum(axis=-1) * bad.sum(axis=-1))
    return {"tau_b": tau, "auc": auc}


def resampled(counts: Floats, weights: Floats, compute: Any) -> dict[str, Floats]:
    """Return the statistics of resampled tables; draws are computed in blocks."""
    flat = counts.reshape(len(counts), -1)
    step = max(1, CELLS // flat.shape[1])
    parts = [
        compute((weights[at : at + step] @ flat).reshape(-1, *counts.shape[1:]))
        for at in range(0, len(weights), step)
    ]
    return {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}


def intervals(drawn: Floats, confidence: float) -> tuple[float | None, float | None]:
    """Return the percentile interval of resampled values; none if they do not vary.

    Undefined draws are left out.
    """
    known = drawn[~np.isnan(drawn)]
    if len(known) < 2 or np.ptp(known) < 1e-12:
        return None, None
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def kappa_totals(counts: Floats) -> Floats:
    """Return the part of each query in Cohen's κ: their sum over the number of pairs is κ.

    A pair with the labels i of people and j of the judge has κ plus its influence on κ: (1[i = j] − e −
    (1 − κ)(b_i + a_j − 2e))/(1 − e), with the shares a of people and b of the judge, and e = Σab.
    """
    tables = counts.sum(axis=0)
    shares = tables / tables.sum()
    a, b = shares.sum(axis=1), shares.sum(axis=0)
    e = float(a @ b)
    if not e < 1:
        return np.full(len(counts), np.nan)
    kappa = (np.trace(shares) - e) / (1 - e)
    part = np.eye(len(a)) - e - (1 - kappa) * (b[:, None] + a[None, :] - 2 * e)
    found: Floats = (counts * part).sum(axis=(1, 2)) / (1 - e)
    return found


def flipped_p(totals: Floats, seed: int) -> float | None:
    """Return the two-sided p of a mean by sign flips of the totals of whole queries."""
    if len(totals) < 2 or np.isnan(totals).any():
        return None
    return flip_test(totals, np.zeros(len(totals)), seed=seed).pvalue


def confusion_of(pairs: CommonPairs) -> tuple[Floats, Floats]:
    """Return the confusion matrices by query over the labels of either, and these labels."""
    first, second, levels = pairs.union_codes()
    k = len(levels)
    return by_query(pairs.query, first, second, (len(pairs.queries), k, k)), levels
