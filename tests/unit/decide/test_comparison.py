"""compare(): defaults, alignment, bad input, and what it tells."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tare import compare
from tare._measures.scores import Scores
from tare._signature import Signature
from tare.errors import MismatchError, OptionError
from tare.stats import TESTS, Pairs, run_test

PAIRED = [name for name, test in TESTS.items() if test.paired]


def table(values: np.ndarray, *, names: str = "ABCDEFGH", measure: str = "x") -> Scores:
    items = tuple(f"q{k}" for k in range(values.shape[1]))
    signature = Signature.of(measure, {"n": len(items)})
    return Scores(tuple(names[: len(values)]), items, (measure,), values[:, :, None], (signature,))


@pytest.fixture
def scores() -> Scores:
    rng = np.random.default_rng(0)
    values = rng.random((5, 30)) * 0.3 + np.array([0, 0.02, 0.1, 0.2, 0.21])[:, None]
    return table(np.round(values, 3))


def test_defaults_are_printed_and_family_wise(scores: Scores) -> None:
    all_pairs = compare(scores)
    assert (all_pairs.test, all_pairs.correction, len(all_pairs)) == ("permutation", "max-t", 10)
    against = compare(scores, baseline="A")
    assert (against.test, against.correction, len(against)) == ("permutation", "max-t", 4)
    two = compare(scores.select(systems=["A", "B"]))
    assert (two.test, two.correction, len(two)) == ("permutation", "none", 1)
    for made in (all_pairs, against, two):
        printed = "".join(repr(made).split())  # lines may break anywhere
        assert "chosenbydefault:test,correction" in printed
        assert "two-sided,pairedbyitemid" in printed
    assert "10,000" in " ".join(repr(against).split())


def test_missing_cells_lead_to_pairs_on_common_items(scores: Scores) -> None:
    values = scores.values.copy()
    values[0, 3:8] = np.nan
    made = compare(replace(scores, values=values))
    assert (made.test, made.correction) == ("permutation", "holm")
    assert made.pair("A", "B")["n"] == 25
    assert made.pair("B", "C")["n"] == 30
    tukey = compare(replace(scores, values=values), test="tukey")
    assert "5 items without a score of every system were left out" in " ".join(repr(tukey).split())
    whole = replace(scores, values=values).select(
        items=[f"q{k}" for k in range(30) if not 3 <= k < 8]
    )
    assert tukey.rows() == compare(whole, test="tukey").rows()


@pytest.mark.parametrize("test", PAIRED)
def test_the_order_of_rows_and_systems_changes_nothing(scores: Scores, test: str) -> None:
    values = scores.values.copy()
    if not TESTS[test].family_wise:
        values[1, 4] = np.nan
    scores = replace(scores, values=values)
    items = list(scores.items)
    np.random.default_rng(1).shuffle(items)
    first = compare(scores, test=test, draws=500)
    second = compare(scores.select(items=items), test=test, draws=500)
    assert first.rows() == second.rows()
    fewer = compare(scores.select(systems=["A", "B"]), test=test, draws=500)
    if not TESTS[test].family_wise:
        alone, among = fewer.pair("A", "B"), first.pair("A", "B")
        # Intervals of the permutation test belong to the family.
        kept = ("p", "statistic") if test == "permutation" else ("p", "statistic", "low")
        assert {k: alone[k] for k in kept} == {k: among[k] for k in kept}


@pytest.mark.parametrize("test", PAIRED)
def test_threads_change_nothing(scores: Scores, test: str) -> None:
    made = [compare(scores, test=test, draws=700, threads=k).rows() for k in (1, 2, 5)]
    assert made[0] == made[1] == made[2]


def test_float_noise_decides_nothing() -> None:
    x = np.array([0.1 + 0.2, 0.5, 0.7, 0.3, 0.6, 0.9])
    y = np.array([0.3, 0.5, 0.1 + 0.6, 0.2, 0.5, 0.8])
    row = compare(table(np.array([x, y])), test="wilcoxon").pair("A", "B")
    assert (row["wins"], row["ties"], row["losses"]) == (3, 3, 0)
    assert row["p"] == 0.25  # three equal differences of one sign: 2/2³


@pytest.mark.parametrize("test", PAIRED)
def test_systems_that_are_alike(test: str) -> None:
    values = np.tile(np.random.default_rng(0).random(8), (3, 1))
    made = compare(table(values), test=test)
    assert all(row["p"] == 1 for row in made.rows())
    assert all(row["difference"] == row["d_z"] == row["rank_biserial"] == 0 for row in made.rows())
    assert made.families[0].letters == {"A": "a", "B": "a", "C": "a"}
    assert all(
        math.isnan(v) if name in ("low", "high") else math.isfinite(v)
        for row in made.rows()
        for name, v in row.items()
        if isinstance(v, float)
    )


@pytest.mark.parametrize("test", PAIRED)
def test_constant_differences_have_a_defined_p(test: str) -> None:
    base = np.random.default_rng(0).random(12)
    made = compare(table(np.array([base + 0.25, base])), test=test).rows()[0]
    assert 0 <= made["p"] < 1
    if test in ("t", "tukey", "wilcoxon", "sign", "permutation"):
        assert made["p"] == pytest.approx(2.0**-11)
    assert not math.isnan(made["p_adjusted"])


def test_pairs_without_common_items_are_told() -> None:
    values = np.random.default_rng(0).random((3, 10))
    values[0, :5] = np.nan
    values[1, 5:] = np.nan
    made = compare(table(values))
    assert len(made) == 2
    assert "A–B" in " ".join(repr(made).split())
    values[2] = np.nan
    with pytest.raises(MismatchError, match="no two systems have a score on the same item"):
        compare(table(values))


def test_one_system_and_one_item() -> None:
    with pytest.raises(MismatchError, match="at least two"):
        compare(table(np.random.default_rng(0).random((1, 10))))


@pytest.mark.parametrize(
    "test", ["auto", "t", "bootstrap", "bootstrap-sacrebleu", "hybrid-t", "sign"]
)
def test_one_item_gives_a_difference_and_no_interval(test: str) -> None:
    made = compare(table(np.array([[0.5], [0.75]])), test=test)
    (row,) = made.rows()
    assert row["difference"] == -0.25
    assert math.isnan(row["low"])
    assert row["p"] == 1 if test in ("auto", "sign") else math.isnan(row["p"])
    assert not row["significant"]
    assert "–" in str(made.table())
    assert made.methods


def test_unknown_names_and_impossible_options(scores: Scores) -> None:
    with pytest.raises(OptionError, match="'bm25' is not in the table"):
        compare(scores, baseline="bm25")
    with pytest.raises(OptionError, match="Did you mean 'wilcoxon'"):
        compare(scores, test="wilcoxn")
    with pytest.raises(OptionError, match="correct twice"):
        compare(scores, test="tukey", correction="holm")
    with pytest.raises(OptionError, match="max-t"):
        compare(scores, test="t", correction="max-t")
    with pytest.raises(OptionError, match="too few"):
        compare(scores, draws=10)
    with pytest.raises(OptionError, match="alpha"):
        compare(scores, alpha=1.5)
    infinite = replace(scores, values=np.where(scores.values > 0.4, np.inf, scores.values))
    with pytest.raises(MismatchError, match="is infinite"):
        compare(infinite)


def test_one_return_type_for_any_number_of_measures(scores: Scores) -> None:
    other = replace(table(scores.values[:, :, 0] * 100, measure="y"), items=scores.items)
    both = scores.join(other)
    made = compare(both)
    assert {family.measure for family in made.families} == {"x", "y"}
    assert made.to_frame().height == 20
    # Tests do not depend on the unit of measurement.
    assert made["x"].adjusted == pytest.approx(made["y"].adjusted)


def test_several_baselines(scores: Scores) -> None:
    made = compare(scores, baseline=["A", "B"])
    assert len(made) == 7
    assert "p against B" in str(made.systems())


def test_letters_say_what_the_pairs_say(scores: Scores) -> None:
    family = compare(scores, test="permutation", correction="max-t").families[0]
    apart = {frozenset(pair) for pair in family.different}
    for a in scores.systems:
        for b in scores.systems:
            if a != b:
                share = set(family.letters[a]) & set(family.letters[b])
                assert bool(share) != (frozenset((a, b)) in apart)


def test_tables_in_every_format(scores: Scores) -> None:
    made = compare(scores, baseline="A")
    for format in ("text", "markdown", "latex", "html", "csv", "json", "jsonl", "tsv"):
        assert "difference" in made.table().render(format)
    latex = made.table().to_latex()
    assert r"\toprule" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    assert "null" not in made.to_json()
    assert "<table" in made._repr_html_()


def test_methods_paragraph_names_what_was_done(scores: Scores) -> None:
    text = compare(scores, test="permutation", correction="bh", draws=2000, seed=5).methods
    for part in (
        "10 pairs of 5 systems",
        "30 items",
        "2,000 draws",
        "seed 5",
        "Benjamini–Hochberg",
    ):
        assert part in text
    assert "exact" in compare(scores, test="wilcoxon").methods


def test_exact_p_values_are_not_said_to_be_drawn(scores: Scores) -> None:
    few = scores.select(systems=["A", "E"], items=[f"q{k}" for k in range(8)])
    made = compare(few, test="permutation", interval="t")
    assert "P-values are exact (all 128 sign patterns)." in made.methods
    assert "draws" not in made.methods + made.legend()
    drawn = compare(scores, test="permutation", interval="t")
    assert "P-values come from B = 10,000 draws" in drawn.methods
    assert "draws: 10,000" in drawn.legend()


def test_the_summary_claims_what_was_found(scores: Scores) -> None:
    def notes(*names: str) -> str:
        return " ".join(str(compare(scores.select(systems=names), test="t").systems()).split())

    assert "1 system is not significantly different from the best, D: E" in notes("A", "D", "E")
    assert "the best, E, differs significantly from all others" in notes("A", "B", "E")
    assert "Expected errors of direction" not in notes("D", "E")


def test_methods_count_systems_and_pairs(scores: Scores) -> None:
    assert "compared 4 systems with A on" in compare(scores, baseline="A").methods
    two = scores.select(systems=["A", "B"])
    assert "compared 1 system with A on" in compare(two, baseline="A").methods
    assert (
        "pairs of a system and a baseline (A and B)" in compare(scores, baseline=["A", "B"]).methods
    )


def test_intervals_of_each_kind(scores: Scores) -> None:
    for kind in ("t", "percentile", "bca", "studentised"):
        for row in compare(scores, test="t", interval=kind, draws=2000).rows():
            assert row["low"] < row["difference"] < row["high"]
    for test in ("tukey", "tukey-randomised"):
        for row in compare(scores, test=test).rows():
            # A simultaneous interval leaves out 0 exactly where the test rejects.
            assert (row["low"] > 0 or row["high"] < 0) == row["significant"]


def test_frames_are_taken_as_they_are(scores: Scores) -> None:
    assert compare(scores.to_frame()).rows() == compare(scores).rows()


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "hybrid", "wilcoxon"])
def test_paired_tests_see_what_unpaired_ones_do_not(test: str) -> None:
    rng = np.random.default_rng(0)
    hard = rng.random(40)  # topics differ far more than the systems do
    scores = table(np.array([hard + 0.02 + rng.normal(size=40) * 0.01, hard]))
    assert compare(scores, test=test).rows()[0]["p"] < 0.001
    assert run_test(Pairs.of_matrix(scores.matrix()), "welch").p[0] > 0.5


@pytest.mark.parametrize("test", ["welch", "pooled"])
def test_systems_are_not_compared_as_if_their_items_differed(scores: Scores, test: str) -> None:
    with pytest.raises(OptionError, match=f"test={test!r}.*permutation"):
        compare(scores, test=test)
    differences = run_test(Pairs.of_arrays(np.full(6, 0.5), np.full(6, 0.25)), test)
    assert differences.p[0] == 2.0**-5


def test_several_systems_are_compared_by_flips_of_whole_items(scores: Scores) -> None:
    made = compare(scores)
    assert (made.test, made.correction, made.interval) == ("permutation", "max-t", "simultaneous")
    assert made.chosen == ("test", "correction")
    assert "simultaneous intervals that belong to the test" in made.methods
    for row in made.rows():
        assert row["significant"] == (row["low"] > 0 or row["high"] < 0)
    holm = compare(scores, correction="holm")
    assert "per pair" not in str(holm.table())
    assert "at level α divided by the number of pairs" in holm.methods
    alone = compare(scores, correction="none")
    assert "95 % interval, per pair" in str(alone.table())
    assert "one per pair" in alone.methods
    for row in alone.rows():
        assert row["significant"] == (row["low"] > 0 or row["high"] < 0)
    against = compare(scores, baseline="A")
    assert (against.test, against.correction) == ("permutation", "max-t")


def test_near_variants_are_told_apart_next_to_a_system_that_differs() -> None:
    """One pooled error, as in Tukey's test, hides differences among near variants."""
    rng = np.random.default_rng(0)
    query = rng.normal(0.4, 0.2, 50)
    near = [query + step + rng.normal(0, 0.02, 50) for step in (0, 0, 0.02, 0.02)]
    scores = table(np.array([*near, query + rng.normal(0, 0.2, 50)]))
    real = {("A", "C"), ("A", "D"), ("B", "C"), ("B", "D")}
    assert real <= set(compare(scores).families[0].different)
    assert not real & set(compare(scores, test="tukey").families[0].different)


