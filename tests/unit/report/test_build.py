"""Reports of score tables and comparisons: chapters, findings and claims."""

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


def test_a_significant_difference_is_reported():
    random = np.random.default_rng(1)
    base = random.random(40) * 0.5
    scores = made([base + 0.3, base + random.normal(0, 0.01, 40)])
    built = headlines(scores)
    row = tare.compare(scores).pair("a", "b")
    assert built[0].startswith("a is significantly better than every other system by AP.")
    assert f"It scores {scores.means()['a']['AP']:.3f}." in built[0]
    assert f"Its difference from b is {row['difference']:.3f}" in built[0]


def test_a_difference_consistent_with_chance_is_reported():
    random = np.random.default_rng(2)
    built = headlines(made(random.random((3, 20))))
    assert "has the best mean AP" in built[0]
    assert "consistent with chance" in built[0]
    assert "2 systems are not significantly different from it" in built[0]
    assert "leads" not in " ".join(built)


def test_a_change_of_order_without_a_test_is_not_a_finding():
    values = np.zeros((2, 4, 3))
    values[0] = [[0.9, 0.2, 0.1]] * 4
    values[1] = [[0.8, 0.2, 0.7]] * 4
    values += np.random.default_rng(0).normal(0, 0.001, values.shape)
    built = headlines(made(values, ("nDCG@10", "E(nDCG@10)", "V2(nDCG@10)")))
    assert not any("Net of chance" in t for t in built)
    assert any("A random ranking would score 0.2" in t for t in built)


def test_the_chapter_on_chance_needs_a_known_pool():
    collection = simulate(queries=12, documents=30, seed=3)
    with_pool = tare.evaluate(collection.qrels, collection.runs, "nDCG@5", pool="judged")
    made_ = report(with_pool)
    assert "chance" in [chapter.key for chapter in made_.chapters]
    assert "A random ranking of the judged documents would score" in made_.html()
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


def test_problems_in_the_data_are_reported():
    scores = made(
        np.random.default_rng(1).random((2, 5)), findings=(Finding("gap", "q9 is missing."),)
    )
    assert any("q9 is missing." in t for t in headlines(scores))


def test_one_system_has_a_report_without_pairs():
    keys = [chapter.key for chapter in report(made([[0.1, 0.5, 0.4]])).chapters]
    assert keys == ["findings", "systems", "methods"]


def test_missing_cells_and_systems_without_scores():
    values = np.random.default_rng(5).random((4, 12))
    values[1, 3:] = np.nan
    values[3] = np.nan
    built = report(made(values))
    assert [chapter.key for chapter in built.chapters] == [
        "findings",
        "systems",
        "pairs",
        "queries",
        "methods",
    ]
    summary = next(b for b in built.chapters[1].blocks if isinstance(b, SortableTable)).table
    assert [row[0] for row in summary.rows][-1] == "d"
    assert summary.rows[-1][1] is None or np.isnan(summary.rows[-1][1])
    assert "nan" not in built.html().split('id="data">')[1].split("</script>")[0].lower()


def test_a_comparison_is_reported_with_its_own_test():
    scores = made(np.random.default_rng(3).random((3, 15)))
    compared = tare.compare(scores, baseline="a", test="wilcoxon", correction="holm")
    built = report(compared)
    snippets = [b for b in built.chapters[-1].blocks if isinstance(b, Snippet)]
    assert snippets[0].text == compared.methods
    assert "Wilcoxon" in snippets[0].text
    pairs = next(
        b
        for c in built.chapters
        if c.key == "pairs"
        for b in c.blocks[::-1]
        if isinstance(b, SortableTable)
    )
    assert "Significant p-values are highlighted." in " ".join(pairs.table.notes)
    table = next(b for b in built.chapters[1].blocks if isinstance(b, SortableTable)).table
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


def test_compared_scores_returns_the_scores_of_a_comparison():
    scores = made(np.random.default_rng(3).random((3, 15, 2)), ("AP", "RR"))
    from tare.report._score_table import compared_scores

    behind = compared_scores(tare.compare(scores))
    again = behind.select(items=scores.items)
    assert np.array_equal(again.values, scores.values)
    assert behind.signatures == scores.signatures


def test_objects_without_a_report_are_refused():
    with pytest.raises(OptionError, match="cannot report an object of type int"):
        report(3)
    with pytest.raises(OptionError, match="is empty"):
        report(made(np.zeros((0, 0))))
    ready = Report("t", ())
    assert report(ready) is ready


