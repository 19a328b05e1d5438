"""Several references: how the counts against each are combined."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._measures.text.parts import TextParts, f_measure, five_decimals, in_five_decimals

__all__ = ["RULES", "combine", "divided", "padded", "totals"]

RULES = ("max", "mean", "micro", "jackknife", "jackknife-micro")

Values = NDArray[np.float64]


def padded(counts: Values, sizes: NDArray[np.int64]) -> Values:
    """Return counts of pairs as items × references × 3; NaN if an item has fewer references."""
    widest = int(sizes.max(initial=0))
    out = np.full((len(sizes), widest, 3), np.nan)
    out[np.arange(widest) < sizes[:, None]] = counts
    return out


def combine(
    counts: Values,
    rule: str,
    alpha: float = 0.5,
    root: float | None = None,
    *,
    by_recall: bool = False,
    rounded: bool = False,
    person: NDArray[np.bool_] | None = None,
) -> TextParts:
    """Return precision, recall and F of each item.

    max              the reference with the best F (or recall); the first if several are equal
    mean             the means of P, R and F over references
    micro            hits and totals summed over references, then divided
    jackknife        leave out one reference at a time, take the best of the others, and average
    jackknife-micro  leave out one at a time, sum over the others and divide, and average

    A `person` wrote one of the item's references, which is already left out, so the person is
    compared with all others at once, as many as a system each time. `root` is the power applied to
    the ratios (ROUGE-W). `rounded` compares recall in five decimals, as ROUGE-1.5.5 does for all but
    L and W.
    """
    if counts.shape[1] == 0:
        nothing = np.full(len(counts), np.nan)
        return TextParts(nothing, nothing.copy(), nothing.copy())
    if rule == "micro":
        known = np.isfinite(counts[:, :, 0]).any(axis=1)
        sums = np.where(np.expand_dims(known, 1), totals(counts), np.nan)
        return divided(sums, alpha, root)
    if rule == "jackknife-micro":
        return _left_out_sums(counts, alpha, root, rounded, person)
    each = divided(counts, alpha, root)
    if rule == "mean":
        return TextParts(*(_mean(v) for v in (each.precision, each.recall, each.f)))
    key = _recall(counts, root, rounded) if by_recall else each.f
    order = _best_first(key)
    if rule == "max":
        return _chosen(each, order[:, 0])
    several = (~np.isnan(key)).sum(axis=1)
    return _left_out(each, order, several if person is None else np.where(person, 1, several))


def _left_out_sums(
    counts: Values,
    alpha: float,
    root: float | None,
    rounded: bool,
    person: NDArray[np.bool_] | None,
) -> TextParts:
    """Return the mean over the sets that leave out one reference, `rounded` like ROUGE-1.5.5."""
    known = np.isfinite(counts[:, :, 0])
    sizes = known.sum(axis=1)
    whole = sizes <= 1 if person is None else (sizes <= 1) | person

    def scored(kept: Values, among: NDArray[np.bool_]) -> NDArray[np.float64]:
        parts = divided(np.where(among[:, None], totals(kept), np.nan), alpha, root)
        parts = in_five_decimals(parts, alpha) if rounded else parts
        return np.array([parts.precision, parts.recall, parts.f])

    all_of_them = scored(counts, sizes > 0)
    sums = np.zeros_like(all_of_them)
    for r in range(counts.shape[1]):
        there = known[:, r]
        sums += np.where(there, np.nan_to_num(scored(np.delete(counts, r, axis=1), there)), 0)
    return TextParts(*np.where(whole, all_of_them, sums / np.maximum(sizes, 1)))


def _left_out(each: TextParts, order: NDArray[np.int64], sizes: NDArray[np.int64]) -> TextParts:
    """Return the mean: the best counts in all sets but one, in which the second best counts."""
    best = _chosen(each, order[:, 0])
    if order.shape[1] == 1:
        return best
    second = _chosen(each, order[:, 1])
    several = sizes > 1
    share = 1 / np.maximum(sizes, 1)
    return TextParts(
        *(
            np.where(several, a + (np.where(several, b, a) - a) * share, a)
            for a, b in (
                (best.precision, second.precision),
                (best.recall, second.recall),
                (best.f, second.f),
            )
        )
    )


def totals(
    counts: Values, *, best: bool = False, root: float | None = None, rounded: bool = False
) -> Values:
    """Return the counts of each item, items × 3: summed over references, or of the best by recall.

    ROUGE-1.5.5 divides these. An item without references has zeros.
    """
    if not best or counts.shape[1] == 0:
        sums: Values = np.nansum(counts, axis=1)
        return sums
    first = _best_first(_recall(counts, root, rounded))[:, 0]
    chosen: Values = np.nan_to_num(counts[np.arange(len(first)), first])
    return chosen


def _best_first(key: Values) -> NDArray[np.int64]:
    """Return the references of each item, best first; ties keep their order."""
    return np.argsort(np.where(np.isnan(key), np.inf, -key), axis=1, kind="stable")


def divided(counts: Values, alpha: float, root: float | None) -> TextParts:
    """Return precision, recall and F of counts (hits, total of the candidate, of the reference)."""
    hits, candidate, reference = counts[..., 0], counts[..., 1], counts[..., 2]
    precision = hits / np.where(candidate == 0, 1, candidate)
    recall = hits / np.where(reference == 0, 1, reference)
    if root is not None:
        precision, recall = precision**root, recall**root
    return TextParts(precision, recall, f_measure(precision, recall, alpha))


def _recall(counts: Values, root: float | None, rounded: bool) -> Values:
    """Return the recall by which ROUGE-1.5.5 compares references; W applies the weight once here."""
    total = counts[..., 2] if root is None else counts[..., 2] ** root
    recall: Values = counts[..., 0] / np.where(total == 0, 1, total)
    return five_decimals(recall) if rounded else recall


def _chosen(each: TextParts, places: NDArray[np.int64]) -> TextParts:
    rows = np.arange(len(places))
    return TextParts(each.precision[rows, places], each.recall[rows, places], each.f[rows, places])


def _mean(values: Values) -> Values:
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    total = np.zeros(len(values))
    for column in np.where(known, values, 0).T:  # in order: sum() depends on the number of columns
        total += column
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
