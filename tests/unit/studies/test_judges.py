"""The audit of judges on labels with a known answer."""

import itertools

import numpy as np
import pytest
from scipy import stats

import tare
from tare.errors import FormatError, MismatchError, OptionError
from tare.stats import adjust
from tare.studies import judges
from tare.studies._judges_labels import kappa_totals
from tare.studies._judges_systems import CELLS, halves


def human_labels(queries=12, documents=10, seed=0):
    random = np.random.default_rng(seed)
    return {
        f"q{q}": {f"d{d}": int(g) for d, g in enumerate(random.integers(0, 4, documents))}
        for q in range(queries)
    }


def shifted(labels, by=1, top=3):
    return {q: {d: min(g + by, top) for d, g in docs.items()} for q, docs in labels.items()}


def runs_of(labels, noises, seed=1):
    """Systems that rank by the human grade with more or less noise."""
    random = np.random.default_rng(seed)
    return {
        f"s{k}": {
            q: {d: float(g + noise * random.normal()) for d, g in docs.items()}
            for q, docs in labels.items()
        }
        for k, noise in enumerate(noises)
    }


HUMAN = human_labels()


def test_a_copy_of_people_agrees_perfectly_and_concludes_the_same():
    runs = runs_of(HUMAN, (0.1, 0.5, 1, 2, 4))
    found = judges(HUMAN, {"copy": HUMAN}, runs, ["nDCG@5", "AP"], draws=200, splits=10)
    row = found.rows()[0]
    assert (row["equal"], row["kappa"], row["alpha"], row["leniency"]) == (1, 1, 1, 0)
    assert (row["kappa_low"], row["kappa_high"]) == (None, None)  # no resample differs
    assert row["kappa_p"] == 2 / 2 ** len(HUMAN)
    for row in found.rows_by_name["correlations"]:
        assert row["tau_b"] == row["tau_ap"] == row["top_agreement"] == pytest.approx(1)
        assert row["rbo"] == pytest.approx(1)
        assert row["largest_change"] == 0
    assert all(r["bias"] == 0 for r in found.rows_by_name["systems"])
    same = {f"{w}_{w}" for w in ("better", "none", "worse")}
    for row in found.rows_by_name["conclusions"]:
        if row["comparison"] == "all queries":
            off = [row[f"{h}_{j}"] for h, j in CELLS if f"{h}_{j}" not in same]
            assert sum(off) == 0
            assert row["recall"] == row["precision"] == 1
    two = [r for r in found.rows_by_name["conclusions"] if r["comparison"] != "all queries"]
    mine, theirs = (r for r in two if r["measure"] == "AP")
    assert {k: v for k, v in mine.items() if k != "comparison"} == {
        k: v for k, v in theirs.items() if k != "comparison"
    }  # the judge is people, so both yardsticks are the same


def test_nine_cells_add_up_to_all_pairs_and_flips_are_listed():
    runs = runs_of(HUMAN, (0.1, 0.5, 1, 2, 4))
    turned = {q: {d: 3 - g for d, g in docs.items()} for q, docs in HUMAN.items()}
    found = judges(HUMAN, {"turned": turned}, runs, ["nDCG@5"], draws=200, splits=10)
    for row in found.rows_by_name["conclusions"]:
        assert sum(row[f"{h}_{j}"] for h, j in CELLS) == pytest.approx(10)
    pairs = found.rows_by_name["pairs"]
    assert len(pairs) == 10
    assert sum(r["reversed"] for r in pairs) == sum(
        found.rows_by_name["conclusions"][0][c] for c in ("better_worse", "worse_better")
    )
    assert sum(r["reversed"] for r in pairs) > 0
    assert found.rows()[0]["kappa"] < 0
    assert found.rows_by_name["correlations"][0]["tau_b"] == pytest.approx(-1)
    assert "flips" in found.tables()
    assert "significant in opposite directions" in found.conclusion()


def test_leniency_by_grade_is_the_shift_that_was_made():
    found = judges(HUMAN, {"kind": shifted(HUMAN)}, draws=200)
    by_grade = {r["grade"]: r["leniency"] for r in found.rows_by_name["leniency"]}
    assert by_grade == {0: 1, 1: 1, 2: 1, 3: 0}
    row = found.rows()[0]
    grades = [g for docs in HUMAN.values() for g in docs.values()]
    assert row["leniency"] == pytest.approx(np.mean([g < 3 for g in grades]))
    assert "more lenient than people" in found.conclusion()


