"""Every study has a report with charts; unknown results are drawn by their columns."""

import inspect
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tare
from tare import stats, studies
from tare._data.simulation import simulate
from tare._result import MultiTableResult, Result
from tare._tables import Table
from tare.report import report
from tare.report._figures import figure_of_rows
from tare.report._page import figure_bytes
from tare.studies._self_consistency import self_consistency


@pytest.fixture(scope="module")
def scores():
    collection = simulate(queries=16, documents=30, depth=30, seed=2)
    return tare.evaluate(collection.qrels, collection.runs, ["nDCG@5", "nDCG@10", "AP@5", "AP@10"])


def test_public_results_have_a_report():
    for room in (stats, studies):
        for name in room.__all__:
            kind = getattr(room, name)
            if inspect.isclass(kind) and hasattr(kind, "table") and hasattr(kind, "to_frame"):
                assert issubclass(kind, Result), f"{name} has no report"


def test_discrimination(scores):
    built = report(studies.discrimination(scores, draws=200))
    assert [c.key for c in built.chapters[:2]] == ["findings", "families"]
    assert {f.name for f in built.figures} >= {
        "significance levels",
        "power by cutoff",
        "tau of measures",
    }
    assert built.chapters[-1].key == "methods"
    page = built.html()
    assert "Achieved significance levels" in page
    best = max(studies.discrimination(scores, draws=200).family_rows(), key=lambda r: r["power"])
    assert f"{best['family']} finds {best['significant']} of {best['pairs']} pairs" in page
    assert "each pair of systems on its own, without a correction" in page
    assert "Whether measures differ in this was not tested." in page


def test_consistency(scores):
    half = len(scores.items) // 2
    sets = {"left": scores.items[:half], "right": scores.items[half:]}
    built = report(studies.consistency(scores, sets=sets, draws=100))
    assert {"swap rates", "correlation of sets"} == {f.name for f in built.figures}
    page = built.html()
    assert page.count('class="chart"') == 2
    assert "pairs of systems change order between left and right" in page
    assert "of its expected value for item sets of this size" in page


def test_power_and_kinds(scores):
    curve = stats.power_curve(scores.matrix("AP@10"), [0], [1], simulations=50, null_simulations=50)
    built = report(curve)
    assert built.title == "Power curve"
    rows = next(iter(built.figures[0].spec()["datasets"].values()))
    assert {row["y"] for row in rows} == {row["power"] for row in curve.rows()}
    collection = simulate(queries=16, documents=30, depth=30, seed=2)
    kinds = tare.chance.kinds(collection.qrels, collection.runs, pool="judged")
    assert [f.name for f in report(kinds).figures] == ["score against chance", "expected values"]


def test_self_consistency_draws_one_matrix_per_assessor():
    random = np.random.default_rng(1)
    rows = [
        {"unit": f"u{u}", "coder": c, "value": int(random.integers(1, 4)), "text": f"t{u // 2}"}
        for u in range(8)
        for c in ("ann", "bob")
    ]
    import polars as pl

    found = self_consistency(pl.DataFrame(rows), same="text")
    built = report(found)
    cells = max((v for v in built.figures[0].spec()["datasets"].values()), key=len)
    assert sum(c["count"] for c in cells) == sum(found.pairs.values())


class Foreign(MultiTableResult):
    """A study without a figure module."""

    notes = ("mind the gap",)

    def tables(self):
        return {"Main <b>": Table.of(["a"], [["x"]], title="A title"), "other": Table.of(["b"], [])}

    def all_rows(self):
        return {
            "Main <b>": [
                {"measure": m, "value": v, "low": v - 0.1, "high": v + 0.1}
                for m, v in (("A", 0.1), ("B", float("nan")), ("C", 0.4))
            ],
            "grown": [
                {"step": k, "repeat": r, "tau": 0.1 * k + 0.01 * r}
                for k in range(4)
                for r in range(2)
            ],
        }

    def facts(self):
        return {"seed": 3, "names": ["a", "b"]}

    def answer(self):
        return "A is found."

    def headlines(self):
        return [self.answer()]


def test_an_unknown_study_is_reported_by_its_tables_and_columns(tmp_path):
    path = Foreign().report(tmp_path / "f.html")
    text = path.read_text()
    built = report(Foreign())
    assert [c.key for c in built.chapters] == ["findings", "main-b", "other", "more", "methods"]
    assert len(built.figures) == 2
    assert "A is found." in text
    assert "mind the gap" in text
    assert "seed: 3\nnames: a, b" in text
    points = max(built.figures[1].spec()["datasets"].values(), key=len)
    assert [round(p["y"], 3) for p in points] == [0.005, 0.105, 0.205, 0.305]


