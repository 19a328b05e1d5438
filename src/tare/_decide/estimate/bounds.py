"""The bounds of a measure: what its definition says, or what the caller knows."""

from __future__ import annotations

from collections.abc import Sequence

from tare._decide.ppi.estimators import Bounds
from tare._decide.ppi.samples import DocumentSample, QuerySample
from tare._measures.measure import Measure
from tare.errors import MismatchError, OptionError

__all__ = ["bounds_of", "check_range"]

SLACK = 1e-9  # of the width: rounding of values at a bound


def check_range(measures: Sequence[Measure], range: tuple[float, float] | None) -> None:
    """Raise if the two values are not in order, or every measure has bounds of its own."""
    if range is None:
        return
    if not -1e150 < range[0] < range[1] < 1e150:
        raise OptionError(
            f"range={range[0]:g}:{range[1]:g} is not possible. Give the lowest and the highest value that "
            "the measure can have, such as 1:5."
        )
    if all(None not in measure.definition.bounds for measure in measures):
        raise OptionError(
            f"range is for measures whose definition gives no bounds; {', '.join(map(str, measures))} "
            f"{'has its' if len(measures) == 1 else 'have their'} own. Leave it out."
        )


def bounds_of(
    measure: Measure, sample: QuerySample | DocumentSample, given: tuple[float, float] | None
) -> Bounds | None:
    """Return the lowest and the highest value of a query; None for open bounds and ratios of means.

    They are never taken from the values, which must not leave them. `given` is for measures with open bounds.
    """
    if measure.aggregate == "ratio":
        return None
    defined = measure.definition.bounds
    low, high = defined if None not in defined or given is None else given
    if low is None or high is None:
        return None
    if isinstance(sample, QuerySample):
        parts = [x for x in (sample.human, sample.judge, sample.others) if x.size]
        least, most = min(float(x.min()) for x in parts), max(float(x.max()) for x in parts)
        slack = SLACK * (high - low)
        if least < low - slack or most > high + slack:
            given_by, advice = "its definition", "Divide percentages by 100, or rename the column."
            if (low, high) != defined:
                given_by, advice = (
                    "range",
                    "Give the lowest and the highest value that is possible.",
                )
            raise MismatchError(
                f"{measure}: the values reach from {least:g} to {most:g}, outside {low:g} to {high:g} "
                f"({given_by}). {advice}"
            )
    return float(low), float(high)
