"""`tare.estimate` on a simulated collection whose truth is known."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

import tare
from tare._decide.compare_estimates import EstimateComparison
from tare._decide.estimate_labels import LINEAR
from tare._measures.names import parse
from tare.errors import FormatError, MeasureError, MismatchError, OptionError


@pytest.fixture(scope="module")
def world():
    return tare.simulate(queries=90, documents=12, seed=3)


@pytest.fixture(scope="module")
def truth(world):
    return world.qrels.to_dict()


@pytest.fixture(scope="module")
def judge(truth):
    """A judge that overrates every fourth document."""
    return {
        q: {d: min(2.0, g + (int(d[1:]) % 4 == 0)) for d, g in docs.items()}
        for q, docs in truth.items()
    }


@pytest.fixture(scope="module")
def people(truth):
    return {q: truth[q] for q in list(truth)[::3]}


@pytest.fixture(scope="module")
def some(truth):
    """Five of the twelve documents of every query."""
    rng = np.random.default_rng(0)
    return {
        q: {d: docs[d] for d in sorted(rng.choice(list(docs), 5, replace=False))}
        for q, docs in truth.items()
    }


def test_values_are_those_of_evaluate(world, people, judge, truth):
    found = tare.estimate(people, judge, world.runs, ["nDCG@5", "Net(nDCG@5)"], pool="judged")
    assert found.design == "queries"
    assert found.labelled == len(people)
    assert len(found.queries) == len(truth)
    mine = tare.evaluate(people, world.runs, ["nDCG@5", "Net(nDCG@5)"], pool="judged").means()
    alone = tare.evaluate(judge, world.runs, ["nDCG@5", "Net(nDCG@5)"], pool="judged").means()
    for row in found.rows():
        assert row["people"] == pytest.approx(mine[row["system"]][row["measure"]], abs=1e-12)
        assert row["judge"] == pytest.approx(alone[row["system"]][row["measure"]], abs=1e-12)
        assert row["bias"] == pytest.approx(row["judge"] - row["estimate"], abs=1e-12)
        assert row["low"] < row["estimate"] < row["high"]


def test_the_estimate_is_right_where_the_judge_is_wrong(world, people, judge, truth):
    found = tare.estimate(people, judge, world.runs, "P@5")
    true = tare.evaluate(truth, world.runs, "P@5").means()
    rows = found.rows()
    assert all(row["bias"] > 0 for row in rows)  # the judge overrates
    assert all(row["low"] <= true[row["system"]]["P@5"] <= row["high"] for row in rows)
    assert all(row["n_eff"] > row["n"] for row in rows)


def test_signs_never_contradict(world, people, judge):
    found = tare.estimate(people, judge, world.runs, ["nDCG@5", "AP", "Net(AP)"], pool="judged")
    values = {(row["measure"], row["system"]): row["estimate"] for row in found.rows()}
    for row in found.all_rows()["differences"]:
        gap = values[row["measure"], row["system"]] - values[row["measure"], row["against"]]
        assert row["difference"] == gap


def test_a_difference_that_rounds_to_zero_has_no_sign():
    from tare._decide.estimates import DifferenceColumn

    column = DifferenceColumn("difference")
    assert column.show(-0.00001) == "0.0000"
    assert column.show(-0.00006) == "−0.0001"
    assert column.show(-0.1) == "−0.1000"


@pytest.mark.parametrize(
    "name",
    [
        "P@3",
        "P(rel=2)@3",
        "CG@3",
        "CG",
        "DCG@3",
        "DCG(gain=exp2)@3",
        "DCG(discount=jk)@5",
        "DCG(base=3)@5",
        "SDCG(max_rel=3)@5",
        "SDCG(max_rel=2)@3",
        "RBP",
        "RBP(p=0.5)@4",
        "RBP(max_rel=2)@4",
    ],
)
def test_sums_of_linear_measures_are_those_of_evaluate(world, some, judge, name):
    found = tare.estimate(some, judge, world.runs, name)
    assert found.design == "documents"
    expected = tare.evaluate(judge, world.runs, name)
    by_query = expected.matrix()
    order = [expected.systems.index(system) for system in found.systems]
    np.testing.assert_allclose(found.estimators[0].sample.judge, by_query[order], atol=1e-12)
    assert parse(name).definition.name in LINEAR


def test_everything_labelled_is_the_truth(world, truth, judge):
    found = tare.estimate(truth, judge, world.runs, ["DCG@5", "P@5"], design="documents")
    true = tare.evaluate(truth, world.runs, ["DCG@5", "P@5"]).means()
    for row in found.rows():
        assert row["estimate"] == pytest.approx(true[row["system"]][row["measure"]], abs=1e-12)


@pytest.mark.parametrize(
    "measure", ["DCG(gain=exp2)@2", "P(rel=2)@2", "RBP@3", "CG@3", "SDCG(max_rel=2)@2"]
)
def test_unbiased_over_all_samples_of_documents(measure):
    truth = {
        "a": {"x": 2, "y": 0, "z": 1},
        "b": {"x": 0, "y": 1, "z": 2},
        "c": {"x": 1, "y": 1, "z": 0},
    }
    judge = {
        "a": {"x": 1, "y": 1, "z": 1},
        "b": {"x": 2, "y": 1, "z": 0},
        "c": {"x": 0, "y": 2, "z": 0},
    }
    runs = [
        {"a": {"x": 3, "y": 2, "z": 1}, "b": {"z": 3, "x": 2}, "c": {"y": 2, "x": 3, "z": 1}},
        {"a": {"z": 3, "y": 2, "x": 1}, "b": {"x": 3, "y": 2, "z": 1}, "c": {"z": 2, "y": 3}},
    ]
    true = tare.evaluate(truth, runs, measure).matrix().mean(axis=1)
    choices = list(itertools.combinations("xyz", 2))
    totals = np.zeros(2)
    for picks in itertools.product(choices, repeat=3):
        people = {q: {d: truth[q][d] for d in p} for q, p in zip("abc", picks, strict=True)}
        found = tare.estimate(people, judge, runs, measure)
        totals += found.estimators[0].fit.value
    np.testing.assert_allclose(totals / 27, true, atol=1e-12)


def test_design_variance_over_all_samples():
    """For these queries, the mean of the design variance is the variance over all samples."""
    rng = np.random.default_rng(1)
    documents = "uvwxyz"
    truth, judge = (
        {q: {d: int(rng.integers(0, 3)) for d in documents} for q in "abc"} for _ in range(2)
    )
    run = {q: {d: float(rng.random()) for d in documents} for q in "abc"}
    choices = list(itertools.combinations(documents, 3))
    fixed, variances = [], []
    for picks in itertools.product(choices, repeat=3):
        if rng.random() > 0.02:  # one in fifty of the 8,000 samples
            continue
        people = {q: {d: truth[q][d] for d in p} for q, p in zip("abc", picks, strict=True)}
        made = tare.estimate(people, judge, run, "DCG@4", target="these-queries", weight=1.0)
        fixed.append(made.estimators[0].fit.value[0])
        variances.append(made.estimators[0].fit.systems().error[0] ** 2)
    assert made.sampling == "fixed"
    assert np.mean(variances) == pytest.approx(np.var(fixed, ddof=1), rel=0.35)
    assert np.mean(fixed) == pytest.approx(tare.evaluate(truth, run, "DCG@4").mean, abs=0.3)


def test_poisson_variance_over_all_samples():
    """For these queries, the mean of the variance of Poisson samples is the variance over all of them.

    All 64 samples of six documents with unequal probabilities; the expected values are sums by hand.
    """
    rng = np.random.default_rng(4)
    pairs = [(q, d) for q in "abc" for d in "xy"]
    truth, judge = ({p: int(rng.integers(0, 4)) for p in pairs} for _ in range(2))
    chance = dict(zip(pairs, (0.2, 0.5, 0.7, 0.3, 0.9, 0.6), strict=True))
    runs = {
        "s": {q: {"x": 2.0, "y": 1.0} for q in "abc"},
        "t": {q: {"y": 2.0, "x": 1.0} for q in "abc"},
    }
    weight = {("s", "x"): 1, ("s", "y"): 1 / np.log2(3), ("t", "y"): 1, ("t", "x"): 1 / np.log2(3)}
    labels = {q: {d: judge[q, d] for d in "xy"} for q in "abc"}
    true = np.array([sum(weight[s, p[1]] * truth[p] for p in pairs) / 3 for s in "st"])
    by_judge = np.array([sum(weight[s, p[1]] * judge[p] for p in pairs) / 3 for s in "st"])
    first, second, variance = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))
    for picks in itertools.product((False, True), repeat=6):
        chosen = [p for p, drawn in zip(pairs, picks, strict=True) if drawn]
        likely = np.prod([chance[p] if p in chosen else 1 - chance[p] for p in pairs])
        value, found = by_judge, np.zeros((2, 2))
        if chosen:  # without a label there is nothing to correct, and no file
            rows = [
                {"query": q, "document": d, "grade": truth[q, d], "inclusion": chance[q, d]}
                for q, d in chosen
            ]
            made = tare.estimate(
                pl.DataFrame(rows),
                labels,
                runs,
                "DCG(gain=linear)@2",
                target="these-queries",
                weight=1.0,
                sampling="poisson",
            )
            assert made.sampling == "poisson"
            order = [made.systems.index(s) for s in "st"]
            value = made.estimators[0].fit.value[order]
            found = made.estimators[0].sample.spread[0][np.ix_(order, order)]
            errors = made.estimators[0].fit.systems().error[order]
            np.testing.assert_allclose(errors**2, np.diag(found), atol=1e-14)
        first += likely * value
        second += likely * np.outer(value, value)
        variance += likely * found
    np.testing.assert_allclose(first, true, atol=1e-12)
    np.testing.assert_allclose(variance, second - np.outer(first, first), atol=1e-12)


def test_inclusion_by_column_number_and_share(world, truth, judge, some):
    rows = [
        {"query": q, "document": d, "grade": g, "inclusion": 5 / 12}
        for q, docs in some.items()
        for d, g in docs.items()
    ]
    by_column = tare.estimate(pl.DataFrame(rows), judge, world.runs, "P@5")
    by_number = tare.estimate(some, judge, world.runs, "P@5", inclusion=5 / 12)
    by_share = tare.estimate(some, judge, world.runs, "P@5")
    assert by_column.design == by_number.design == by_share.design == "documents"
    for a, b, c in zip(by_column.rows(), by_number.rows(), by_share.rows(), strict=True):
        assert a["estimate"] == pytest.approx(b["estimate"], abs=1e-12)
        assert a["estimate"] == pytest.approx(c["estimate"], abs=1e-12)
    named = pl.DataFrame(rows).rename({"inclusion": "drawn with"})
    again = tare.estimate(named, judge, world.runs, "P@5", inclusion="drawn with")
    assert again.rows() == by_column.rows()


@pytest.mark.parametrize("options", [{}, {"method": "z"}, {"method": "bootstrap", "draws": 100}])
def test_a_saved_file_is_the_same(world, people, some, judge, tmp_path, options):
    for labels in (people, some):
        made = tare.estimate(labels, judge, world.runs, ["P@5"], baseline="dense", **options)
        made.save(tmp_path / "e.parquet")
        again = tare.Estimates.load(tmp_path / "e.parquet")
        assert again.rows() == made.rows()
        assert repr(again) == repr(made)
        assert again.facts() == made.facts()


def test_saved_net_and_these_queries(world, people, some, judge, tmp_path):
    net = tare.estimate(people, judge, world.runs, ["P@5", "Net(P@5)"], pool="judged")
    net.save(tmp_path / "net.parquet")
    assert tare.Estimates.load(tmp_path / "net.parquet").rows() == net.rows()
    here = tare.estimate(some, judge, world.runs, ["P@5"], target="these-queries")
    here.save(tmp_path / "here.parquet")
    assert tare.Estimates.load(tmp_path / "here.parquet").rows() == here.rows()
    with pytest.raises(FormatError, match="holds estimates"):
        tare.Scores.load(tmp_path / "net.parquet")
    with pytest.raises(FormatError, match="not a file of estimates"):
        tare.Estimates.load("scores.csv")


def test_comparison(world, people, judge, tmp_path):
    found = tare.estimate(people, judge, world.runs, ["P@5", "AP"])
    made = tare.compare(found)
    assert isinstance(made, EstimateComparison)
    assert made.correction == "holm"
    assert set(made["AP"].letters) == set(found.systems)
    z = tare.compare(found, test="z", baseline="dense", measures=["AP"])
    assert len(z) == len(found.systems) - 1
    t = tare.compare(found, baseline="dense", measures=["AP"])
    assert all(a["p"] < b["p"] for a, b in zip(z.rows(), t.rows(), strict=True))
    boot = tare.compare(found, test="bootstrap", correction="max-t", draws=500, measures=["AP"])
    assert all(row["p_adjusted"] >= row["p"] for row in boot.rows())
    assert (
        boot.rows()
        == tare.compare(
            found, test="bootstrap", correction="max-t", draws=500, measures=["AP"]
        ).rows()
    )
    assert "prediction-powered" in made.methods
    for test in ("permutation", "wilcoxon", "tukey"):
        with pytest.raises(OptionError, match="needs a human score of every query"):
            tare.compare(found, test=test)
    with pytest.raises(OptionError, match="option for scores"):
        tare.compare(found, digits=5)
    with pytest.raises(OptionError, match="max-t"):
        tare.compare(found, correction="max-t")


def test_detectable_differences_are_found_with_the_power(world):
    """A true difference of the detectable size is found in about 80 % of samples."""
    from tare._decide.judge_corrected import QuerySample, fit_queries

    rng = np.random.default_rng(0)
    z = rng.normal(size=(2000, 2, 260))
    f = z + 0.5 * rng.normal(size=z.shape)
    z[:, 0] += 0.5
    f[:, 0] += 0.5
    fit = fit_queries(QuerySample(z[..., :60], f[..., :60], f[..., 60:]), "t")
    spread = fit.differences(np.array([0]), np.array([1]))
    from scipy.special import stdtrit

    reach = (stdtrit(spread.freedom, 0.975) + stdtrit(spread.freedom, 0.8)) * spread.error
    shift = reach.mean() - 0.5  # moves the true difference to the detectable one
    found = np.abs(spread.value + shift) > stdtrit(spread.freedom, 0.975) * spread.error
    assert 0.77 <= found.mean() <= 0.84


def test_score_tables(world, people, judge):
    mine = tare.evaluate(people, world.runs, ["P@5"])
    theirs = tare.evaluate(judge, world.runs, ["P@5"])
    assert (
        tare.estimate(mine, theirs).rows() == tare.estimate(people, judge, world.runs, "P@5").rows()
    )
    with pytest.raises(OptionError, match="needs labels and runs"):
        tare.estimate(mine, theirs, design="documents")


def test_findings(world, people, judge, truth):
    few = {q: people[q] for q in list(people)[:5]}
    kinds = {f.kind for f in tare.estimate(few, judge, world.runs, "P@5").findings}
    assert "few human labels" in kinds
    contrary = {q: {d: 2 - g for d, g in docs.items()} for q, docs in truth.items()}
    found = tare.estimate(people, contrary, world.runs, "P@5")
    assert found.rows()[0]["weight"] == 0
    assert "worthless judge" in {f.kind for f in found.findings}
    whole = tare.estimate(truth, judge, world.runs, "P@5")
    assert "no other queries" in {f.kind for f in whole.findings}
    failed = {
        q: {d: -1 if d == "d003" else g for d, g in docs.items()} for q, docs in judge.items()
    }
    found = tare.estimate(people, failed, world.runs, "P@5", design="queries")
    message = next(str(f) for f in found.findings if f.kind == "failed labels")
    assert "90 labels could not be read" in message
    assert "no label of the judge" in {f.kind for f in found.findings}
    assert "never confirm it" in found.facts()["assumption"]


def test_labels_as_models_write_them(world, people, judge, truth, tmp_path):
    """A wide table, and JSON lines with the keys of umbrela."""
    rows = [
        {"topic": q, "doc": d, "human": truth[q][d] if q in people else None, "gpt": g}
        for q, docs in judge.items()
        for d, g in docs.items()
    ]
    wide = tmp_path / "wide.csv"
    pl.DataFrame(rows).write_csv(wide)
    lines = [{"qid": r["topic"], "docid": r["doc"], "judgment": int(r["gpt"])} for r in rows]
    pl.DataFrame(lines).write_ndjson(tmp_path / "umbrela.jsonl")
    expected = tare.estimate(people, judge, world.runs, "P@5").rows()
    for source in (f"{wide}:gpt", tmp_path / "umbrela.jsonl"):
        found = tare.estimate(f"{wide}:human", source, world.runs, "P@5", design="queries")
        assert found.rows() == expected
    with pytest.raises(OptionError, match="Name it after the file"):
        tare.estimate(people, wide, world.runs, "P@5")
    with pytest.raises(OptionError, match="no labels of 'gtp'"):
        tare.estimate(people, f"{wide}:gtp", world.runs, "P@5")


def test_bad_input(world, people, some, judge, truth):
    renamed = {f"t{q}": docs for q, docs in judge.items()}
    with pytest.raises(MismatchError, match="no query in common"):
        tare.estimate(people, renamed, world.runs, "P@5")
    other = {q: {f"x{d}": g for d, g in docs.items()} for q, docs in judge.items()}
    with pytest.raises(MismatchError, match="no pair of query and document in common"):
        tare.estimate(people, other, world.runs, "P@5")
    for bad in (0.0, 1.5, -0.1):
        with pytest.raises(MismatchError, match=r"outside \(0, 1\]"):
            tare.estimate(some, judge, world.runs, "P@5", inclusion=bad)
    with pytest.raises(MeasureError, match="ideal"):
        tare.estimate(some, judge, world.runs, "nDCG@5")
    with pytest.raises(MeasureError, match="not linear"):
        tare.estimate(some, judge, world.runs, "RR")
    with pytest.raises(MeasureError, match="not a mean over queries"):
        tare.estimate(people, judge, world.runs, "NumRelRet")
    half = {q: dict(list(docs.items())[:6]) for q, docs in judge.items()}
    with pytest.raises(MismatchError, match="no label of the judge"):
        tare.estimate(
            {q: dict(list(d.items())[:3]) for q, d in half.items()}, half, world.runs, "P@5"
        )
    mixed = {q: dict(list(docs.items())[:3]) for q, docs in people.items()}
    with pytest.raises(OptionError, match="do not show the design"):
        tare.estimate(mixed, judge, world.runs, "P@5")
    with pytest.raises(MismatchError, match="no human label"):
        tare.estimate(mixed, judge, world.runs, "P@5", design="documents")
    with pytest.raises(OptionError, match="these-queries"):
        tare.estimate(people, judge, world.runs, "P@5", target="these-queries")
    two = {q: truth[q] for q in list(truth)[:2]}
    with pytest.raises(MismatchError, match="at least 3"):
        tare.estimate(two, judge, world.runs, "P@5")


def test_queries_for_width(world, people, judge):
    pilot = tare.estimate(people, judge, world.runs, ["P@5", "AP"])
    wide = tare.queries_for_width(pilot, 0.3, measure="P@5")
    narrow = tare.queries_for_width(pilot, 0.15, measure="P@5")
    assert wide.with_judge <= wide.without_judge
    assert wide.with_judge < narrow.with_judge
    now = next(r for r in pilot.all_rows()["differences"] if r["measure"] == "P@5")
    same = tare.queries_for_width(
        pilot, now["high"] - now["low"], system=now["system"], against=now["against"], measure="P@5"
    )
    assert same.with_judge == pytest.approx(len(people), abs=3)
    with pytest.raises(OptionError, match="choose one of"):
        tare.queries_for_width(pilot, 0.1)


@pytest.fixture(scope="module")
def sessions(truth):
    """Sessions of three queries; people label every third session."""
    return {q: f"s{k // 3:02}" for k, q in enumerate(truth)}


def of_sessions(truth, sessions, step=3):
    return {q: docs for q, docs in truth.items() if int(sessions[q][1:]) % step == 0}


def test_clusters_from_labels_files_and_score_tables(world, truth, judge, sessions, tmp_path):
    people = of_sessions(truth, sessions)
    found = tare.estimate(people, judge, world.runs, "P@5", cluster=sessions)
    assert found.clusters == (10, 20)
    assert found.facts()["clusters"] == [10, 20]
    table = pl.DataFrame({"query": list(sessions), "cluster": list(sessions.values())})
    table.write_csv(tmp_path / "sessions.csv")
    again = tare.estimate(people, judge, world.runs, "P@5", cluster=tmp_path / "sessions.csv")
    assert again.rows() == found.rows()
    mine, theirs = (tare.evaluate(x, world.runs, "P@5") for x in (people, judge))
    named = theirs.with_attribute("session", sessions)
    tables = tare.estimate(mine, named, cluster="session")
    assert tables.rows() == found.rows()
    alone = tare.estimate(people, judge, world.runs, "P@5")
    assert [row["estimate"] for row in alone.rows()] == [row["estimate"] for row in found.rows()]
    assert found.estimators[0].fit.freedom == 9
    assert "10 clusters (30 queries) with human labels were drawn at random from all 30" in str(
        found
    )
    assert "10 labelled and 20 other clusters" in tare.compare(found).methods
    found.save(tmp_path / "e.parquet")
    kept = tare.Estimates.load(tmp_path / "e.parquet")
    assert kept.rows() == found.rows()
    assert str(kept) == str(found)
    with pytest.raises(OptionError, match="has clusters"):
        tare.queries_for_width(found, 0.1)


def test_clusters_that_are_refused(world, people, some, truth, judge, sessions):
    with pytest.raises(
        MismatchError, match="30 clusters hold queries with human labels and queries"
    ):
        tare.estimate(people, judge, world.runs, "P@5", cluster=sessions)
    with pytest.raises(MismatchError, match="one cluster only"):
        tare.estimate(
            people, judge, world.runs, "P@5", cluster={q: str(q in people) for q in truth}
        )
    with pytest.raises(OptionError, match="queries design"):
        tare.estimate(some, judge, world.runs, "P@5", cluster=sessions)
    for method in ("z", "bootstrap"):
        with pytest.raises(OptionError, match="needs method t"):
            tare.estimate(people, judge, world.runs, "P@5", cluster=sessions, method=method)
    whole = of_sessions(truth, sessions)
    found = tare.estimate(whole, judge, world.runs, "P@5", cluster=sessions)
    with pytest.raises(OptionError, match="not clusters"):
        tare.compare(found, test="bootstrap")
    few = tare.estimate(of_sessions(truth, sessions, 7), judge, world.runs, "P@5", cluster=sessions)
    assert few.clusters == (5, 25)
    assert few.differences is None
    assert any("tested from 6 labelled clusters on" in str(finding) for finding in few.findings)
    with pytest.raises(MismatchError, match="from 6 labelled clusters on"):
        tare.compare(few)


def test_few_successes_use_people_and_say_so(world, people, judge):
    """Every query has a relevant document among the first ten: there are no failures."""
    found = tare.estimate(people, judge, world.runs, ["Success@10", "P@5"])
    for row in found["Success@10"].rows():
        assert row["estimate"] == row["people"]
        assert (row["low"], row["high"]) == (row["people_low"], row["people_high"])
        assert 0 <= row["low"] < row["high"] <= 1
        assert row["weight"] == 0
        assert row["n_eff"] == row["n"]
    assert "Success@10: too few labelled failures to use the judge" in str(found)
    assert found["P@5"].rows()[0]["weight"] > 0
    assert "For Success@10 people's labels were too few" in tare.compare(found).methods
    for row in tare.compare(found, measures=["Success@10"]).rows():
        assert row["difference"] == row["people"]


def ratings(values, systems=("a", "b")):
    rows = [
        {"system": s, "item": f"i{k:02}", "rating": float(v)}
        for s, own in zip(systems, values, strict=True)
        for k, v in enumerate(own)
    ]
    return tare.Scores.load(pl.DataFrame(rows))


def test_the_range_of_a_rating():
    rng = np.random.default_rng(2)
    true = rng.integers(4, 6, (2, 60))
    guess = np.clip(true - rng.integers(0, 2, true.shape), 1, 5)
    people, model = ratings(true[:, :20]), ratings(guess)
    plain = tare.estimate(people, model).rows()
    ranged = tare.estimate(people, model, range=(1, 5)).rows()
    for a, b in zip(plain, ranged, strict=True):
        assert a["estimate"] == b["estimate"]
        assert (a["low"], a["high"]) != (b["low"], b["high"])
        assert b["high"] <= 5
    with pytest.raises(MismatchError, match=r"reach from 3 to 5, outside 0 to 4 \(range\)"):
        tare.estimate(people, model, range=(0, 4))
    with pytest.raises(OptionError, match="is not possible"):
        tare.estimate(people, model, range=(5, 1))


def test_a_range_that_no_measure_needs(world, people, judge):
    with pytest.raises(OptionError, match=r"P@5, AP have their own\. Leave it out"):
        tare.estimate(people, judge, world.runs, ["P@5", "AP"], range=(0, 1))
    found = tare.estimate(people, judge, world.runs, ["DCG@5", "P@5"], range=(0, 100))
    assert [e.bounds for e in found.estimators] == [(0.0, 100.0), (0.0, 1.0)]


def test_percentages_are_not_values_of_a_measure(world, people, judge):
    mine, theirs = (tare.evaluate(x, world.runs, "P@5").to_frame() for x in (people, judge))
    tables = [tare.Scores.load(x.with_columns(pl.col("value") * 100)) for x in (mine, theirs)]
    with pytest.raises(MismatchError, match="Divide percentages by 100"):
        tare.estimate(*tables)


def test_a_sample_of_easy_queries_is_seen(world, truth, judge):
    scores = tare.evaluate(judge, world.runs, "P@5").matrix().mean(axis=0)
    easy = [list(truth)[k] for k in np.argsort(-scores)[:30]]
    found = tare.estimate({q: truth[q] for q in easy}, judge, world.runs, ["P@5", "AP"])
    finding = next(f for f in found.findings if f.kind == "unbalanced sample")
    assert finding.severity == "warning"
    assert "Random draws are seldom as far apart by P@5" in str(finding)
    random = tare.estimate({q: truth[q] for q in list(truth)[::3]}, judge, world.runs, ["P@5"])
    note = next(f for f in random.findings if f.kind == "balance of the sample")
    assert note.severity == "note"
    assert "does not show that the sample was drawn at random" in str(note)


def test_pairs_whose_differences_are_all_alike_have_no_p():
    """Without any spread there is no t: no p of 0, and no interval of no width."""
    true = np.tile(np.linspace(0.2, 0.6, 20), (3, 1))
    true[1] += 0.25
    people = ratings(true, "abc")
    found = tare.compare(tare.estimate(people, ratings(true, "abc")))
    rows = {(row["system"], row["against"]): row for row in found.rows()}
    assert np.isnan([rows["a", "b"][name] for name in ("p", "p_adjusted", "low", "high")]).all()
    assert not rows["a", "b"]["significant"]
    assert rows["a", "c"]["p"] == 1
    assert rows["a", "c"]["difference"] == 0


def test_a_sample_of_relevant_documents_is_seen(world, truth, judge, some):
    """People labelled what the judge calls relevant; the share of the labelled ones looks like a design."""
    first = {
        q: {d: truth[q][d] for d in sorted(docs, key=docs.get)[-5:]} for q, docs in judge.items()
    }
    found = tare.estimate(first, judge, world.runs, "DCG@5")
    finding = next(f for f in found.findings if f.kind == "unbalanced sample")
    assert "(p < 0.0001" in str(finding) or "(p = 0.0001" in str(finding)
    found = tare.estimate(some, judge, world.runs, "DCG@5")
    note = next(f for f in found.findings if f.kind == "balance of the sample")
    assert note.severity == "note"
    means = [
        np.mean(
            [np.mean([g for d, g in judge[q].items() if (d in some[q]) is there]) for q in judge]
        )
        for there in (True, False)
    ]
    assert f"is {means[0]:.3f} for the documents that people labelled" in str(note)
    assert f"and {means[1]:.3f} for the others" in str(note)
    rows = [
        {"query": q, "document": d, "grade": g, "inclusion": 0.3 + 0.2 * (judge[q][d] > 0)}
        for q, docs in some.items()
        for d, g in docs.items()
    ]
    found = tare.estimate(pl.DataFrame(rows), judge, world.runs, "DCG@5")  # unequal: not tested
    assert not [f for f in found.findings if "sample" in f.kind]


PEOPLE = [0.9, 0.4, 0.7, 0.2, 0.8, 0.5, 0.6, 0.1]
JUDGE = [0.8, 0.6, 0.7, 0.3, 0.9, 0.7, 0.5, 0.2, 0.5, 0.9, 0.3, 0.7, 0.6, 0.8, 0.4, 0.2, 0.7, 0.6]
YES = [1] * 5 + [0] * 7
JUDGE_YES = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("people", "judge", "options", "expected"),
    [
        (PEOPLE, JUDGE, {}, (0.5130017950, 0.3523287440, 0.6710320099)),
        (
            PEOPLE,
            JUDGE,
            {"cluster": "aabbbcdeuuvvwxyyzz"},
            (0.513001795, 0.3275533497, 0.6949384351),
        ),
        (YES, JUDGE_YES, {}, (0.3939788510, 0.1730831324, 0.6687854259)),
        ([0, *YES[1:]], JUDGE_YES, {"weight": 0.5}, (0.3333333333, 0.1186969926, 0.6498848690)),
    ],
)
def test_printed_values(people, judge, options, expected):
    """Values that two short programs gave, each written from the definitions alone."""
    if "cluster" in options:
        options = {"cluster": {f"i{k:02}": c for k, c in enumerate(options["cluster"])}}
    found = tare.estimate(ratings([people], "a"), ratings([judge], "a"), range=(0, 1), **options)
    [row] = found.rows()
    assert (row["estimate"], row["low"], row["high"]) == pytest.approx(expected, abs=1e-9)


def test_headlines_say_what_an_interval_is_for(world, people, judge):
    """The first sentences of a report: the best estimate with ties, and how many systems differ from it."""
    found = tare.estimate(people, judge, world.runs, ["P@5", "Success@10"])
    best, standing, tied, _, assumption, *rest = found.headlines()
    row = found["P@5"].rows()[0]
    assert best.startswith(
        f"P@5: {row['system']} has the best estimate, {row['estimate']:.3f} (95 % interval of its mean over "
        f"queries like these: {row['low']:.3f} to {row['high']:.3f}). People's labels alone give"
    )
    assert "interval of judge minus estimate" in best
    family = tare.compare(found)["P@5"]
    count = sum(row["system"] in pair for pair in family.different)
    assert standing == (
        f"P@5: {row['system']} differs significantly after the correction (holm) from {count} of "
        f"{len(found.systems) - 1} compared systems."
    )
    assert "with the same) has the best estimate, 1.000" in tied
    assert "People's labels alone" not in tied  # they are the estimate
    assert "never confirm it" in assumption
    assert any("too few labelled failures" in text for text in rest)
    with_one = tare.compare(found, baseline="random", measures=["P@5"]).headlines()
    assert any("from 1 of 1 compared systems" in text for text in with_one)
