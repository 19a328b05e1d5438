"""Measures that a user writes as a Python function; their chance is sampled."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tare._data.judged import Judged
from tare._kernels import Rankings
from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.one_system import Evaluation, Sampling
from tare._measures.registry import register
from tare.errors import MeasureError

__all__ = ["sampled_moments", "user_measure", "value_of_order"]

Grades = list[float | None]


def user_measure(
    name: str,
    function: Callable[[Grades], float],
    *,
    title: str = "",
    bounds: tuple[float | None, float | None] = (None, None),
) -> Measure:
    """Register a measure that is a Python function of the grades in rank order.

    The measure can be used like any other: by its name in `tare.evaluate`, and inside E, Net, V1, V2
    and Z. Its expected value is sampled. ``ties="expected"`` is not available for it.

    Parameters
    ----------
    name
        The name of the measure; it must not be taken.
    function
        Called with the grades of one ranking; an unjudged document has the grade None.
    title
        A short description.
    bounds
        The smallest and the largest possible value; None if there is no bound.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    MeasureError
        If a measure of that name exists.

    Examples
    --------
    >>> import tare
    >>> def top_grade(grades):
    ...     return float(grades[0] or 0) if grades else 0.0
    >>> tare.user_measure("TopGrade", top_grade)
    TopGrade
    >>> tare.evaluate({"q": {"a": 2, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, "TopGrade").mean
    2.0
    """
    register(
        Definition(
            name,
            title or f"User's {name}",
            f"{getattr(function, '__name__', name)}(grades in rank order)",
            "given by the user",
            bounds=bounds,
            family="user",
            function=function,
            derive=_values,
            expected="by sampling",
            upper="that of the documents by descending grade",
        )
    )
    return Measure(name)


def _values(evaluation: Evaluation, measure: Measure) -> NDArray[np.float64]:
    if evaluation.judged.policies.ties == "expected":
        raise MeasureError(
            f"{measure} is a Python function; ties='expected' is not available for it."
        )
    return np.array([_call(measure, grades) for grades in evaluation.judged.grades()])


def _call(measure: Measure, grades: Grades) -> float:
    function = measure.definition.function
    assert function is not None
    try:
        return float(function(grades))
    except Exception as error:
        raise MeasureError(
            f"{measure} failed on the grades {grades[:10]}: {type(error).__name__}: {error}"
        ) from error


def _pools(judged: Judged, arrays: Rankings) -> Iterator[Grades]:
    """Yield the grades of each query's documents, the unjudged ones last."""
    offsets, levels = arrays.offsets, judged.qrels.levels
    for q, size in enumerate(arrays.retrieved.tolist()):
        codes = arrays.codes[offsets[q] : offsets[q + 1]]
        known: Grades = [float(levels[c]) for c in codes]
        if size > 10_000_000:
            raise MeasureError(
                "a Python function cannot be sampled on pools of more than 10,000,000 documents."
            )
        yield known + [None] * (size - len(known))


def value_of_order(judged: Judged, measure: Measure, arrays: Rankings) -> NDArray[np.float64]:
    """Return the values of the function on rankings given by the ranks of the judged documents."""
    values = []
    offsets, levels = arrays.offsets, judged.qrels.levels
    for q, size in enumerate(arrays.retrieved.tolist()):
        grades: Grades = [None] * size
        for h in range(offsets[q], offsets[q + 1]):
            grades[int(arrays.ranks[h]) - 1] = float(levels[arrays.codes[h]])
        values.append(_call(measure, grades))
    return np.array(values)


def sampled_moments(
    judged: Judged, measure: Measure, tied: Rankings, sampling: Sampling
) -> tuple[NDArray[np.float64], ...]:
    """Return mean, error of the mean, variance and its error over sampled orders, per query."""
    out = np.zeros((4, len(judged.items)))
    for q, grades in enumerate(_pools(judged, tied)):
        if not grades:
            continue
        random = np.random.Generator(np.random.Philox(key=[sampling.seed, int(judged.streams[q])]))
        values = np.array(
            [
                _call(measure, [grades[i] for i in random.permutation(len(grades))])
                for _ in range(sampling.samples)
            ]
        )
        variance = float(values.var(ddof=1)) if len(values) > 1 else 0.0
        fourth = float(((values - values.mean()) ** 4).mean())
        out[:, q] = (
            values.mean(),
            np.sqrt(variance / len(values)),
            variance,
            np.sqrt(max(0.0, fourth - variance**2) / len(values)),
        )
    return tuple(out)