@pytest.mark.parametrize(
    "rows", [[], [{"a": 1}], [{"a": "x"}, {"a": "y"}], [{"value": 1.0}, {"value": 2.0}]]
)
def test_unsuitable_rows_have_no_chart(rows):
    assert figure_of_rows("x", rows) is None


def like(name: str, rows, tables, **facts):
    """A result of this class with only what its figures need."""
    body = {
        "all_rows": lambda self: rows,
        "tables": lambda self: tables,
        "facts": lambda self: {},
        "headlines": lambda self: [],
        "answer": lambda self: "A is found.",
        "notes": (),
    }
    kind = getattr(studies if hasattr(studies, name) else tare, name)
    made: Any = object.__new__(type(name, (kind,), body))
    for key, value in facts.items():
        object.__setattr__(made, key, value)
    return made


CORRELATIONS = [
    {
        "set": "all documents",
        "peers": peers,
        "human": "overall",
        "level": level,
        "coefficient": "pearson",
        "measure": m,
        "value": v,
        "low_both": v - 0.1,
        "high_both": v + 0.1,
    }
    for peers in ("all peers", "no models")
    for level in ("system", "item")
    for m, v in (("ROUGE-1", 0.4), ("V2(ROUGE-1)", 0.5), ("odd", float("nan")))
]
GAPS = [
    {
        "human": "overall",
        "measure": "ROUGE-1",
        "system": f"s{k}",
        "model": k > 4,
        "measured": 0.1 * k,
        "judged": 1.0 + 0.2 * k + 2 * (k > 4),
        "fitted": 0.0,
        "gap": 0.0,
    }
    for k in range(7)
]
DOCUMENTS = [
    {
        "item": f"d{k}",
        "best": 0.9,
        "worst": 0.1 * k,
        "sensitivity": 0.9 - 0.1 * k,
        "similarity": 0.5,
        "dispersion": 0.1 * k,
        "kind": "heterogeneous" if k < 2 else "homogeneous" if k > 3 else "",
    }
    for k in range(6)
]
CURVES = [
    {"document_effects": e, "test": t, "t": x, "power": x, "error": 0.01}
    for e in ("without", "with")
    for t in ("t", "sign")
    for x in (0.0, 0.5, 1.0)
]
EMPTY = Table.of(["a"], [["x"]], title="T")


@pytest.mark.parametrize(
    ("study", "charts"),
    [
        (
            like(
                "MeasuresAndPeople",
                {"correlations": CORRELATIONS, "systems": GAPS},
                {"agreement": EMPTY, "correlations": EMPTY},
                people=("overall",),
                measures=("ROUGE-1",),
                models=("s5", "s6"),
                kind="pearson",
                confidence=0.95,
            ),
            3,
        ),
        (
            like(
                "SummaryStudy",
                {"correlations": CORRELATIONS, "documents": DOCUMENTS},
                {"intervals": EMPTY, "documents": EMPTY},
                kind="pearson",
                confidence=0.95,
            ),
            4,
        ),
        (
            like(
                "PowerStudy",
                {"curves": CURVES},
                {"power without": EMPTY, "power with": EMPTY},
                curves=CURVES,
                alpha=0.05,
                side="both",
                items=9,
            ),
            2,
        ),
        (
            like(
                "LearnedMeasures",
                {"correlations": CORRELATIONS},
                {"correlations": EMPTY, "coefficients": EMPTY},
                correlations=CORRELATIONS,
                gaps=GAPS,
                people=("overall",),
                kind="pearson",
                confidence=0.95,
            ),
            3,
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_studies_about_people_have_their_charts(study, charts):
    built = report(study)
    assert len(built.figures) == charts
    page = built.html()
    assert page.count('class="chart"') == charts
    for figure in built.figures:
        assert "NaN" not in figure_bytes(figure, "svg").decode()


def test_measures_that_share_the_lowest_swap_rate_are_all_named():
    rows = [
        {"measure": m, "first": "a", "second": "b", "swaps": s, "pairs": 10, "swap_rate": s / 10}
        for m, s in (("AP", 0), ("RR", 2), ("P@5", 0))
    ]
    lowest, highest, untested = studies.Consistency.headlines(
        SimpleNamespace(measure_rows=lambda: rows)
    )
    assert lowest.startswith("AP and P@5: 0 of 10 pairs")
    assert highest.startswith("RR: 2 of 10 pairs")
    assert untested.endswith("was not tested.")


def test_methods_list_settings_and_not_every_number():
    units = [f"u{u}" for u in range(12)]
    ann, bob = ({name: (u + k * (u // 4)) % 3 for u, name in enumerate(units)} for k in range(2))
    found = studies.agreement({"ann": ann, "bob": bob}, draws=100)
    methods = report(found).chapters[-1]
    text = "\n".join(block.text for block in methods.blocks)
    assert "coders: 2" in text
    assert "by unit" not in text
    assert set(found.to_dict()["by_unit"]) == set(units)
