"""Every chart is drawn with the data that it was given."""

import io
import json
import re

import numpy as np
import pytest
from PIL import Image

from tare.errors import OptionError
from tare.report._answers import nuggets_by_topic, vital_against_all
from tare.report._arena import rating_intervals, win_matrix
from tare.report._assessors import contingency
from tare.report._blocks import Figure
from tare.report._chance import expected_histogram, score_against_chance
from tare.report._diversity import overlaid_orders, rank_slopes
from tare.report._items import simultaneous_intervals
from tare.report._judges import (
    WORDS,
    judge_leniency,
    label_confusion,
    nine_cells,
    systems_by_labels,
)
from tare.report._leaderboard import critical_differences, rank_interval_chart
from tare.report._marks import curves, grouped_bars, intervals, strip
from tare.report._page import FORMATS, figure_bytes, save_figures
from tare.report._pairs import difference_bars, pair_intervals
from tare.report._people import human_machine_gap
from tare.report._queries import score_matrix
from tare.report._score_table import asl_curves, correlation_heatmap
from tare.report._systems import BEST, WORSE, mean_intervals
from tests.unit.report.layout import boxes
from tests.unit.report.test_page import HOSTILE

HUMAN = [
    {"system": f"m{k}", "automatic": 0.1 * k, "human": 1 + 2 * 0.1 * k, "person": False}
    for k in range(6)
] + [{"system": "A", "automatic": 0.5, "human": 4.0, "person": True}]

