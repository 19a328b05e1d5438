"""Layout of charts: no overlapping texts, wrapped labels, a legend for every colour."""

from __future__ import annotations

import pytest

import tare
from tare.report import report
from tare.report._diversity import rank_slopes
from tare.report._items import simultaneous_intervals
from tare.report._marks import intervals
from tare.report._pairs import pair_intervals
from tare.report._queries import score_matrix
from tare.report._score_table import correlation_heatmap
from tare.report._systems import BEST, WORSE, mean_intervals
from tests.unit.report.layout import boxes, overlaps, scene
from tests.unit.report.test_charts import EXAMPLES, svg

LONG = "a very long system name that nobody would type twice, run 12b"
UNBROKEN = "granite-embedding-english-r2-hybrid-rerank-v3-rm3-final"
SYSTEMS = [*(f"machine {k}" for k in range(6)), LONG, UNBROKEN, "human A", "human B"]
ITEMS = [f"D{k:02d}" for k in range(12)]
CELLS = [
    {
        "system": s,
        "item": i,
        "value": None if (k + n) % 5 == 0 else round((k * n % 7) / 7, 3),
        "human": s.startswith("human"),
        "attribute": "ABC"[n % 3],
    }
    for k, s in enumerate(SYSTEMS)
    for n, i in enumerate(ITEMS)
]


def matrix(rows=CELLS):
    return score_matrix(
        rows,
        measure="responsiveness",
        systems=SYSTEMS,
        items=ITEMS,
        what="topics",
        attribute="assessor",
    )


WIDE = {
    "score_matrix": matrix,
    "mean_intervals": lambda: mean_intervals(
        [
            {
                "system": s,
                "mean": 0.9 - k / 20,
                "low": 0.8 - k / 20,
                "high": 1 - k / 20,
                "chance": 0.2,
                "state": BEST if k < 2 else WORSE,
            }
            for k, s in enumerate(SYSTEMS)
        ],
        measure="nDCG@10",
        interval="95 %",
    ),
    "simultaneous_intervals": lambda: simultaneous_intervals(
        [{"name": s, "mean": k / 10, "half": 0.1 + k % 2 / 20} for k, s in enumerate(SYSTEMS)],
        title="AP",
        chosen=LONG,
    ),
    "rank_slopes": lambda: rank_slopes(
        [{"system": s, "before": k + 1, "after": (3 * k) % 10 + 1} for k, s in enumerate(SYSTEMS)],
        left="nDCG@10",
        right="Net(nDCG@10)",
    ),
    "pair_intervals": lambda: pair_intervals(
        [
            {
                "system": s,
                "against": "bm25",
                "difference": 0.1,
                "low": -0.1,
                "high": 0.3,
                "significant": k % 2 == 0,
                "p_adjusted": 0.1,
            }
            for k, s in enumerate(SYSTEMS)
        ],
        measure="AP",
        interval="95 %",
    ),
    "correlation_intervals": lambda: intervals(
        [
            {"label": s, "group": g, "value": 0.5, "low": 0.2, "high": 0.8}
            for s in SYSTEMS
            for g in ("all peers", "no models")
        ],
        title="r",
    ),
}


@pytest.mark.parametrize("name", WIDE)
def test_long_names_wrap_and_nothing_overlaps(name):
    chart = WIDE[name]()
    assert overlaps(chart) == []
    texts = " ".join(box.what for box in boxes(chart))
    assert "that nobody" in texts  # of the second line of a long name
    width = scene(chart)["width"]
    assert all(b.left >= -2 and b.right <= width + 2 for b in boxes(chart) if "rect" not in b.what)


@pytest.mark.parametrize("name", EXAMPLES)
def test_texts_of_a_chart_do_not_overlap(name):
    assert overlaps(EXAMPLES[name]()) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mean_intervals", [BEST, WORSE, "chance"]),
        ("rank_slopes", ["rank changes", "same rank"]),
        ("pair_intervals", ["significant", "not significant"]),
        ("difference_bars", ["first system higher", "second system higher"]),
        ("human_machine_gap", ["machine", "person"]),
        ("differences_by_group", ["one item", "mean"]),
        (
            "simultaneous_intervals",
            ["selected", "significantly different", "not significantly different"],
        ),
        ("score_matrix", ["missing", "AP"]),
    ],
)
def test_every_colour_of_a_saved_figure_has_its_legend(name, words):
    texts = [box.what for box in boxes(EXAMPLES[name]())]
    assert not set(words) - set(texts), texts


def test_a_heat_map_without_labels_has_a_legend():
    names = [f"m{k}" for k in range(16)]
    chart = correlation_heatmap(
        [{"first": a, "second": b, "value": 0.5} for a in names for b in names], title="τ"
    )
    assert "τ" in [box.what for box in boxes(chart)]


def test_people_are_apart_from_machines():
    tops = {box.what: box.top for box in boxes(matrix()) if box.what in (*SYSTEMS, "people")}
    row = tops["machine 1"] - tops["machine 0"]
    assert tops["human B"] - tops["human A"] == pytest.approx(row)
    machines = [tops[f"machine {k}"] for k in range(6)]
    assert max(machines) < tops["people"] < tops["human A"]
    below = min(box.top for box in boxes(matrix()) if box.what.startswith("granite"))
    assert tops["human A"] - below == pytest.approx(2 * row, abs=row / 2)  # a row is between them
    alone = score_matrix(
        [{**r, "human": False} for r in CELLS], measure="AP", systems=SYSTEMS, items=ITEMS
    )
    assert "people" not in [box.what for box in boxes(alone)]


def test_missing_cells_are_crossed_and_low_scores_are_visible():
    drawn = svg(matrix())
    gone = sum(row["value"] is None for row in CELLS)
    assert drawn.count('aria-roledescription="point"') == gone
    lowest = min(row["value"] for row in CELLS if row["value"] is not None)
    assert lowest == 0
    assert "rgb(235, 220, 196)" in drawn or "#ebdcc4" in drawn
    full = matrix([{**r, "value": r["value"] or 0.0} for r in CELLS])
    assert "missing" not in [box.what for box in boxes(full)]


def test_the_strip_of_attributes_is_above_the_title_and_has_its_name():
    found = list(boxes(matrix()))
    (title,) = [box for box in found if box.what == "topics"]
    strip = [box for box in found if box.what == "mark rect" and box.bottom - box.top == 8]
    assert len(strip) == len(ITEMS)
    assert max(box.bottom for box in strip) <= title.top
    assert "assessor" in [box.what for box in found]


def test_a_report_shows_people_apart(tmp_path):
    from tests.unit.studies.tables import table

    scores = table([[0.1, 0.5, 0.9], [0.2, 0.3, 0.4], [0.9, 0.8, 0.7]], systems=["a", "b", "human"])
    figure = next(f for f in report(scores, people=["human"]).figures if f.name == "score matrix")
    assert "people" in figure_words(figure)
    assert "People are below the gap." in figure.caption
    with pytest.raises(tare.errors.OptionError, match="'humen' is not one of the systems"):
        report(scores, people=["humen"])


def figure_words(figure) -> list[str]:
    return [box.what for box in boxes(figure.chart)]