def test_judges_without_skill_are_shown_next_to_it():
    found = judges(HUMAN, {"copy": HUMAN}, draws=100)
    rows = {r["judge"]: r for r in found.rows()}
    grades = np.array([g for docs in HUMAN.values() for g in docs.values()])
    shares = np.bincount(grades) / len(grades)
    assert rows["(constant)"]["equal"] == pytest.approx(shares.max())
    assert rows["(constant)"]["kappa"] == pytest.approx(0)
    assert rows["(base rates)"]["equal"] == pytest.approx((shares**2).sum())
    assert rows["(base rates)"]["kappa"] == pytest.approx(0)
    assert rows["copy"]["by_chance"] == pytest.approx((shares**2).sum())


def test_base_rates_are_the_shares_of_labels():
    found = judges(HUMAN, {"kind": shifted(HUMAN)}, draws=100)
    rows = {r["label"]: r for r in found.rows_by_name["base_rates"]}
    grades = np.array([g for docs in HUMAN.values() for g in docs.values()])
    assert rows["1"]["share_human"] == pytest.approx((grades == 1).mean())
    assert rows["1"]["share_judge"] == pytest.approx((grades == 0).mean())
    assert rows["0"]["share_judge"] == 0


def test_random_labels_lead_to_no_claim():
    random = np.random.default_rng(4)
    labels = {q: {d: int(random.integers(0, 4)) for d in docs} for q, docs in HUMAN.items()}
    found = judges(HUMAN, {"dice": labels}, draws=500)
    row = found.rows()[0]
    assert row["kappa_low"] < 0 < row["kappa_high"]
    assert "not shown to differ from chance" in found.conclusion()
    assert "neither leniency nor strictness is shown" in found.conclusion()


def test_intervals_resample_queries_not_pairs():
    """With the same pairs in one cluster per query, equal queries give resamples that do not differ."""
    one = {f"d{d}": d % 3 for d in range(9)}
    other = {d: (g + (d == "d1")) % 3 for d, g in one.items()}
    human = {f"q{q}": one for q in range(10)}
    found = judges(human, {"llm": dict.fromkeys(human, other)}, draws=200)
    row = found.rows()[0]
    assert (row["kappa_low"], row["kappa_high"]) == (None, None)
    assert row["kappa_p"] == 2 / 2**10


def test_several_people_give_a_ceiling():
    second = {
        q: {d: (g if d != "d0" else 3 - g) for d, g in docs.items()} for q, docs in HUMAN.items()
    }
    judge = {
        q: {d: (g if d not in ("d0", "d1", "d2", "d3") else 3 - g) for d, g in docs.items()}
        for q, docs in HUMAN.items()
    }
    found = judges([HUMAN, second], {"llm": judge, "copy": HUMAN}, draws=300)
    assert found.people == ("labels", "labels (2)")
    rows = {r["judge"]: r for r in found.rows_by_name["ceiling"]}
    assert rows["llm"]["kappa_judge"] < rows["llm"]["kappa_person"]
    assert rows["llm"]["high"] < 0 < rows["copy"]["low"]
    assert "agrees less with the first person" in found.conclusion("llm")
    assert "agrees better with the first person" in found.conclusion("copy")


def test_other_scales_have_rank_agreement_and_kappa_only_with_a_cut_or_a_map():
    scaled = {
        q: {d: g / 3 + 0.01 * (d == "d1") for d, g in docs.items()} for q, docs in HUMAN.items()
    }
    plain = judges(HUMAN, {"real": scaled}, rel=2, draws=100)
    assert plain.rows()[0]["scale"] == "other"
    assert "kappa" not in plain.rows()[0]
    assert plain.rows_by_name["binary"] == []
    assert plain.rows_by_name["ranks"][0]["auc"] == pytest.approx(1)
    assert "labels on another scale" in plain.notes[0]
    cut = judges(HUMAN, {"real": scaled}, rel=2, cut={"real": 0.6}, draws=100)
    assert cut.rows_by_name["binary"][0]["kappa"] == pytest.approx(1)
    tens = {q: {d: 10 * g for d, g in docs.items()} for q, docs in HUMAN.items()}
    mapped = judges(HUMAN, {"tens": tens}, maps={0: 0, 10: 1, 20: 2, 30: 3}, draws=100)
    assert mapped.rows()[0]["kappa"] == 1
    with pytest.raises(OptionError, match=r"the map has no entry for 30 of tens"):
        judges(HUMAN, {"tens": tens}, maps={0: 0, 10: 1, 20: 2}, draws=100)


