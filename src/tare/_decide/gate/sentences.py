"""What a gate says: one sentence per measure, and one about all of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tare._decide.gate.numbers import number, signed
from tare._plain_text import plain
from tare._tables import p_stated
from tare.stats._losses import least_changed

if TYPE_CHECKING:
    from tare._decide.gate.result import Gate, GateRow

__all__ = ["about_all", "about_one", "changed_list", "context", "singular"]

MOST = 5  # queries that are named


def about_all(gate: Gate) -> str:
    """Return the verdict of a gate as a sentence."""
    if len(gate.measures) == 1:
        return about_one(gate.measures[0], gate)
    count = f"{len(gate.measures):,} measures"
    lost = [row.measure for row in gate.measures if row.verdict == "loss shown"]
    if lost:
        return f"A loss is shown by {len(lost):,} of {count}: {', '.join(lost)}."
    if gate.certify:
        without = [row.measure for row in gate.measures if row.verdict == "not certified"]
        if without:
            return f"Not certified by {len(without):,} of {count}: {', '.join(without)}."
        return f"Certified by all {count}."
    verdicts = {row.verdict for row in gate.measures}
    if verdicts == {"nothing changed"}:
        return f"Nothing changed on {_on(gate.measures[0])}, by {count}."
    if verdicts <= {"nothing changed", "without evidence"}:
        return f"Passed without evidence: too few queries changed by {count}."
    said = f"No loss shown by any of {count}."
    if "within tolerance" in verdicts:
        within = [row.measure for row in gate.measures if row.verdict == "within tolerance"]
        said = f"No loss beyond its tolerance shown by any of {count}; a loss within it by {', '.join(within)}."
    without = [row.measure for row in gate.measures if row.verdict == "without evidence"]
    return f"{said} Passed without evidence by {', '.join(without)}." if without else said


def about_one(row: GateRow, gate: Gate) -> str:
    """Return the verdict of one measure as a sentence."""
    if not gate.certify:
        return _loss(row, gate)
    if row.verdict == "certified":
        smaller = ""
        if row.adjusted <= gate.alpha:
            found = f"{signed(row.difference)}, adjusted {p_stated(row.adjusted)}"
            smaller = f" A loss is shown ({found}), smaller than your margin of {row.margin:g}."
        return _certified(row, gate) + smaller
    if row.verdict == "loss shown":
        return f"{_loss(row, gate)} {_not_certified(row, gate)}"
    return _not_certified(row, gate)


def _loss(row: GateRow, gate: Gate) -> str:
    """Return what the flips show."""
    if row.verdict == "loss shown":
        p = p_stated(row.adjusted)
        p = p if len(gate.measures) == 1 else f"adjusted {p}"
        counts = "" if row.lost is None else f" {_counts(row)};"
        return f"A loss is shown: {signed(row.difference)} on {_on(row)};{counts} {p}."
    if row.verdict == "within tolerance":
        limit = None if row.margin is None else -row.margin
        return (
            f"A loss is shown ({signed(row.difference, limit)}, adjusted {p_stated(row.adjusted)}), within your "
            f"tolerance of {row.margin:g}."
        )
    if row.verdict == "nothing changed":
        return f"Nothing changed on {_on(row)}."
    if row.verdict == "without evidence":
        least = least_changed(gate.alpha / len(gate.measures))
        count = row.changed or 0
        some = f"{count:,} {_noun(row, count)}"
        return (
            f"Passed without evidence: {some} changed, {row.lost:,} lost; a loss can be shown from {least} "
            f"changed {_noun(row, least)} on."
        )
    said = f"No loss shown (adjusted {p_stated(row.adjusted)})."
    if math.isnan(row.detectable):
        return said
    what = "shown" if row.margin is None else "blocked"
    return (
        f"{said} A mean loss of about {number(row.detectable, 2)} would be {what} in 80 % of such "
        f"{'text' if row.unit == 'texts' else 'query'} sets; smaller ones usually stay unseen."
    )


def _certified(row: GateRow, gate: Gate) -> str:
    why = "conjectured bound" if row.lost is not None else "if errors are normal"
    if row.clusters:
        why += "; the mean over clusters"
    return (
        f"Certified: in at most {100 * gate.alpha:g} % of {'text' if row.unit == 'texts' else 'query'} sets "
        f"would a mean loss of {row.margin:g} or more be certified ({why})."
    )


def _not_certified(row: GateRow, gate: Gate) -> str:
    if row.needed is not None and row.units < row.needed:
        return (
            f"Not certified: with {row.units:,} {_noun(row, row.units)} a margin of {row.margin:g} can be "
            f"certified only for a candidate that gains; without any change {row.needed:,} are needed."
        )
    found = f"lower bound {signed(row.bound, -(row.margin or 0))}"
    if not math.isnan(row.certificate_p):
        found = f"{p_stated(row.certificate_p)}, {found}"
    return f"Not certified: a mean loss of {row.margin:g} is not ruled out ({found})."


def _on(row: GateRow) -> str:
    """Return "100 queries", or "100 queries in 12 clusters"."""
    one = f"{row.n:,} {singular(row.unit) if row.n == 1 else row.unit}"
    return (
        f"{one} in {row.clusters:,} cluster{'' if row.clusters == 1 else 's'}"
        if row.clusters
        else one
    )


def _counts(row: GateRow) -> str:
    what = f"{_noun(row, row.lost or 0)} " if row.clusters else ""
    return f"{row.lost:,} {what}lost, {row.gained:,} gained"


def _noun(row: GateRow, count: int) -> str:
    """Return what is flipped: queries, or clusters."""
    unit = "clusters" if row.clusters else row.unit
    return singular(unit) if count == 1 else unit


def singular(unit: str) -> str:
    return f"{unit[:-3]}y" if unit.endswith("ies") else unit.removesuffix("s")


def context(row: GateRow, gate: Gate) -> str:
    """Return the scores behind a verdict: "new 0.512 against old 0.509: +0.003 on 100 queries; …"."""
    said = (
        f"{plain(gate.system)} {number(row.candidate, 3)} against {plain(gate.baseline_system)} "
        f"{number(row.baseline, 3)}: {signed(row.difference)}"
    )
    if row.verdict not in ("loss shown", "nothing changed"):  # whose sentence has these numbers
        said += f" on {_on(row)}"
        if row.lost is not None:
            said += f"; {_counts(row)}"
    if row.verdict == "certified":
        said += f"; lower bound {signed(row.bound, -(row.margin or 0))}"
    return f"{said}."


def changed_list(row: GateRow, *, code: bool = False) -> str:
    """Return the items that lost most; all that changed if they are too few for evidence."""
    if row.verdict == "without evidence":
        shown, name = row.changes(), "Changed"
    else:
        shown, name = row.changes()[:MOST], "Lost most"
        shown = [(item, value) for item, value in shown if value < 0]
    if not shown:
        return ""
    mark = "`" if code else ""
    return f"{name}: {', '.join(f'{mark}{plain(item)}{mark} {signed(d)}' for item, d in shown)}."
