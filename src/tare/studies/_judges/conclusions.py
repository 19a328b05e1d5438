"""What may be concluded about a judge: one paragraph, each sentence with the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tare._result import Rows
from tare._tables import p_stated
from tare.studies._judges.significance import ALL, JUDGED, PEOPLE

__all__ = ["paragraph"]


def paragraph(judge: str, rows: dict[str, Rows], alpha: float) -> str:
    """Return the conclusions about one judge; intervals that contain 0 lead to no claim."""
    parts = [_labels(judge, rows), *_ceiling(judge, rows), *_systems(judge, rows, alpha)]
    tested = [r for r in rows.get("groups", []) if r["judge"] == judge]
    if not tested:
        parts.append(
            "This holds for queries and systems like these. It does not show how the judge treats systems "
            "that were built with the same model."
            if rows.get("correlations")
            else "Without runs, nothing follows about the order of systems."
        )
    return " ".join(p for p in parts if p)


def _own(rows: dict[str, Rows], table: str, judge: str) -> Rows:
    return [r for r in rows.get(table, []) if r["judge"] == judge]


def _interval(row: dict[str, Any], name: str, signed: bool = False) -> str:
    form = "+.3f" if signed else ".3f"
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    ends = "" if low is None or high is None else f" [{low:{form}}, {high:{form}}]"
    return f"{row[name]:{form}}{ends}".replace("-", "−")


def _turned(row: dict[str, Any]) -> dict[str, Any]:
    """Return leniency as strictness."""
    names = {
        "leniency": "leniency",
        "leniency_low": "leniency_high",
        "leniency_high": "leniency_low",
    }
    return {new: -row[old] for new, old in names.items()}


def _side(low: float | None, high: float | None) -> int:
    """Return the sign of an interval, 0 if it contains 0 or is missing."""
    if low is None or high is None:
        return 0
    return 1 if low > 0 else -1 if high < 0 else 0


def _labels(judge: str, rows: dict[str, Rows]) -> str:
    row = _own(rows, "agreement", judge)[0]
    pairs = f"{row['pairs']:,} pairs of {row['queries']:,} queries"
    if row["scale"] != "same":
        ranked = _own(rows, "ranks", judge)
        auc = (
            f" AUC {_interval(ranked[0], 'auc')}."
            if ranked and ranked[0]["auc"] == ranked[0]["auc"]
            else ""
        )
        return (
            f"{judge} labels on another scale than people ({pairs}), so κ of grades and leniency are not "
            f"defined.{auc}"
        )
    side = _side(row["kappa_low"], row["kappa_high"])
    against = {1: "above chance", 0: "not shown to differ from chance", -1: "below chance"}[side]
    text = (
        f"{judge} and people agree on {_share(row['equal'])} of {pairs}; labels drawn with the same "
        f"frequencies would agree on {_share(row['by_chance'])}. Cohen's κ is {_interval(row, 'kappa')}, "
        f"{against}."
    )
    if "leniency" in row:
        side = _side(row["leniency_low"], row["leniency_high"])
        shift = _interval(row, "leniency", True)
        if side > 0:
            text += f" The judge is more lenient than people, by {_interval(row, 'leniency')} grades on average."
        elif side < 0:
            strict = _interval(_turned(row), "leniency")
            text += f" The judge is stricter than people, by {strict} grades on average."
        else:
            text += f" The mean difference of grades is {shift}: neither leniency nor strictness is shown."
    return text


def _ceiling(judge: str, rows: dict[str, Rows]) -> list[str]:
    made = []
    for row in _own(rows, "ceiling", judge):
        side = _side(row["low"], row["high"])
        said = {
            1: "the judge agrees better with the first person than the second person does",
            -1: "the judge agrees less with the first person than the second person does",
            0: "which of the two is higher is not shown",
        }[side]
        made.append(
            f"On {row['pairs']:,} pairs labelled by {row['against']} and {row['person']}, κ with "
            f"{row['against']} is {row['kappa_judge']:.3f} for the judge and {row['kappa_person']:.3f} for "
            f"{row['person']}: {said}."
        )
    return made


def _systems(judge: str, rows: dict[str, Rows], alpha: float) -> list[str]:
    made = []
    for row in _own(rows, "correlations", judge)[:1]:
        measure = row["measure"]
        made.append(
            f"By {measure}, τ-b between the rankings of {row['systems']} systems is "
            f"{_interval(row, 'tau_b')}; the largest change is {row['largest_change']:g} ranks "
            f"({row['changed_system']}, from {row['rank_human']:g} to {row['rank_judge']:g})."
        )
        own = [r for r in _own(rows, "systems", judge) if r["measure"] == measure]
        sides = [_side(r["low"], r["high"]) for r in own]
        made.append(
            f"For {sides.count(1)} of {len(own)} systems the mean by the judge is higher than by people, and for "
            f"{sides.count(-1)} it is lower (intervals of single systems that exclude 0)."
        )
        found = {
            r["comparison"]: r for r in _own(rows, "conclusions", judge) if r["measure"] == measure
        }
        made += _decisions(
            found, [r for r in _own(rows, "pairs", judge) if r["measure"] == measure]
        )
        for group in [r for r in _own(rows, "groups", judge) if r["measure"] == measure][:1]:
            shown = group["p_all"] < alpha
            made.append(
                f"The bias {'differs' if shown else 'is not shown to differ'} between the values of "
                f"{group['attribute']} (permutation test, {p_stated(group['p_all'])})."
            )
    return made


def _decisions(found: dict[str, dict[str, Any]], pairs: Sequence[dict[str, Any]]) -> list[str]:
    row = found[ALL]
    reversed_ = sum(r["reversed"] for r in pairs)
    made = [
        f"Of the differences between systems that are significant under labels of people, the judge finds "
        f"{_share(row['recall'])}; of those that it finds, {_share(row['precision'])} are significant for "
        f"people; {reversed_} of {row['pairs']} pairs are significant in opposite directions."
    ]
    if JUDGED in found:
        ours, theirs = found[JUDGED], found[PEOPLE]
        made.append(
            f"Yardstick: from one random half of the queries to the other, {_share(ours['recall'])} of the "
            f"differences found by people are found by the judge, and {_share(theirs['recall'])} by "
            f"people (means of {ours['splits']} splits)."
        )
    return made


def _share(value: float) -> str:
    return "none (there are none)" if value != value else f"{100 * value:.1f} %"
