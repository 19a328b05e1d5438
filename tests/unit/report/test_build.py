"""Which results have a report, and what stands in it."""

import numpy as np
import pytest

import tare
from tare._data.findings import Finding
from tare._data.simulation import simulate
from tare._measures.scores import Scores
from tare._signature import Signature
from tare.errors import OptionError
from tare.report import Report, report
from tare.report._blocks import Headlines, Snippet, SortableTable


def made(values, measures=("AP",), **more) -> Scores:
    array = np.asarray(values, dtype=float)
    if array.ndim == 2:
        array = array[:, :, None]
    systems = tuple("abcdefgh"[: array.shape[0]])
    items = tuple(f"q{k}" for k in range(array.shape[1]))
    signatures = tuple(Signature.of(m, {"n": len(items)}) for m in measures)
    return Scores(systems, items, tuple(measures), array, signatures, **more)


def headlines(result) -> list[str]:
    block = report(result).chapters[0].blocks[0]
    assert isinstance(block, Headlines)
    return [f"{item.title} {item.text}" for item in block.items]


def test_a_difference_beyond_luck_is_called_so():
    random = np.random.default_rng(1)
    base = random.random(40) * 0.5
    scores = made([base + 0.3, base + random.normal(0, 0.01, 40)])
    told = headlines(scores)
    row = tare.compare(scores).pair("a", "b")
    assert told[0].startswith("a is significantly better than every other system by AP.")
    assert f"It scores {scores.means()['a']['AP']:.3f}." in told[0]
    assert f"Its difference from b is {row['difference']:.3f}" in told[0]


def test_a_difference_within_luck_is_called_so():
    random = np.random.default_rng(2)
    told = headlines(made(random.random((3, 20))))
    assert "has the best mean AP" in told[0]
    assert "consistent with chance" in told[0]
    assert "2 systems are not significantly different from it" in told[0]
    assert "leads" not in " ".join(told)


def test_a_flip_of_order_without_a_test_is_no_headline():
    values = np.zeros((2, 4, 3))
    values[0] = [[0.9, 0.2, 0.1]] * 4
    values[1] = [[0.8, 0.2, 0.7]] * 4
    values += np.random.default_rng(0).normal(0, 0.001, values.shape)
    told = headlines(made(values, ("nDCG@10", "E(nDCG@10)", "V2(nDCG@10)")))
    assert not any("Net of chance" in t for t in told)
    assert any("A random ranking would score 0.2" in t for t in told)


def test_scores_of_python_have_the_chapter_on_chance_where_the_pool_is_known():
    collection = simulate(queries=12, documents=30, seed=3)
    with_pool = tare.evaluate(collection.qrels, collection.runs, "nDCG@5", pool="judged")
    made_ = report(with_pool)
    assert "chance" in [chapter.key for chapter in made_.chapters]
    net = with_pool.also("Net(nDCG@5)")["Net(nDCG@5)"]
    table = next(b for b in made_.chapters[1].blocks if isinstance(b, SortableTable)).table
    place = [column.name for column in table.columns].index("Net(nDCG@5)")
    assert {row[0]: row[place] for row in table.rows} == {
        s: m["Net(nDCG@5)"] for s, m in net.means().items()
    }
    without = report(tare.evaluate(collection.qrels, collection.runs, "nDCG@5"))
    assert "chance" not in [chapter.key for chapter in without.chapters]
    assert "--pool judged" in without.html()
    assert "--pool judged" not in made_.html()


def test_findings_of_the_data_are_told():
    scores = made(
        np.random.default_rng(1).random((2, 5)), findings=(Finding("gap", "q9 is missing."),)
    )
    assert any("q9 is missing." in t for t in headlines(scores))


def test_one_system_has_a_report_without_pairs():
    keys = [chapter.key for chapter in report(made([[0.1, 0.5, 0.4]])).chapters]
    assert keys == ["findings", "systems", "methods"]


def test_missing_cells_and_systems_without_scores_do_no_harm():
    values = np.random.default_rng(5).random((4, 12))
    values[1, 3:] = np.nan
    values[3] = np.nan
    told = report(made(values))
    assert [chapter.key for chapter in told.chapters] == [
        "findings",
        "systems",
        "pairs",
        "queries",
        "methods",
    ]
    summary = next(b for b in told.chapters[1].blocks if isinstance(b, SortableTable)).table
    assert [row[0] for row in summary.rows][-1] == "d"
    assert summary.rows[-1][1] is None or np.isnan(summary.rows[-1][1])
    assert "nan" not in told.html().split('id="data">')[1].split("</script>")[0].lower()


def test_a_comparison_is_told_with_its_own_test():
    scores = made(np.random.default_rng(3).random((3, 15)))
    compared = tare.compare(scores, baseline="a", test="wilcoxon", correction="holm")
    told = report(compared)
    snippets = [b for b in told.chapters[-1].blocks if isinstance(b, Snippet)]
    assert snippets[0].text == compared.methods
    assert "Wilcoxon" in snippets[0].text
    table = next(b for b in told.chapters[1].blocks if isinstance(b, SortableTable)).table
    assert "letters" not in [column.name for column in table.columns]


def test_systems_not_tested_against_the_best_are_not_called_worse():
    random = np.random.default_rng(4)
    base = random.random(40) * 0.2
    # a is the baseline and far below; b and c are not compared with each other
    scores = made([base, base + 0.5, base + 0.51 + random.normal(0, 0.05, 40)])
    built = report(tare.compare(scores, baseline="a"))
    figure = next(f for f in built.figures if f.name == "means")
    rows = next(rows for rows in figure.spec()["datasets"].values() if "system" in rows[0])
    assert {row["system"]: row["state"] for row in rows} == {
        "a": "significantly worse",
        "b": "not tested",
        "c": "best, or not significantly different",
    }


def test_the_compared_scores_a_comparison_are_the_scores():
    scores = made(np.random.default_rng(3).random((3, 15, 2)), ("AP", "RR"))
    from tare.report._chapters.score_table import compared_scores

    behind = compared_scores(tare.compare(scores))
    again = behind.select(items=scores.items)
    assert np.array_equal(again.values, scores.values)
    assert behind.signatures == scores.signatures


def test_what_has_no_report_is_refused():
    with pytest.raises(OptionError, match="cannot report an object of type int"):
        report(3)
    with pytest.raises(OptionError, match="is empty"):
        report(made(np.zeros((0, 0))))
    ready = Report("t", ())
    assert report(ready) is ready


def test_results_have_the_figures_and_findings_of_their_report():
    scores = made(np.random.default_rng(3).random((3, 15)))
    for result in (scores, tare.compare(scores, baseline="a")):
        names = [f.name for group in result.figures().values() for f in group]
        assert names == [f.name for f in report(result).figures]
        assert result.headlines() == headlines(result)
