"""The gate: paired non-inferiority of a candidate against its baseline, for several measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from tare._decide.gate.baseline import changes, only_system
from tare._decide.gate.result import Gate, GateRow
from tare._measures.column_measure import column_measure
from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare.errors import MeasureError, OptionError, choose
from tare.stats._non_inferiority import non_inferiority, verdicts

if TYPE_CHECKING:
    from tare._decide.ppi.estimates import Estimates

__all__ = ["gate", "level_of_look"]

OnUnclear = Literal["report", "pass", "fail"]
ON_UNCLEAR: tuple[OnUnclear, ...] = ("report", "pass", "fail")


def level_of_look(alpha: float, look: int, looks: int | None = None) -> float:
    """Return the error rate of one look: α·6/(π²t²) for look t, or α/T if T looks are planned.

    Each look is another candidate on the same queries, so the error rates are added up: their sum over
    all looks is at most α.

    >>> round(level_of_look(0.05, 1), 4), level_of_look(0.05, 3, 10)
    (0.0304, 0.005)
    """
    if looks is None:
        return alpha * 6 / (math.pi * look) ** 2
    if look > looks:
        raise OptionError(
            f"this is look {look}, and --looks planned {looks}. Begin a new history, or plan more looks."
        )
    return alpha / looks


def gate(
    candidate: Scores | Estimates,
    baseline: Scores | Estimates,
    margins: Mapping[str, float] | Mapping[Measure, float],
    *,
    alpha: float = 0.05,
    system: str | None = None,
    baseline_system: str | None = None,
    on_unclear: OnUnclear = "report",
    look: int | None = None,
    looks: int | None = None,
) -> Gate:
    """Decide whether a candidate is not worse than its baseline.

    For each measure, d is the mean of candidate − baseline over their common items, and low and high
    are its one-sided bounds with confidence 1 − alpha. With the margin m, the verdict is *not worse* if
    low > −m; *worse* if low ≤ −m and d is significantly below 0; and *cannot tell* otherwise. "Worse"
    is corrected over measures by Holm's method; "not worse" needs no correction, because all measures
    must pass.

    Parameters
    ----------
    candidate, baseline : Scores or Estimates
        Score tables with the same measures; or both estimates, as `tare.estimate` returns them. Estimates
        are compared with their own standard errors, in pairs if both have the same queries and labels.
    margins : dict of measure to float
        The largest loss of each measure that is accepted.
    alpha : float
        Error rate.
    system, baseline_system : str, optional
        The systems to compare, if a table has several.
    on_unclear : {"report", "pass", "fail"}
        What "cannot tell" means for the exit code: 4, 0 or 1.
    look : int, optional
        The number of this look, if candidates are compared again and again with the same queries. Look t
        uses the error rate α·6/(π²t²).
    looks : int, optional
        The planned number of looks; each then uses alpha/looks.

    Returns
    -------
    Gate
        The verdicts, the findings about the data, and the exit code.

    Raises
    ------
    OptionError
        If no margin is given, or an option is out of range.
    MismatchError
        If the tables have fewer than two items in common.

    Examples
    --------
    >>> import tare
    >>> qrels = {f"q{k}": {"a": 1, "b": 0} for k in range(8)}
    >>> good = {f"q{k}": {"a": 2.0, "b": 1.0} for k in range(8)}
    >>> bad = {f"q{k}": {"a": 1.0, "b": 2.0} for k in range(8)}
    >>> before, after = (tare.evaluate(qrels, run, "RR") for run in (good, bad))
    >>> tare.gate(after, before, {"RR": 0.05}).verdict
    'worse'
    """
    if not margins:
        raise OptionError(
            "no measure was given. Give each measure with the loss that you accept, such as "
            "-m nDCG@10:0.01."
        )
    choose("on_unclear", on_unclear, ON_UNCLEAR)
    level = alpha if look is None and looks is None else level_of_look(alpha, look or 1, looks)
    if not isinstance(candidate, Scores) or not isinstance(baseline, Scores):
        return _of_estimates(
            candidate,
            baseline,
            {str(measure): float(margin) for measure, margin in margins.items()},
            level=level,
            alpha=alpha,
            system=system,
            baseline_system=baseline_system,
            on_unclear=on_unclear,
            look=look,
        )
    wanted = {column_measure(measure): float(margin) for measure, margin in margins.items()}
    chosen = list(wanted)
    new = candidate.select(
        systems=[only_system(candidate, system, "candidate")], measures=_present(candidate, chosen)
    )
    old = baseline.select(
        systems=[only_system(baseline, baseline_system, "baseline")],
        measures=_present(baseline, chosen),
    )
    findings = changes(new, old, tuple(chosen))
    present = set(new.items)
    common = [item for item in old.items if item in present]
    here, there = new.select(items=common), old.select(items=common)
    compared, losses = [], []
    for measure in chosen:
        _refuse_unordered(measure)
        sign = -1.0 if measure.better == "lower" else 1.0
        values = [
            scores.contributions(measure, linearised=True)[0] * sign for scores in (here, there)
        ]
        differences = values[0] - values[1]
        compared.append(non_inferiority(differences, wanted[measure], alpha=level))
        order = sorted(
            (k for k in range(len(common)) if differences[k] < 0), key=lambda k: differences[k]
        )
        losses.append(tuple((common[k], float(differences[k])) for k in order[:5]))
    found = verdicts(compared)
    rows = tuple(
        GateRow(
            measure.text,
            here.means()[here.systems[0]][measure.text],
            there.means()[there.systems[0]][measure.text],
            one,
            verdict,
            lost,
        )
        for measure, one, verdict, lost in zip(chosen, compared, found, losses, strict=True)
    )
    return Gate(
        rows,
        tuple(findings),
        here.systems[0],
        there.systems[0],
        alpha,
        on_unclear,
        look,
        here.signatures,
    )


def _of_estimates(
    candidate: object, baseline: object, margins: dict[str, float], **more: Any
) -> Gate:
    """Compare estimates; a score table cannot be compared with them."""
    from tare._decide.gate.estimates import gate_of_estimates
    from tare._decide.ppi.estimates import Estimates

    if not isinstance(candidate, Estimates) or not isinstance(baseline, Estimates):
        kinds = [type(given).__name__ for given in (candidate, baseline)]
        raise OptionError(
            f"the candidate is of type {kinds[0]} and the baseline of type {kinds[1]}; a gate compares two "
            "score tables, or two estimates."
        )
    return gate_of_estimates(candidate, baseline, margins, **more)


def _present(scores: Scores, measures: list[Measure]) -> list[Measure]:
    lacking = [measure.text for measure in measures if measure.text not in scores.measure_names]
    if lacking:
        raise OptionError(
            f"a score table lacks {', '.join(lacking)}; it has {', '.join(scores.measure_names)}. "
            "Save the baseline with the measures of the gate."
        )
    return measures


def _refuse_unordered(measure: Measure) -> None:
    if measure.better == "neither":
        raise MeasureError(
            f"higher values of {measure} are neither better nor worse; choose another."
        )
    if measure.aggregate not in ("mean", "ratio"):
        raise MeasureError(
            f"{measure} is not a mean over queries, so its loss has no paired test. Choose a measure that "
            "is averaged, such as AP."
        )
