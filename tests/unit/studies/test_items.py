"""The study of items: omnibus tests and simultaneous intervals, against scipy and least squares."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from tare._cli.main import main
from tare.errors import MismatchError, OptionError
from tare.report import report
from tare.stats import anova, friedman, kruskal_wallis
from tare.stats._anova import additive_layout, one_way_layout, rank_layout
from tare.stats._tests_of_all_systems import half_widths, range_p, range_quantile
from tare.studies import items
from tests.unit.studies.tables import table


@pytest.fixture
def scores():
    random = np.random.default_rng(4)
    values = random.random((5, 18)) + 0.2 * np.arange(5)[:, None] + 0.5 * random.random(18)
    made = table(np.round(values, 3))
    groups = {f"q{k:03d}": "abc"[k % 3 if k < 15 else 0] for k in range(18)}
    return made.with_attribute("assessor", groups)


def two_way(scores):
    """The analysis of variance of all cells by system and item."""
    values = scores.matrix()
    systems = np.repeat(scores.systems, values.shape[1])
    return anova(values.ravel(), {"system": systems, "item": list(scores.items) * len(values)})


def test_systems_and_items_are_the_two_way_layout(scores):
    found = items(scores)
    whole = two_way(scores)
    for factor, source in zip(("system", "item"), whole.sources, strict=False):
        own = {r["test"].split(",")[0]: r for r in found.omnibus if r["factor"] == factor}
        assert own["analysis of variance"]["statistic"] == pytest.approx(source.f, rel=1e-9)
        assert own["analysis of variance"]["p"] == pytest.approx(source.p, rel=1e-9)
        assert own["analysis of variance"]["df"] == source.freedom
    x = scores.matrix()
    by = {(r["factor"], r["test"]): r for r in found.omnibus}
    for factor, rows in (("system", x), ("item", x.T)):
        h = stats.kruskal(*rows)
        assert by[factor, "Kruskal–Wallis"]["statistic"] == pytest.approx(h.statistic, rel=1e-9)
        q = stats.friedmanchisquare(*rows)
        assert by[factor, "Friedman"]["p"] == pytest.approx(q.pvalue, rel=1e-9)
    assert by["system", "Kruskal–Wallis"]["p"] == pytest.approx(kruskal_wallis(x).p)
    assert by["system", "Friedman"]["p"] == pytest.approx(friedman(x).p)


def test_groups_of_items_are_scipys_one_way_tests_of_item_means(scores):
    found = items(scores)
    means = scores.matrix().mean(axis=0)
    label = np.array(scores.attributes["assessor"])
    groups = [means[label == g] for g in "abc"]
    by = {(r["factor"], r["test"]): r for r in found.omnibus}
    f = stats.f_oneway(*groups)
    assert by["assessor", "analysis of variance, one-way"]["p"] == pytest.approx(f.pvalue, rel=1e-9)
    assert by["assessor", "Kruskal–Wallis"]["p"] == pytest.approx(stats.kruskal(*groups).pvalue)
    own = stats.tukey_hsd(*groups)  # Kramer's, for unequal groups
    p = range_p(one_way_layout(groups))
    assert p[0, 1:] == pytest.approx(own.pvalue[0, 1:], abs=1e-6)
    assert ("assessor", "Friedman") not in by


def test_missing_cells_are_least_squares(scores):
    values = scores.matrix().copy()
    values[np.random.default_rng(0).random(values.shape) < 0.2] = np.nan
    part = table(values)
    whole = two_way(part)
    layout = additive_layout(part.matrix())
    assert layout.f == pytest.approx(whole.sources[0].f, rel=1e-8)
    assert layout.error == pytest.approx(whole.residual.mean_square, rel=1e-9)
    effects = [whole.effects["system"][s][0] for s in part.systems]
    assert layout.means - layout.means.mean() == pytest.approx(effects, abs=1e-9)
    assert not [r for r in items(part).omnibus if r["test"] == "Friedman"]


def test_equal_groups_part_exactly_where_tukey_rejects(scores):
    found = items(scores, against="s00")
    own = {r["level"]: r for r in found.levels if r["factor"] == "system"}
    for row in own.values():
        if row["level"] != "s00":
            apart = row["low"] > own["s00"]["high"] or row["high"] < own["s00"]["low"]
            assert row["differs"] == apart
            assert row["against"] == "s00"
    layout = additive_layout(scores.matrix())
    quantile = range_quantile(0.05, 5, layout.freedom)
    assert half_widths(layout) == pytest.approx([quantile * np.sqrt(layout.error / 18) / 2] * 5)


def test_unequal_groups_have_widths_nearest_to_the_critical_differences():
    random = np.random.default_rng(2)
    groups = [random.normal(size=n) for n in (4, 9, 30, 6)]
    layout = one_way_layout(groups)
    half = half_widths(layout)
    critical = (
        range_quantile(0.05, 4, layout.freedom) / np.sqrt(2) * np.sqrt(layout.error * layout.spread)
    )
    pairs = [(i, j) for i in range(4) for j in range(i)]
    design = np.array([[float(k in pair) for k in range(4)] for pair in pairs])
    nearest = np.linalg.lstsq(design, np.array([critical[p] for p in pairs]), rcond=None)[0]
    assert half == pytest.approx(nearest, rel=1e-9)


def test_ranks_are_those_of_kruskal_and_wallis(scores):
    found = items(scores, method="ranks")
    ranks = stats.rankdata(scores.matrix()).reshape(5, 18).mean(axis=1)
    own = [r["mean"] for r in found.levels if r["factor"] == "system"]
    assert own == pytest.approx(sorted(ranks, reverse=True))
    layout = rank_layout(list(scores.matrix()))
    h = stats.kruskal(*scores.matrix()).statistic
    assert layout.squares / layout.error == pytest.approx(h, rel=1e-9)


def test_what_is_wrong_is_said(scores):
    with pytest.raises(OptionError, match="is not a system, an item or a group. Did you mean 's0"):
        items(scores, against="s0")
    with pytest.raises(OptionError, match="no attribute 'assesor'|'assesor'"):
        items(scores, by=["assesor"])
    with pytest.raises(MismatchError, match="1 values for 18 items"):
        items(scores.with_attribute("year", dict.fromkeys(scores.items, 1)), by=["year"])
    noted = items(scores.with_attribute("id", {i: i for i in scores.items}))
    assert "does not group the items" in noted.notes[0]


def test_the_command_and_its_report(scores, tmp_path, capsys):
    scores.save(tmp_path / "s.parquet")
    page = tmp_path / "page.html"
    assert (
        main(
            [
                "study",
                "items",
                str(tmp_path / "s.parquet"),
                "--format",
                "json",
                "--report",
                str(page),
            ]
        )
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert {r["factor"] for r in told["omnibus"]} == {"system", "item", "assessor"}
    assert len(told["levels"]) == 5 + 18 + 3
    assert page.read_text().count('class="chart"') == 3
    names = [f.name for f in report(items(scores)).figures]
    assert names == ["intervals of system", "intervals of item", "intervals of assessor"]


def test_scores_that_do_not_vary_beyond_their_levels_are_not_tested():
    """Without an error there is no F, and intervals would have no width."""
    for values in (np.full((3, 4), 0.5), np.tile(np.arange(3.0)[:, None], 4)):
        found = items(table(values))
        for row in found.omnibus:
            if row["test"].startswith("analysis of variance"):
                assert np.isnan(row["statistic"])
                assert np.isnan(row["p"])
        assert {(r["low"], r["high"], r["p"], r["differs"]) for r in found.levels} == {
            (None, None, None, None)
        }
        assert all("could not be tested" in sentence for sentence in found.headlines())
        assert found.to_json()
        assert report(found).html()
