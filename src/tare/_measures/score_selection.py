"""Selection of systems, items and measures from a score table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._measures.aggregation import number_of
from tare._measures.names import canonical
from tare.errors import OptionError, nearest

if TYPE_CHECKING:
    from tare._measures.measure import Measure
    from tare._measures.ratio import Ratio
    from tare._measures.scores import Scores
    from tare._signature import Signature

__all__ = ["items_with", "selected"]


def selected(
    scores: Scores,
    systems: Sequence[str] | None,
    items: Sequence[str] | None,
    measures: Sequence[str | Measure] | None,
) -> Scores:
    """Return a table with these systems, items and measures, in the order given; None keeps all."""
    s = _positions(scores.systems, systems, "system")
    i = _positions(scores.items, items, "item")
    wanted = None if measures is None else [_text_of(scores, m) for m in measures]
    m = _positions(scores.measure_names, wanted, "measure")
    cells = np.ix_(s, i, m)
    chosen = tuple(scores.measures[k] for k in m)
    ratios = {x: scores.ratios[x].take(s, i) for x in chosen if x in scores.ratios}
    statistics = {x: scores.statistics[x].take(s, i) for x in chosen if x in scores.statistics}
    signatures = tuple(scores.signatures[k] for k in m)
    if items is not None:
        signatures = tuple(
            _with_count(signature, scores.values[np.ix_(s, i, [k])], ratios.get(measure))
            for signature, k, measure in zip(signatures, m, chosen, strict=True)
        )
    return replace(
        scores,
        systems=tuple(scores.systems[k] for k in s),
        items=scores.items if items is None else tuple(scores.items[k] for k in i),
        measures=chosen,
        values=scores.values[cells],
        signatures=signatures,
        ratios=ratios,
        statistics=statistics,
        attributes=scores.attributes
        if items is None
        else {name: tuple(column[k] for k in i) for name, column in scores.attributes.items()},
        errors=None if scores.errors is None else scores.errors[cells],
        judged={x: scores.judged[x][np.ix_(s, i)] for x in chosen if x in scores.judged},
    )


def items_with(scores: Scores, attribute: str, value: object) -> list[str]:
    """Return the items that have this value of an attribute."""
    if attribute not in scores.attributes:
        known = list(scores.attributes)
        raise OptionError(
            f"the items have no attribute {attribute!r}; they have: {', '.join(known) or 'none'}."
            f"{nearest(attribute, known)}"
        )
    column = scores.attributes[attribute]
    return [item for item, given in zip(scores.items, column, strict=True) if given == value]


def _text_of(scores: Scores, measure: str | Measure) -> str:
    """The name of the column that is meant; a measure can be spelled in several ways."""
    text = str(measure)
    if text in scores.measure_names:
        return text
    meant = canonical(text)
    alike = [m.text for m in scores.measures if canonical(m) == meant]  # such as a column `map`
    return alike[0] if meant not in scores.measure_names and len(alike) == 1 else meant


def _positions(known: tuple[str, ...], wanted: Sequence[str] | None, what: str) -> NDArray[np.intp]:
    if wanted is None:
        return np.arange(len(known))
    place = {name: k for k, name in enumerate(known)}
    for name in wanted:
        if name not in place:
            shown = ", ".join(known[:10]) + (", …" if len(known) > 10 else "")
            raise OptionError(
                f"there is no {what} {name!r}; there are: {shown}.{nearest(str(name), known)}"
            )
    return np.array([place[name] for name in wanted], dtype=np.intp)


def _with_count(
    signature: Signature, values: NDArray[np.float64], ratio: Ratio | None
) -> Signature:
    """The signature with the number of items that the mean is over."""
    counts = (~np.isnan(values[:, :, 0])).sum(axis=1) if ratio is None else ratio.counts()
    return signature.with_facts(n=number_of(counts))
