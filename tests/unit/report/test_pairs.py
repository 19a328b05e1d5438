"""The pairs of a report: one direction everywhere, every pair, every measure."""

import numpy as np
import pytest

import tare
from tare._tables import Table
from tare.report import report
from tare.report._blocks import SortableTable
from tests.unit.report.layout import scene
from tests.unit.report.test_build import made

PAIRS = 6  # of four systems


@pytest.fixture(scope="module")
def scores():
    """Return four systems and three measures; the order of the names is not the order of the means."""
    random = np.random.default_rng(11)
    skill = np.array([0.0, 0.1, 0.25, 0.3])[:, None, None]
    return made(0.3 + skill + random.normal(0, 0.1, (4, 40, 3)), ("AP", "RR", "P@5"))


def tables(result) -> list[Table]:
    chapter = next(c for c in report(result).chapters if c.key == "pairs")
    return [block.table for block in chapter.blocks if isinstance(block, SortableTable)]


def drawn(result, name) -> list[dict]:
    figure = next(f for f in report(result).figures if f.name == name)
    return max(figure.spec()["datasets"].values(), key=len)


def test_tables_and_charts_subtract_in_the_same_direction(scores):
    intervals = {row["pair"]: row["difference"] for row in drawn(scores, "differences")}
    names = [column.name for column in tables(scores)[1].columns]
    rows = [dict(zip(names, row, strict=True)) for row in tables(scores)[1].rows]
    assert len(rows) == PAIRS
    assert {f"{r['system']} − {r['against']}": r["difference"] for r in rows} == intervals
    means = scores.means()
    for row in rows:
        expected = means[row["system"]]["AP"] - means[row["against"]]["AP"]
        assert row["difference"] == pytest.approx(expected)
        assert row["difference"] >= 0  # the better system is first
        compared = tare.compare(scores).pair(row["system"], row["against"])
        same = compared["system"] == row["system"]
        ends = (compared["low"], compared["high"])
        wins = (compared["wins"], compared["ties"], compared["losses"])
        assert row["95 % interval"] == pytest.approx(ends if same else (-ends[1], -ends[0]))
        assert row["W/T/L"] == (wins if same else wins[::-1])
        assert row["d_z"] == pytest.approx(compared["d_z"] if same else -compared["d_z"])


def test_every_measure_has_all_pairs_in_the_same_direction(scores):
    first, *others = tables(scores)[1:]
    directions = [row[:2] for row in first.rows]
    assert [column.name for column in others[0].columns if column.name in scores.measure_names] == [
        "RR",
        "P@5",
    ]
    means = scores.means()
    for row in others[0].rows:
        assert row[:2] in directions
        assert row[2] == pytest.approx(means[row[0]]["RR"] - means[row[1]]["RR"])
        assert row[5] == pytest.approx(means[row[0]]["P@5"] - means[row[1]]["P@5"])


def test_with_a_baseline_it_is_subtracted(scores):
    compared = tare.compare(scores.select(measures=["AP"]), baseline="c")
    rows = tables(compared)[1].rows
    assert {row[1] for row in rows} == {"c"}
    assert {row["pair"] for row in drawn(compared, "differences")} == {f"{s} − c" for s in "abd"}


def test_any_two_systems_can_be_selected(scores):
    figure = next(f for f in report(scores).figures if f.name == "differences by query")
    choosers = [p["bind"] for p in figure.spec()["params"] if "bind" in p]
    assert len(choosers) == 2
    for chooser in choosers:
        assert sorted(chooser["labels"]) == list(scores.systems)
    rows = drawn(scores, "differences by query")
    best, second = choosers[0]["labels"][:2]
    found = scores.matrix("AP")
    for row in rows:
        k = scores.items.index(row["item"])
        assert row["s0"] == found[scores.systems.index(best), k]
        assert row["s1"] == found[scores.systems.index(second), k]


def test_the_bars_are_the_differences_of_the_selected_systems(scores):
    figure = next(f for f in report(scores).figures if f.name == "differences by query")
    ranking = sorted(scores.systems, key=lambda s: -scores.means()[s]["AP"])
    found = scores.matrix("AP")
    a, b = (scores.systems.index(s) for s in ranking[:2])
    expected = np.sort(np.abs(found[a] - found[b]))
    heights = np.sort(_heights(scene(figure.chart)))
    assert heights / heights[-1] == pytest.approx(expected / expected[-1], abs=1e-6)


def _heights(node) -> list[float]:
    """Return the heights of the bars of a scene."""
    if isinstance(node, list):
        return [bar for part in node for bar in _heights(part)]
    if not isinstance(node, dict):
        return []
    if node.get("marktype") == "rect" and "marks" in node.get("name", ""):
        return [item["height"] for item in node["items"]]
    return [bar for part in node.values() for bar in _heights(part)]


def test_a_net_score_with_the_p_values_of_its_measure_is_not_repeated():
    from tare._data.simulation import simulate

    collection = simulate(queries=20, documents=40, seed=4)
    with_net = tare.evaluate(collection.qrels, collection.runs, ["nDCG@10", "AP"], pool="judged")
    built = report(with_net)
    comparison = tare.compare(
        with_net.also("Net(nDCG@10)").select(measures=["nDCG@10", "Net(nDCG@10)"])
    )
    gross, net = comparison.families
    assert gross.adjusted == pytest.approx(net.adjusted, rel=1e-6)
    chapter = next(c for c in built.chapters if c.key == "pairs")
    titles = [b.table.title for b in chapter.blocks if isinstance(b, SortableTable)]
    assert titles[1:] == ["All pairs by nDCG@10", "All pairs by AP"]