def test_results_have_the_figures_of_their_report():
    scores = made(np.random.default_rng(3).random((3, 15)))
    for result in (scores, tare.compare(scores, baseline="a")):
        names = [f.name for group in result.figures().values() for f in group]
        assert names == [f.name for f in report(result).figures]
        assert result.answer().startswith(report(result).chapters[0].blocks[0].items[0].title)


def test_with_a_baseline_the_finding_is_about_the_pair_that_was_tested():
    random = np.random.default_rng(4)
    base = random.random(40) * 0.2
    scores = made([base, base + 0.5, base + 0.51 + random.normal(0, 0.05, 40)])
    (text, *_) = headlines(tare.compare(scores, baseline="a"))
    assert text.startswith("c is significantly better than a by AP.")
    assert "It was not tested against b, which has the second-best mean." in text


def test_the_scores_of_a_comparison_add_the_chapter_on_chance():
    collection = simulate(queries=12, documents=30, seed=3)
    scores = tare.evaluate(collection.qrels, collection.runs, "nDCG@5", pool="judged")
    compared = tare.compare(scores, baseline="lexical")
    assert "chance" not in [chapter.key for chapter in report(compared).chapters]
    assert "chance" in [chapter.key for chapter in report(compared, scores=scores).chapters]


def test_a_better_mean_on_other_items_is_not_called_significantly_better():
    base = np.random.default_rng(1).random(20) * 0.1 + 0.5
    noise = np.random.default_rng(2).normal(0, 0.01, 20)
    # b is better on the items that both have, and has the worse mean over all of its items
    missing, low = np.full(20, np.nan), np.full(20, 0.01)
    scores = made([np.concatenate([base, missing]), np.concatenate([base + 0.2 + noise, low])])
    (text, *_) = headlines(scores)
    assert text.startswith("a has the best mean AP")
    assert "Its difference from b is −0.2" in text
    assert "significantly better" not in text


def test_names_of_systems_are_quoted_as_they_are():
    scores = made(np.random.default_rng(2).random((2, 20)))
    names = ("bm25-v2", "bm25-v1")
    renamed = Scores(names, scores.items, scores.measures, scores.values, scores.signatures)
    text = headlines(renamed)[0]
    assert "bm25-v1" in text
    assert "bm25-v2" in text


def test_all_problems_in_the_data_are_on_one_card():
    found = (Finding("gap", "q9 is missing."), Finding("ties", "Scores are tied."))
    scores = made(np.random.default_rng(1).random((2, 5)), findings=found)
    block = report(scores).chapters[0].blocks[0]
    cards = [item for item in block.items if "in the data" in item.title]
    assert len(cards) == 1
    assert cards[0].text.splitlines()[:2] == ["q9 is missing.", "Scores are tied."]


def test_every_query_has_one_kind_and_the_kinds_sum_to_all():
    collection = simulate(queries=30, documents=40, seed=3)
    kinds = tare.chance.kinds(collection.qrels, collection.runs, "nDCG@5", pool="judged")
    names = [column.name for column in kinds.table().columns]
    rows = {row[0]: dict(zip(names, row, strict=True)) for row in kinds.table().rows}
    assert list(rows) == ["all", "ideal", "informative", "other", "uninformative", "hard", "easy"]
    assert sum(r["queries"] for k, r in rows.items() if k != "all") == rows["all"]["queries"] == 30
    shown = " ".join([*names, *kinds.table().notes])
    assert "E/IUB" not in shown
    assert not {"u", "e", "u − e"} & set(names)
    for kind, queries in kinds.sets().items():
        assert len(queries) >= rows[kind]["queries"]


def test_a_long_title_of_an_axis_is_split_into_lines():
    measures = [f"nDCG(gain=exp2)@{k}" for k in (5, 10, 20)]
    collection = simulate(queries=12, documents=30, seed=3)
    kinds = tare.chance.kinds(collection.qrels, collection.runs, measures, pool="judged")
    scores = tare.evaluate(collection.qrels, collection.runs, measures[0], pool="judged")
    for figure in (*report(kinds).figures, *report(scores).figures):
        for title in _titles(figure.spec()):
            assert all(len(line) <= 42 for line in ([title] if isinstance(title, str) else title))


def _titles(value) -> list:
    if isinstance(value, list):
        return [title for part in value for title in _titles(part)]
    if not isinstance(value, dict):
        return []
    own = [
        c["title"]
        for c in value.get("encoding", {}).values()
        if isinstance(c, dict) and c.get("title")
    ]
    return own + [t for key, part in value.items() if key != "datasets" for t in _titles(part)]
