"""What may be concluded about a judge: one paragraph, each sentence with the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tare._result import Rows
from tare._tables import p_stated
from tare.studies._judges.significance import ALL, JUDGED, PEOPLE

__all__ = ["paragraph"]


def paragraph(judge: str, rows: dict[str, Rows], alpha: float, confidence: float) -> str:
    """Return the conclusions about one judge; a claim needs a p-value, adjusted over the judges."""
    parts = [
        _labels(judge, rows, alpha),
        *_ceiling(judge, rows, alpha),
        *_systems(judge, rows, alpha),
        f"Brackets: {100 * confidence:g} % intervals for query sets of this size, each on its own.",
        _family(rows),
    ]
    tested = [r for r in rows.get("groups", []) if r["judge"] == judge]
    if not tested:
        parts.append(
            "This is about these systems, and about queries like these. It does not show how the judge treats systems "
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


def _side(value: float, p: float | None, alpha: float) -> int:
    """Return the sign of a value that is shown to differ from 0; 0 if it is not."""
    if p is None or not p <= alpha or value == 0:
        return 0
    return 1 if value > 0 else -1


def _p(p: float | None) -> str:
    return "not tested" if p is None or p != p else p_stated(p)


def _family(rows: dict[str, Rows]) -> str:
    """Say what the p-values are adjusted over."""
    count = len({r["judge"] for r in rows["agreement"] if "failed" in r})
    if count < 2:
        return ""
    return f"Each p is adjusted over those of the {count} judges that have one (Holm)."


def _labels(judge: str, rows: dict[str, Rows], alpha: float) -> str:
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
    p = row.get("kappa_p_adjusted")
    against = {1: "above chance", 0: "not shown to differ from chance", -1: "below chance"}
    text = (
        f"{judge} and people agree on {_share(row['equal'])} of {pairs}; labels drawn with the same "
        f"frequencies would agree on {_share(row['by_chance'])}. Cohen's κ is {_interval(row, 'kappa')}, "
        f"{against[_side(row['kappa'], p, alpha)]} ({_p(p)})."
    )
    if "leniency" in row:
        p = row.get("leniency_p_adjusted")
        said = {
            1: "the judge is more lenient than people",
            -1: "the judge is stricter than people",
            0: "neither leniency nor strictness is shown",
        }
        text += (
            f" The mean difference of grades, judge − people, is {_interval(row, 'leniency', True)}: "
            f"{said[_side(row['leniency'], p, alpha)]} ({_p(p)})."
        )
    return text


def _ceiling(judge: str, rows: dict[str, Rows], alpha: float) -> list[str]:
    made = []
    for row in _own(rows, "ceiling", judge):
        p = row.get("p_adjusted")
        said = {
            1: "the judge agrees better with the first person than the second person does",
            -1: "the judge agrees less with the first person than the second person does",
            0: "which of the two is higher is not shown",
        }[_side(row["difference"], p, alpha)]
        made.append(
            f"On {row['pairs']:,} pairs labelled by {row['against']} and {row['person']}, κ with "
            f"{row['against']} is {row['kappa_judge']:.3f} for the judge and {row['kappa_person']:.3f} for "
            f"{row['person']}: {said} ({_p(p)})."
        )
    return made


def _systems(judge: str, rows: dict[str, Rows], alpha: float) -> list[str]:
    made = []
    for row in _own(rows, "correlations", judge)[:1]:
        measure = row["measure"]
        change = (
            f"the largest change is {row['largest_change']:g} ranks ({row['changed_system']}, from "
            f"{row['rank_human']:g} to {row['rank_judge']:g})"
            if row["largest_change"]
            else "no system changes its rank"
        )
        made.append(
            f"By {measure}, τ-b between the rankings of {row['systems']} systems is "
            f"{_interval(row, 'tau_b')}; {change}."
        )
        own = [r for r in _own(rows, "systems", judge) if r["measure"] == measure]
        sides = [_side(r["bias"], r.get("p_adjusted"), alpha) for r in own]
        made.append(
            f"For {sides.count(1)} of {len(own)} systems the mean by the judge is shown to be higher than by "
            f"people, and for {sides.count(-1)} lower (t-tests, adjusted for the systems of all judges)."
        )
        found = {
            r["comparison"]: r for r in _own(rows, "conclusions", judge) if r["measure"] == measure
        }
        made += _decisions(
            found, [r for r in _own(rows, "pairs", judge) if r["measure"] == measure]
        )
        for group in [r for r in _own(rows, "groups", judge) if r["measure"] == measure][:1]:
            p = group["p_all_adjusted"]
            made.append(
                f"The bias {'differs' if p <= alpha else 'is not shown to differ'} between the values of "
                f"{group['attribute']} (permutation test, {_p(p)})."
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