def test_a_judge_of_two_labels_is_compared_at_the_lowest_relevant_grade():
    binary = {q: {d: int(g >= 2) for d, g in docs.items()} for q, docs in HUMAN.items()}
    found = judges(HUMAN, {"binary": binary}, rel=2, draws=100)
    assert found.rows()[0]["scale"] == "binary"
    (row,) = found.rows_by_name["binary"]
    assert (row["cut"], row["kappa"], row["sensitivity"]) == (1, 1, 1)


def test_the_bias_of_a_judge_towards_one_family_is_found_and_that_of_a_fair_one_is_not():
    labels = human_labels(40)
    runs = runs_of(labels, (3.0,) * 12)
    ours = {f"s{k}": "ours" if k < 6 else "theirs" for k in range(12)}
    liked = {
        q: {
            d: 3
            if any(max(runs[f"s{k}"][q], key=runs[f"s{k}"][q].get) == d for k in range(6))
            else g
            for d, g in docs.items()
        }
        for q, docs in labels.items()
    }
    found = judges(
        labels,
        {"biased": liked, "fair": labels},
        runs,
        ["P(rel=3)@1"],
        groups=ours,
        group="family",
        draws=500,
        splits=5,
    )
    rows = {(r["judge"], r["group"]): r for r in found.rows_by_name["groups"]}
    assert rows["biased", "ours"]["difference"] > 0
    assert rows["biased", "ours"]["p_all"] < 0.05
    assert rows["fair", "ours"]["p_all"] == 1
    assert "differs between the values of family" in found.conclusion("biased")
    assert "is not shown to differ" in found.conclusion("fair")


def test_the_permutation_test_of_groups_is_near_all_permutations():
    from tare.studies._judges_systems import SystemPair, group_rows

    bias = np.array([0.3, 0.25, 0.1, 0.0, 0.05, -0.1])
    pair = SystemPair(
        "j",
        "m",
        tuple("abcdef"),
        ("q1", "q2"),
        np.zeros((6, 2)),
        np.tile(bias[:, None], 2),
        np.zeros((6, 2)),
    )
    groups = dict(zip("abcdef", "xxxyyy", strict=True))
    rows = group_rows(pair, groups, "kind", draws=20_000, seed=1)
    gaps = [
        abs(bias[list(c)].mean() - np.delete(bias, list(c)).mean())
        for c in itertools.combinations(range(6), 3)
    ]
    exact = np.mean([g >= gaps[0] - 1e-12 for g in gaps])
    assert rows[0]["p"] == pytest.approx(exact, abs=0.01)
    assert rows[0]["p"] == rows[0]["p_all"]


def test_halves_are_disjoint_and_of_equal_size():
    for one, other in halves(11, 20, seed=3):
        assert len(one) == len(other) == 5
        assert not set(one.tolist()) & set(other.tolist())


def test_net_scores_with_a_pool():
    runs = runs_of(HUMAN, (0.1, 1, 3))
    found = judges(HUMAN, {"copy": HUMAN}, runs, ["nDCG@5"], pool="judged", draws=100, splits=3)
    assert found.measures == ("nDCG@5", "Net(nDCG@5)")
    rows = [r for r in found.rows_by_name["scores"] if r["labels"] == "copy"]
    assert all(r["gross"] > r["tare"] for r in rows)
    expected = tare.evaluate(HUMAN, runs, "Net(nDCG@5)", pool="judged").means()
    assert rows[0]["net"] == pytest.approx(expected["s0"]["Net(nDCG@5)"])


def test_the_result_is_the_same_for_any_number_of_threads():
    runs = runs_of(HUMAN, (0.1, 1, 3))
    tables = [
        judges(
            HUMAN,
            {"kind": shifted(HUMAN)},
            runs,
            ["nDCG@5"],
            draws=200,
            splits=5,
            threads=t,
            seed=3,
        ).to_json()
        for t in (1, 3)
    ]
    assert tables[0] == tables[1]