EXAMPLES = {
    "score_against_chance": lambda: score_against_chance(
        [
            {"system": s, "item": f"q{k}", "score": 0.1 * k, "chance": 0.05 * k, "kind": kind}
            for s in ("a", "b")
            for k, kind in enumerate(("hard", "informative", "ideal", "easy"))
        ],
        measure="nDCG@10",
    ),
    "nuggets_by_topic": lambda: nuggets_by_topic(
        [
            {
                "topic": f"q{t}",
                "text": f"fact {t} {k}",
                "importance": "okay" if k else "vital",
                "major": not k,
                "found": 0.2 * k,
                "answers": 3,
            }
            for t in range(3)
            for k in range(t + 2)
        ]
    ),
    "vital_against_all": lambda: vital_against_all(
        [
            {
                "system": s,
                "x": x,
                "x_low": x - 0.1,
                "x_high": x + 0.1,
                "y": x + 0.05,
                "y_low": x - 0.1,
                "y_high": x + 0.2,
            }
            for s, x in (("a", 0.3), ("b", 0.6))
        ]
    ),
    "expected_histogram": lambda: expected_histogram({"AP": [0.01, 0.02, 0.5, float("nan")]}),
    "mean_intervals": lambda: mean_intervals(
        [
            {
                "system": s,
                "mean": m,
                "low": m - 0.1,
                "high": m + 0.1,
                "chance": 0.2,
                "state": BEST if m > 0.5 else WORSE,
            }
            for s, m in (("a", 0.7), ("b", 0.4))
        ],
        measure="AP",
        interval="95 % interval",
    ),
    "rating_intervals": lambda: rating_intervals(
        [
            {
                "system": s,
                "rating": m,
                "low": m - 0.2,
                "high": m + 0.2,
                "rank_low": r,
                "rank_high": r + 1,
                "win_rate": 0.5 + m / 4,
            }
            for s, m, r in (("a", 0.7, 1), ("b", -0.1, 2), ("c", -0.6, 2))
        ],
        interval="95 % interval",
    ),
    "win_matrix": lambda: win_matrix(
        [
            {"a": a, "b": b, "battles": 20, "win_rate": w, "expected_win_rate": 0.5}
            for a, b, w in (("x", "y", 0.75), ("y", "x", 0.25), ("x", "z", 0.5), ("z", "x", 0.5))
        ],
        systems=["x", "y", "z"],
    ),
    "rank_slopes": lambda: rank_slopes(
        [{"system": "a", "before": 1, "after": 2}, {"system": "b", "before": 2, "after": 1}],
        left="AP",
        right="V2(AP)",
    ),
    "pair_intervals": lambda: pair_intervals(
        [
            {
                "system": "a",
                "against": "b",
                "difference": 0.1,
                "low": 0.0,
                "high": 0.2,
                "significant": True,
                "p_adjusted": 0.01,
            }
        ],
        measure="AP",
        interval="95 %",
    ),
    "difference_bars": lambda: difference_bars(
        [
            {"item": f"q{k}", "a": 0.8 - 0.2 * k, "b": 0.5, "c": None if k else 0.1}
            for k in range(4)
        ],
        measure="AP",
        systems=["a", "b", "c"],
        pair=("a", "b"),
    ),
    "score_matrix": lambda: score_matrix(
        [
            {
                "system": s,
                "item": i,
                "value": None if (s, i) == ("a", "q1") else 0.5,
                "human": s == "b",
                "attribute": "x",
            }
            for s in "ab"
            for i in ("q1", "q2", "q3")
        ],
        measure="AP",
        systems=["a", "b"],
        items=["q1", "q2", "q3"],
    ),
    "correlation_heatmap": lambda: correlation_heatmap(
        [{"first": a, "second": b, "value": 1.0 if a == b else -0.5} for a in "xy" for b in "xy"]
    ),
    "curves": lambda: curves(
        [
            {"series": s, "x": x, "y": x * 2, "low": x, "high": x * 3}
            for s in "ab"
            for x in (1, 2, 3)
        ],
        x="items",
        y="power",
        level=0.05,
    ),
    "asl_curves": lambda: asl_curves({"AP": [0.9, 0.5, 0.01], "RR": [0.2, 0.1, 0.3]}),
    "overlaid_orders": lambda: overlaid_orders(
        [{"system": s, "first": 0.1 * k, "second": 0.2 * k} for k, s in enumerate("abc")],
        first="ERR-IA",
        second="nPrf",
        tau=-0.33,
    ),
    "grouped_bars": lambda: grouped_bars(
        [
            {"label": x, "group": g, "value": 0.5, "deviation": 0.1}
            for x in ("best", "worst")
            for g in ("even", "mixed")
        ],
        x="order",
        y="similarity",
    ),
    "simultaneous_intervals": lambda: simultaneous_intervals(
        [{"name": s, "mean": m} for s, m in (("a", 0.7), ("b", 0.65), ("c", 0.2))],
        title="AP",
        needed=0.1,
    ),
    "human_machine_gap": lambda: human_machine_gap(
        HUMAN, automatic="ROUGE-2", human="responsiveness"
    ),
    "correlation_intervals": lambda: intervals(
        [
            {"label": m, "group": g, "value": 0.5, "low": 0.2, "high": 0.8}
            for m in ("ROUGE-1", "ROUGE-2")
            for g in ("all peers", "no models")
        ],
        title="Pearson's r",
    ),
    "contingency": lambda: contingency(
        [
            {"assessor": a, "first": i, "second": j, "count": i * j}
            for a in ("A", "B")
            for i in (1, 2)
            for j in (1, 2)
        ]
    ),
    "differences_by_group": lambda: strip(
        [{"group": a, "item": f"d{k}", "difference": 0.1 * k} for a in "AB" for k in range(3)],
        label="group",
        value="difference",
        item="item",
        title="manual − automatic pyramid",
    ),
    "label_confusion": lambda: label_confusion(
        [
            {"judge": "llm", "human_label": str(i), "judge_label": str(j), "count": 2, "share": 0.5}
            for i in (0, 1)
            for j in (0, 1)
        ],
        labels=["0", "1"],
    ),
    "nine_cells": lambda: nine_cells(
        [
            {"judge": "llm", "human": h, "labelled": w, "count": 1, "share": 1 / 9}
            for h in WORDS
            for w in WORDS
        ]
    ),
    "judge_leniency": lambda: judge_leniency(
        [
            {"judge": "llm", "grade": g, "leniency": 0.2, "low": 0.1, "high": 0.3, "pairs": 3}
            for g in (0, 1, 2)
        ]
    ),
    "rank_interval_chart": lambda: rank_interval_chart(
        [
            {"system": s, "rank": r, "low": low, "high": 3, "tied": low == 1}
            for s, r, low in (("a", 1, 1), ("b", 2, 1), ("c", 3, 2))
        ],
        systems=3,
        confidence="95 %",
    ),
    "critical_differences": lambda: critical_differences(
        [{"system": s, "mean": m} for s, m in (("a", 0.7), ("b", 0.65), ("c", 0.2))],
        [["a", "b"]],
        measure="AP",
    ),
    "systems_by_labels": lambda: systems_by_labels(
        [
            {
                "judge": "llm",
                "system": s,
                "human": 0.4,
                "labelled": 0.5,
                "bias": 0.1,
                "rank_human": 1,
                "rank_judge": 2,
            }
            for s in "ab"
        ],
        measure="nDCG@10",
    ),
}