def test_few_items_are_reported_and_no_other_test_is_taken(scores: Scores) -> None:
    made = compare(scores.select(items=list(scores.items[:5])))
    assert (made.test, made.correction) == ("permutation", "max-t")
    assert not any(row["significant"] for row in made.rows())
    assert "p cannot fall below 0.062" in " ".join(str(finding) for finding in made.findings)


def test_pairs_of_an_incomplete_table_are_tested_each_on_its_items(scores: Scores) -> None:
    values = scores.values.copy()
    values[1, 4] = np.nan
    made = compare(replace(scores, values=values))
    assert (made.test, made.correction) == ("permutation", "holm")
    for row in made.rows():  # each interval has the level α/10: it is never shorter than p allows
        assert row["significant"] or row["low"] <= 0 <= row["high"]
    # The p of a pair is that of its own items.
    alone = compare(scores.select(systems=["C", "D"])).pair("C", "D")
    assert made.pair("C", "D")["p"] == alone["p"]


def test_pairs_that_differ_on_few_items_have_no_interval(scores: Scores) -> None:
    values = scores.values.copy()
    values[1] = values[0]
    values[1, :3] += 0.25
    made = compare(replace(scores, values=values))
    row = made.pair("A", "B")
    assert row["p"] == 0.25
    assert math.isnan(row["low"])
    assert math.isnan(row["high"])
    assert "A–B differs on 3 items only" in " ".join(str(finding) for finding in made.findings)
    assert "–" in str(made.table())


def test_large_incomplete_tables_are_tested_with_t(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tare._decide.families.MOST_FLIPPED", 10_000)
    values = np.random.default_rng(0).random((3, 10))
    values[0, 0] = np.nan
    made = compare(table(values))
    assert (made.test, made.correction) == ("t", "holm")
    assert "assumes normal differences" in " ".join(str(finding) for finding in made.findings)


def test_the_interval_of_net_is_a_ratio_s() -> None:
    """Fieller's interval of Σ(x_A − x_B)/Σy, with the critical value of the flips."""
    import tare

    world = tare.simulate(queries=40, seed=1)
    measures = ["nDCG@10", "Net(nDCG@10)"]
    scores = tare.evaluate(world.qrels, world.runs, measures, pool="judged")
    scores = scores.select(systems=["dense", "lexical"])
    net, gross = (compare(scores[m]).rows()[0] for m in ("Net(nDCG@10)", "nDCG@10"))
    assert net["p"] == gross["p"]
    assert net["significant"] == (net["low"] > 0 or net["high"] < 0)
    assert not math.isclose(net["high"] / net["low"], gross["high"] / gross["low"])