def test_preferences_and_words():
    people = [(f"q{q}", "a", "b", "a" if q % 3 else "b") for q in range(9)]
    model = [(q, b, a, w if q != "q1" else "equal") for q, a, b, w in people]
    names = ["query", "left", "right", "preferred"]
    import polars as pl

    frames = [pl.DataFrame(rows, schema=names, orient="row") for rows in (people, model)]
    found = judges(frames[0], [frames[1]], draws=100)
    assert found.kind == "preferences"
    assert found.rows()[0]["equal"] == pytest.approx(8 / 9)
    with pytest.raises(OptionError, match="runs are scored with grades"):
        judges(frames[0], [frames[1]], {"s": {"q0": {"a": 1.0}}}, draws=100)
    words = {"unit": list("abcd"), "coder": ["human"] * 4, "value": ["good", "bad", "good", "bad"]}
    said = words | {"coder": ["llm"] * 4, "value": ["good", "bad", "bad", "bad"]}
    found = judges(pl.DataFrame(words), [pl.DataFrame(said)], draws=100)
    assert found.rows()[0]["kappa"] == pytest.approx(0.5)
    assert "leniency" not in found.rows()[0]
    assert "κ linear" not in [c.name for c in found.table().columns]


def test_failed_labels_are_reported_and_never_count():
    broken = {
        q: {d: (g if d != "d0" else None) for d, g in docs.items()} for q, docs in HUMAN.items()
    }
    found = judges(HUMAN, {"llm": broken}, draws=100)
    row = found.rows()[0]
    assert (row["failed"], row["pairs"], row["kappa"]) == (12, 108, 1)
    assert any("12 labels could not be read" in note for note in found.notes)


@pytest.mark.parametrize(
    ("human", "judge", "message"),
    [
        (
            {"q": {"a": 1, "b": 0}},
            {"x": {"a": 1}},
            "have no query in common: the first has q, the second x",
        ),
        ({"q": {"a": 1, "b": 0}}, {"q": {"c": 1}}, "no pair of query and document in common"),
        ({"q": {"a": 1, "b": 1}}, {"q": {"a": 1, "b": 0}}, "are all 1, so κ is undefined"),
    ],
)
def test_labels_that_do_not_fit(human, judge, message):
    with pytest.raises(MismatchError, match="."):
        judges(human, [judge])
    with pytest.raises(MismatchError) as caught:
        judges(human, [judge])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"draws": 5},
        {"test": "q"},
        {"correction": "z"},
        {"alpha": 2},
        {"splits": 0},
        {"top": 0},
        {"cut": {"x": 1}},
        {"maps": {"x": {0: 0}}},
        {"people": ["x"]},
        {"groups": {"a": "b"}},
        {"test": "tukey", "correction": "holm"},
    ],
    ids=str,
)
def test_options_out_of_range(options):
    with pytest.raises(OptionError):
        judges(HUMAN, {"llm": HUMAN}, **options)


def test_contradictions_are_refused(tmp_path):
    (tmp_path / "h.qrels").write_text("q 0 a 1\nq 0 a 2\n")
    with pytest.raises(FormatError, match="has the label 2, and another one on line 1"):
        judges(tmp_path / "h.qrels", {"llm": HUMAN})


def test_columns_of_people_are_recognised_by_their_whole_name():
    import polars as pl

    rows = [("q1", f"d{d}", d % 3, (d + 1) % 3, d % 2) for d in range(9)]
    frame = pl.DataFrame(
        rows, schema=["topic", "doc", "human", "NISTretrieval", "expert-llm"], orient="row"
    )
    found = judges(frame, draws=100)
    assert found.people == ("human",)
    assert found.judges == ("NISTretrieval", "expert-llm")
    assert judges(frame, people=["expert-llm"], draws=100).people == ("expert-llm",)


def test_coverage_of_the_interval_of_kappa():
    """95 % intervals over queries cover κ of the population of queries about as often as they say."""
    random = np.random.default_rng(7)
    population = []
    for _ in range(3000):
        rate = random.beta(2, 2)
        first = random.integers(0, 2, 12)
        population.append((first, np.where(random.random(12) < rate, first, 1 - first)))
    from tare.studies._judges_labels import (
        confusion_statistics,
        intervals,
        query_weights,
        resampled,
    )

    counts = np.zeros((len(population), 2, 2))
    for k, (x, y) in enumerate(population):
        np.add.at(counts[k], (x, y), 1)
    levels = np.array([0.0, 1.0])
    truth = float(confusion_statistics(counts.sum(axis=0), levels)["kappa"])
    covered = 0
    weights = query_weights(40, 400, seed=1)
    for _ in range(400):
        sample = counts[random.integers(0, len(counts), 40)]
        drawn = resampled(sample, weights, lambda t: confusion_statistics(t, levels))["kappa"]
        low, high = intervals(drawn, 0.95)
        covered += low <= truth <= high
    assert 0.90 <= covered / 400 <= 0.985


