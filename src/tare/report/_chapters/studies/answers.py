"""Figures and findings of the study of answers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tare.report._blocks import Figure
from tare.report._charts.answers import nuggets_by_topic, vital_against_all

if TYPE_CHECKING:
    from tare.studies._answers import AnswerStudy

__all__ = ["figures", "findings"]

MAX_TOPICS = 120


def findings(study: AnswerStudy) -> list[str]:
    """Return how many nuggets are found, and how often by none, and how important nuggets fare."""
    made = []
    if study.nuggets:
        none = sum(row["found"] == 0 for row in study.nuggets)
        mean = sum(row["found"] for row in study.nuggets) / len(study.nuggets)
        made.append(
            f"Answers earn {100 * mean:.1f} % of the credit of a nugget on average; {none:,} of "
            f"{len(study.nuggets):,} nuggets are found in no answer."
        )
        groups = {
            word: [r["found"] for r in study.nuggets if r["importance"] == word]
            for word in ("vital", "okay")
        }
        if all(groups.values()):
            vital, okay = (sum(own) / len(own) for own in groups.values())
            made.append(
                f"Vital nuggets earn {100 * vital:.1f} % and okay nuggets {100 * okay:.1f} % on average."
            )
    refused = sum({r["system"]: r["refusals"] for r in study.systems}.values())
    if refused:
        made.append(f"{refused:,} answers are refusals; they are counted apart.")
    return made


def figures(study: AnswerStudy) -> dict[str, list[Figure]]:
    """Draw important nuggets against all, and the heat map of nuggets by topic."""
    made: dict[str, list[Figure]] = {}
    up = next(
        (n for n in ("NuggetVital", "NuggetWeighted") if n in study.scores.measure_names), None
    )
    if up is not None and "NuggetAll" in study.scores.measure_names:
        rows = _paired(study, "NuggetAll", up)
        if rows:
            what = "vital nuggets" if up == "NuggetVital" else "nuggets, by weight,"
            caption = (
                f"One dot per system, with {100 * study.confidence:g} % intervals over topics. Above the dashed "
                f"line a system finds {what} more often than all nuggets."
            )
            chart = vital_against_all(rows, across="NuggetAll", up=up)
            made["systems"] = [
                Figure("vital against all", chart, caption, f"{up} against NuggetAll", 460)
            ]
    if study.nuggets:
        drawn, note = _drawn(study)
        caption = (
            "One row per topic, the hardest first; one cell per nugget, coloured by the mean credit over the "
            f"answers. {_major_words(study)}{note}"
        )
        topics = len({row["topic"] for row in drawn})
        chart = nuggets_by_topic(drawn)
        made["nuggets"] = [
            Figure(
                "nuggets by topic", chart, caption, "Nuggets by topic", 110 + 18 * min(topics, 60)
            )
        ]
    return made


def _paired(study: AnswerStudy, across: str, up: str) -> list[dict[str, Any]]:
    by = {(r["system"], r["measure"]): r for r in study.systems}
    made = []
    for system in study.scores.systems:
        one, two = by[system, across], by[system, up]
        if math.isnan(one["mean"]) or math.isnan(two["mean"]):
            continue
        made.append(
            {
                "system": system,
                "x": one["mean"],
                "x_low": one["low"],
                "x_high": one["high"],
                "y": two["mean"],
                "y_low": two["low"],
                "y_high": two["high"],
            }
        )
    return made


def _major_words(study: AnswerStudy) -> str:
    if study.importance is None:
        return ""
    if study.importance == "words":
        return "Vital nuggets fill their row, okay nuggets are lower cells."
    return "Nuggets with at least the mean weight of their topic fill their row, the others are lower cells."


def _drawn(study: AnswerStudy) -> tuple[list[dict[str, Any]], str]:
    """Return the nuggets to draw, each with whether it is major, and a note if topics are left out."""
    topics: dict[str, list[dict[str, Any]]] = {}
    for row in study.nuggets:
        topics.setdefault(row["topic"], []).append(row)
    kept = sorted(topics, key=lambda t: sum(r["found"] for r in topics[t]) / len(topics[t]))
    note = ""
    if len(kept) > MAX_TOPICS:
        note = f" The chart shows the {MAX_TOPICS} hardest of {len(kept):,} topics."
        kept = kept[:MAX_TOPICS]
    made = []
    for topic in kept:
        own = topics[topic]
        weights = [r["importance"] for r in own if isinstance(r["importance"], int | float)]
        mean = sum(weights) / len(weights) if weights else 0.0
        for r in own:
            value = r["importance"]
            major = value >= mean if isinstance(value, int | float) else value != "okay"
            made.append(
                {**r, "major": bool(major), "importance": "" if value is None else str(value)}
            )
    return made, note
