"""Holm's correction over the judges, so that many judges do not find more by chance."""

from __future__ import annotations

from collections.abc import Sequence

from tare._result import Rows
from tare.stats._corrections import adjust

__all__ = ["corrected_over_judges"]


def corrected_over_judges(rows: dict[str, Rows]) -> None:
    """Add the p-values that Holm's correction adjusts over all judges, question by question.

    Families: κ of all judges; leniency of all judges; judges and persons; and for each measure, the
    systems of all judges, the groups of all judges, and the tests of all groups at once.
    """
    _adjust(rows["agreement"], "kappa_p")
    _adjust(rows["agreement"], "leniency_p")
    _adjust(rows["ceiling"], "p")
    for measure in dict.fromkeys(r["measure"] for r in rows["systems"]):
        _adjust([r for r in rows["systems"] if r["measure"] == measure], "p")
        groups = [r for r in rows["groups"] if r["measure"] == measure]
        by_judge: dict[str, Rows] = {}
        for row in groups:
            by_judge.setdefault(row["judge"], []).append(row)
        # The two groups of an attribute with two values are one comparison.
        first = [r for own in by_judge.values() for r in (own[:1] if len(own) == 2 else own)]
        _adjust(first, "p")
        heads = [own[0] for own in by_judge.values()]
        _adjust(heads, "p_all")
        for own in by_judge.values():
            for row in own[1:]:
                row["p_all_adjusted"] = own[0]["p_all_adjusted"]
                if len(own) == 2:
                    row["p_adjusted"] = own[0]["p_adjusted"]


def _adjust(rows: Sequence[dict[str, object]], name: str) -> None:
    given = [r for r in rows if isinstance(r.get(name), float)]
    adjusted = adjust([r[name] for r in given], "holm").tolist()  # type: ignore[arg-type]
    for row, p in zip(given, adjusted, strict=True):
        row[f"{name}_adjusted"] = p