def test_claims_about_judges_are_corrected_over_the_judges():
    """With many judges that guess, the smallest of many p-values is no discovery."""
    random = np.random.default_rng(5)
    sets = {
        f"guess{k}": {q: {d: int(random.integers(0, 4)) for d in docs} for q, docs in HUMAN.items()}
        for k in range(12)
    }
    sets["copy"] = HUMAN
    sets["kind"] = shifted(HUMAN)
    runs = runs_of(HUMAN, (0.1, 0.5, 1, 2))
    found = judges(HUMAN, sets, runs, ["nDCG@5"], draws=200, splits=2)
    rows = [r for r in found.rows() if "kappa_p" in r]
    assert len(rows) == 14
    for name in ("kappa", "leniency"):
        expected = adjust([r[f"{name}_p"] for r in rows], "holm")
        assert [r[f"{name}_p_adjusted"] for r in rows] == pytest.approx(expected)
    biases = found.rows_by_name["systems"]
    expected = adjust([np.nan if r["p"] is None else r["p"] for r in biases], "holm")
    known = [r.get("p_adjusted", np.nan) for r in biases]
    assert known == pytest.approx(expected, nan_ok=True)
    assert "above chance" in found.conclusion("copy")
    assert "more lenient" in found.conclusion("kind")
    for k in range(12):
        assert "not shown to differ from chance" in found.conclusion(f"guess{k}")
    assert "those of the 14 judges" in found.conclusion()
    alone = judges(HUMAN, {"copy": HUMAN}, draws=200)
    assert alone.rows()[0]["kappa_p_adjusted"] == alone.rows()[0]["kappa_p"]
    assert "Holm" not in alone.conclusion()


def test_whole_queries_are_flipped():
    """Leniency is tested by the totals of queries; the parts of queries in κ add up to κ."""
    random = np.random.default_rng(2)
    human = {f"q{q}": {f"d{d}": d % 3 for d in range(3 + q)} for q in range(9)}
    judge = {
        q: {d: int(np.clip(g + random.integers(-1, 3), 0, 2)) for d, g in docs.items()}
        for q, docs in human.items()
    }
    row = judges(human, {"llm": judge}, draws=200).rows()[0]
    totals = [sum(judge[q][d] - g for d, g in docs.items()) for q, docs in human.items()]
    flips = [
        abs(np.dot(signs, totals)) >= abs(sum(totals)) - 1e-9
        for signs in itertools.product([1, -1], repeat=9)
    ]
    assert row["leniency_p"] == np.mean(flips)
    counts = np.zeros((9, 3, 3))
    for k, (q, docs) in enumerate(human.items()):
        for d, g in docs.items():
            counts[k, g, judge[q][d]] += 1
    parts = kappa_totals(counts)
    assert parts.sum() / counts.sum() == pytest.approx(row["kappa"])
    # Leaving a query out changes κ by about its part.
    whole = parts.sum() / counts.sum()
    without = kappa_totals(counts[1:]).sum() / counts[1:].sum()
    expected = (parts[0] - whole * counts[0].sum()) / counts.sum()
    assert whole - without == pytest.approx(expected, abs=0.02)


def test_a_bias_is_that_of_students_test():
    judge = {q: {d: (g + (d == "d1")) % 4 for d, g in docs.items()} for q, docs in HUMAN.items()}
    runs = runs_of(HUMAN, (0.1, 0.5, 2))
    found = judges(HUMAN, {"llm": judge}, runs, "nDCG@5", draws=200, splits=2)
    scored = [tare.evaluate(labels, runs, "nDCG@5").matrix("nDCG@5") for labels in (HUMAN, judge)]
    for k, row in enumerate(found.rows_by_name["systems"]):
        assert row["p"] == pytest.approx(stats.ttest_rel(scored[1][k], scored[0][k]).pvalue)


def test_one_query_is_not_tested():
    human = {"q": {f"d{d}": d % 3 for d in range(9)}}
    judge = {"q": {f"d{d}": d // 3 for d in range(9)}}
    found = judges(human, {"llm": judge}, draws=200)
    assert found.rows()[0]["kappa_p"] is None
    assert "not shown to differ from chance (not tested)" in found.conclusion()