# role and number of the marks that a chart must have
MARKS = {
    "score_against_chance": ("point", 4),
    "mean_intervals": ("circle", 2),
    "pair_intervals": ("circle", 1),
    "rank_slopes": ("circle", 4),
    "human_machine_gap": ("point", 7),
    "correlation_intervals": ("circle", 4),
    "simultaneous_intervals": ("circle", 3),
    "differences_by_group": ("tick", 6),
    "overlaid_orders": ("circle", 6),
    "rank_interval_chart": ("circle", 3),
    "critical_differences": ("circle", 3),
}


def svg(chart) -> str:
    return figure_bytes(Figure("x", chart, ""), "svg").decode()


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_chart_is_drawn(name):
    drawn = svg(EXAMPLES[name]())
    assert drawn.startswith("<svg")
    assert "NaN" not in drawn
    assert "var(--" not in drawn
    if name in MARKS:
        role, count = MARKS[name]
        assert drawn.count(f'aria-roledescription="{role}"') == count


def test_the_missing_cell_stays_empty():
    drawn = svg(EXAMPLES["score_matrix"]())
    assert (
        drawn.count('aria-roledescription="rect mark"') == 5 + 3
    )  # and the attribute of each item


def test_items_of_the_matrix_are_named_on_request():
    rows = [{"system": s, "item": i, "value": 0.5} for s in "ab" for i in ("nq", 'it\'s "x"')]
    drawn = svg(
        score_matrix(rows, measure="AP", systems=["a", "b"], items=["nq", 'it\'s "x"'], labels=True)
    )
    assert ">nq</text>" in drawn
    assert ">it's &quot;x&quot;</text>" in drawn or '>it\'s "x"</text>' in drawn


def test_the_gap_is_measured_from_the_line_of_the_machines():
    spec = EXAMPLES["human_machine_gap"]().to_dict()
    rows = [row for rows in spec["datasets"].values() for row in rows]
    gap = next(row["gap"] for row in rows if "gap" in row)
    assert gap == pytest.approx(4.0 - (1 + 2 * 0.5))


def test_significance_levels_fall_from_left_to_right():
    spec = asl_curves({"AP": list(np.linspace(0, 1, 1000))}).to_dict()
    rows = next(rows for rows in spec["datasets"].values() if len(rows) > 1)
    levels = [row["y"] for row in rows]
    assert levels == sorted(levels, reverse=True)
    assert (levels[0], levels[-1]) == (1.0, 0.0)
    assert len(rows) <= 202


def test_the_histogram_counts_every_known_value():
    spec = EXAMPLES["expected_histogram"]().to_dict()
    rows = next(iter(spec["datasets"].values()))
    assert sum(row["queries"] for row in rows) == 3
    assert next(row for row in rows if row["from"] == 0.5)["queries"] == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_drawn_as_text(name):
    drawn = svg(
        mean_intervals(
            [{"system": name, "mean": 0.5, "low": 0.4, "high": 0.6, "chance": None, "state": BEST}],
            measure=name,
            interval="95 %",
        )
    )
    inside = re.sub(
        r"<(/?)(svg|g|path|text|rect|defs|clipPath|style|tspan|line)\b[^>]*>", "", drawn
    )
    assert "<" not in inside


def test_figures_are_written_in_every_format(tmp_path):
    figure = Figure("A <b>name</b>/..", EXAMPLES["curves"](), "")
    written = save_figures([figure], tmp_path, FORMATS)
    assert [p.name for p in written] == [f"01-a-b-name-b.{f}" for f in FORMATS]
    assert written[2].read_bytes().startswith(b"%PDF")
    image = Image.open(io.BytesIO(written[1].read_bytes()))
    assert image.width > 1000
    assert len(image.convert("RGB").getcolors(100_000)) > 20
    with pytest.raises(OptionError, match="svg, png, pdf"):
        save_figures([figure], tmp_path, ["gif"])


def test_a_chart_is_an_altair_chart_that_can_be_changed():
    chart = EXAMPLES["curves"]().properties(title="Mine")
    assert json.loads(chart.to_json())["title"] == "Mine"


def test_an_axis_of_whole_numbers_has_whole_ticks():
    rows = [{"series": "AP", "x": float(x), "y": 0.1 * x} for x in (5, 6, 7)]
    words = [box.what for box in boxes(curves(rows, x="cutoff", y="power"))]
    assert [word for word in words if word.isdigit()] == ["5", "6", "7"]
    assert not [word for word in words if word.startswith("5.")]
