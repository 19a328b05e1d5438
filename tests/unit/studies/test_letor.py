"""The study of rankers: on made data, with folds, across data, kept and taken up again."""

import json

import numpy as np
import pytest

from tare import Letor, evaluate, rankers, studies
from tare.errors import FormatError, MismatchError, OptionError, UnreadableError
from tare.studies._letor import study as analysis
from tare.studies._letor.data import folds_of, half, joined, studied_measures
from tare.studies._published import fk23
from tests.unit.rankers.planted import planted

QUICK = {"rankboost": {"rounds": 20}, "listnet": {"epochs": 20}, "feature": {"feature": 3}}
TRAIN, TEST = planted(noise=0.6), planted(seed=2, noise=0.6, name="test")
OPTIONS = {"rankers": QUICK, "cutoffs": (3, 5), "draws": 200, "seed": 1}


def without_relevant(letor):
    """The same with a query more, in which nothing is relevant."""
    features = np.vstack([letor.features, letor.features[:4]])
    grades = np.concatenate([letor.grades, np.zeros(4)])
    offsets = np.append(letor.offsets, len(grades))
    return Letor(letor.name, features, grades, (*letor.queries, "none"), offsets)


@pytest.fixture(scope="module")
def study():
    return studies.letor(TRAIN, without_relevant(TEST), **OPTIONS)


def test_means_are_those_of_the_evaluation(study):
    model = rankers.RankBoost(rounds=20).fit(TRAIN, seed=1)
    wanted = evaluate(
        TEST.qrels(), model.run(TEST), ["nDCG(gain=exp2)@3", "SP@5", "V2(SP@5,pool=judged)"]
    )
    rows = {(r["measure"], r["cutoff"], r["system"]): r for r in study.mean_rows()}
    ndcg = rows["nDCG", 3, "RankBoost"]
    assert ndcg["mean"] == pytest.approx(wanted["nDCG(gain=exp2)@3"].mean, rel=1e-12)
    assert ndcg["counted"] == pytest.approx(ndcg["mean"] * 40 / 41, rel=1e-12)
    assert (ndcg["queries"], ndcg["all_queries"]) == (40, 41)
    sp = rows["SP/min(k,R)", 5, "RankBoost"]["mean"]
    assert sp == pytest.approx(wanted["SP@5"].mean / 5, rel=1e-12)  # six are relevant
    v2 = wanted["V2(SP@5,pool=judged)"].mean
    assert rows["V2(SP)", 5, "RankBoost"]["mean"] == pytest.approx(v2)
    assert rows["SP", 5, "RankBoost"]["mean"] == pytest.approx(wanted["SP@5"].mean)


def test_every_part_of_the_study_is_there(study):
    assert set(study.sets) == {"nDCG", "MAP"}
    for sets in study.sets.values():
        assert set(sets) >= {"all", "uninformative", "ideal"}
        assert len(sets["uninformative"]) == len(sets["ideal"]) == 20
    assert {r["set"] for r in study.power_rows()} == {"all", "uninformative", "ideal"}
    assert {r["pairs"] for r in study.power_rows()} == {3 * 2}
    pairs = {(r["first"], r["second"]) for r in study.agreement_rows()}
    assert pairs == {(f.original, f.label) for f in studied_measures() if f.original}
    assert {"uninformative vs ideal", "left vs right"} <= set(study.swaps)
    assert {r["measure"] for r in study.swap_rows()} == {f.label for f in studied_measures()}
    assert len(study.query_rows()) == 2 * 40
    expected = [r for r in study.chances if r["measure"] == "SP/min(k,R)" and r["cutoff"] == 5]
    assert len(expected) == 80
    by = {(r["query"], r["baseline"]): r["expected"] for r in expected}
    # Half of twelve documents are relevant: E[SP@5]/5 exactly, and as published.
    exact = sum((1 / i) * 0.5 * (1 + (i - 1) * 5 / 11) for i in range(1, 6)) / 5
    assert by["q7", "exact"] == pytest.approx(exact, rel=1e-12)
    assert by["q7", "published"] == pytest.approx(0.25, rel=1e-12)
    assert set(study.tables()) == {"means", "data", "agreement", "power", "swaps", "claims"}
    assert "40 of 41 test queries" in str(study)
    assert len(study.headlines()) == 6
    assert study.headlines()[1].startswith("V2(DCG) and nDCG rank the rankers with τ = ")
    json.dumps(study.to_dict(), allow_nan=False)


def test_a_claim_is_decided_by_its_interval(study):
    rows = {(r["claim"], r["measure"]): r for r in study.claim_rows()}
    power = {(r["family"], r["set"]): r for r in study.power_rows()}
    for name in ("all", "uninformative", "ideal"):
        claim = rows[f"separates rankers further (PAD) than nDCG, on {name} queries", "V2(DCG)"]
        gap = power["V2(DCG)", name]["pad"] - power["nDCG", name]["pad"]
        assert claim["low"] <= gap <= claim["high"]
        assert (claim["verdict"] == "holds") == (claim["low"] > 0)
        assert (claim["verdict"] == "does not hold") == (claim["high"] <= 0)
    baselines = {r["measure"]: r["baseline"] for r in study.claim_rows()}
    assert baselines["V2(SP) as published"] == "published"
    assert baselines["V2(SP)"] == "exact"
    for row in study.claim_rows():
        assert row["verdict"] in ("holds", "does not hold", "not decided")
        if np.isnan(row["low"]):  # τ is the same in all resamples
            assert "τ" in row["claim"]
            assert row["verdict"] == "not decided"
        else:
            assert row["low"] <= row["high"]


def test_what_two_queries_more_or_less_would_change_is_not_decided(study):
    """Swap rates of three rankers, of a measure and of its own normalisation, are close."""
    swaps = [r for r in study.claim_rows() if r["claim"].startswith("swaps rankers")]
    assert "not decided" in {r["verdict"] for r in swaps}
    for row in swaps:
        mine, theirs = (float(x) for x in row["found"].split(" vs "))
        assert row["low"] - 1e-3 <= mine - theirs <= row["high"] + 1e-3
        if row["verdict"] == "holds":
            assert row["high"] <= 0


def test_resampled_statistics_are_those_of_plain_resamples(study):
    """The observed values are the study's own; t tests by scipy on the same resampled queries."""
    from scipy import stats

    from tare._kernels.statistics import resampled_indices
    from tare.studies._letor.result import Resamples

    own = [f for f in study.families if f.case == "nDCG"][:2]
    part = study.scores.select(items=study.sets["nDCG"]["ideal"])
    drawn = Resamples(30, 4)
    drawn.add_set("ideal", part, own, study.cutoffs)
    means = [part.matrix("nDCG(gain=exp2)@3"), part.matrix("nDCG(gain=exp2)@5")]
    places = [np.arange(20), *resampled_indices(20, 30, seed=4)]
    pairs = [(0, 1), (0, 2), (1, 2)]
    for draw, place in zip(
        [drawn.significant["nDCG", "ideal"].observed, *drawn.significant["nDCG", "ideal"].drawn],
        places,
        strict=True,
    ):
        found = sum(
            stats.ttest_rel(m[a, place], m[b, place]).pvalue < 0.05 for m in means for a, b in pairs
        )
        assert draw == found
    power = {(r["family"], r["set"]): r for r in study.power_rows()}
    assert study.resamples.distances["V2(SP)", "all"].observed == pytest.approx(
        power["V2(SP)", "all"]["pad"]
    )
    rates = {(r["measure"], r["between"]): r["swap_rate"] for r in study.swap_rows()}
    for key, found in study.resamples.swaps.items():
        assert found.observed == pytest.approx(rates[key])


def test_each_case_study_sorts_queries_by_its_own_measure(study):
    from tare.chance import kinds

    qrels = without_relevant(TEST).qrels()
    runs = [study_run(study, qrels, system) for system in study.scores.systems]
    for case, measure in (("nDCG", "nDCG(gain=exp2)@{}"), ("MAP", "AP@{}")):
        names = [measure.format(k) for k in (3, 5)]
        plain = kinds(qrels, runs, names, size=0.5, pool="judged")
        assert study.sets[case]["uninformative"] == plain.uninformative
        assert study.sets[case]["ideal"] == plain.ideal
        assert [str(m) for m in study.kinds[case].measures] == names
    assert study.sets["nDCG"]["ideal"] != study.sets["MAP"]["ideal"]
    rows = {(r["family"], r["set"]): r for r in study.power_rows()}
    items = study.sets["MAP"]["ideal"]
    found = study.scores.select(items=items).matrix("U(SP@5,pool=judged)").mean(axis=1)
    tested = study.discrimination["MAP"].tested_on("U(SP@5,pool=judged)", "ideal")
    assert tested.means() == pytest.approx(found)
    assert rows["V2(SP)", "ideal"]["items"] == 20


def study_run(study, qrels, system):
    """The run of a ranker, made again."""
    from tare.rankers import ranker

    names = {"RankBoost": "rankboost", "ListNet": "listnet", "SingleFeature": "feature"}
    made = ranker(names[system], **QUICK[names[system]])
    return made.fit(TRAIN, seed=1).run(without_relevant(TEST))


def test_the_data_are_counted(study):
    [train, test] = study.counts
    assert (train["part"], train["queries"], train["documents"]) == ("train", 40, 480)
    assert (test["queries"], test["documents"], test["without_relevant"]) == (41, 484, 1)
    assert sum(test[k] for k in test if k.startswith("grade_")) == 484
    assert "documents per query" in str(study.tables()["data"])


def test_the_feature_that_says_nothing_is_last(study):
    rows = [r for r in study.mean_rows() if r["measure"] == "V2(DCG)" and r["cutoff"] == 5]
    assert min(rows, key=lambda r: r["mean"])["system"] == "SingleFeature"
    assert abs(min(r["mean"] for r in rows)) < 0.2


def test_a_second_call_makes_only_what_is_missing(tmp_path, study, monkeypatch):
    folder = tmp_path / "kept"
    test = without_relevant(TEST)
    first = studies.letor(TRAIN, test, folder=folder, **OPTIONS)
    assert first.to_dict() == study.to_dict()
    names = {"models", "runs", "scores.parquet", "sets.json", "tables", "journals", "study.json"}
    assert {p.name for p in folder.iterdir()} == names
    assert len(list((folder / "models" / "whole").iterdir())) == 3
    (folder / "models" / "whole" / "listnet.json").unlink()
    fitted = []
    plain = rankers.Ranker.fit
    monkeypatch.setattr(
        rankers.Ranker,
        "fit",
        lambda self, *a, **k: fitted.append(self.name) or plain(self, *a, **k),
    )
    again = studies.letor(TRAIN, test, folder=folder, **OPTIONS)
    assert fitted == ["listnet"]
    assert again.to_dict() == first.to_dict()
    with pytest.raises(FormatError, match=r"belongs to another study \(seed differs\)"):
        studies.letor(TRAIN, test, folder=folder, **{**OPTIONS, "seed": 2})
    with pytest.raises(FormatError, match=r"belongs to another study \(data differs\)"):
        studies.letor(planted(seed=7), test, folder=folder, **OPTIONS)
    monkeypatch.setattr(analysis, "tare_version", lambda: "9.9.9")
    with pytest.raises(FormatError, match=r"was written by tare .*, and this is tare 9\.9\.9"):
        studies.letor(TRAIN, test, folder=folder, **OPTIONS)


def test_swap_rates_across_data(tmp_path, study):
    other = studies.letor(
        TRAIN, planted(seed=5, noise=0.6, name="other"), folder=tmp_path, **OPTIONS
    )
    for against in (other, tmp_path):
        label = "other" if against is other else tmp_path.name
        found = studies.letor(TRAIN, without_relevant(TEST), against=against, **OPTIONS)
        for kind in ("all", "uninformative", "ideal"):
            swaps = found.swaps[f"{kind} queries of {label}"].get("nDCG(gain=exp2)")
            assert swaps.pairs == 3
        assert found.swaps["left vs right"].found == study.swaps["left vs right"].found
    with pytest.raises(MismatchError, match="the same cutoffs and gain"):
        studies.letor(TRAIN, TEST, against=other, **{**OPTIONS, "cutoffs": (7,)})
    with pytest.raises(FormatError, match="not the folder of a finished study"):
        studies.letor(TRAIN, TEST, against=tmp_path / "nothing", **OPTIONS)


def test_folds_are_read_and_their_tests_joined(tmp_path):
    for fold, (one, two) in enumerate(((1, 2), (2, 1)), 1):
        place = tmp_path / f"Fold{fold}"
        place.mkdir()
        parts = {n: planted(queries=10, seed=n, noise=0.3) for n in (1, 2)}
        named = {
            n: Letor("x", p.features, p.grades, tuple(f"{n}-{q}" for q in p.queries), p.offsets)
            for n, p in parts.items()
        }
        named[one].write(place / "train.txt")
        named[two].write(place / "test.txt")
        named[one].write(place / "vali.txt")
    (tmp_path / "notes").mkdir()
    folds = folds_of(tmp_path)
    assert [f.name for f in folds] == ["Fold1", "Fold2"]
    assert all(f.valid is not None for f in folds)
    found = studies.letor(folds=tmp_path, folder=tmp_path / "results", **OPTIONS)
    assert len(found.scores.items) == 20
    assert found.name == tmp_path.name
    assert {p.parent.name for p in (tmp_path / "results" / "models").rglob("*.json")} == {
        "Fold1",
        "Fold2",
    }
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableError, match="no fold found"):
        folds_of(tmp_path / "empty")


def test_parts_are_joined():
    one, two = TRAIN.select(TRAIN.queries[:3]), TRAIN.select(TRAIN.queries[3:5])
    both, whole = joined([one, two]), TRAIN.select(TRAIN.queries[:5])
    assert both.features.tobytes() == whole.features.tobytes()
    assert both.grades.tolist() == whole.grades.tolist()
    assert both.offsets.tolist() == whole.offsets.tolist()
    assert both.queries == whole.queries
    narrow = Letor("narrow", one.features[:, :2], one.grades, one.queries, one.offsets)
    assert joined([narrow, two]).n_features == 5
    with pytest.raises(MismatchError, match="query 'q0' is in more than one"):
        joined([one, one])


def test_halves_hold_every_row_once():
    from tare.chance import halves

    left, right = (half(TEST, side) for side in halves(TEST.qrels(), seed=3))
    assert (left[1] ^ right[1]).all()
    assert np.diff(left[0].offsets).tolist() == [6] * 40
    assert left[0].features.tobytes() == TEST.features[left[1]].tobytes()
    assert left[0].documents == tuple(d for d, m in zip(TEST.documents, left[1], strict=True) if m)


def test_published_numbers_stand_beside_measured_ones():
    found = studies.letor(TRAIN, TEST, published="MQ2007", **{**OPTIONS, "cutoffs": (5, 30)})
    rows = found.published_rows()
    assert {r["table"] for r in rows} >= {4, 6, 7, 8, 9, 10, 16, 18, 19, 20, 21, 22}
    one = next(r for r in rows if (r["table"], r["system"], r["cutoff"]) == (4, "RankBoost", "5"))
    assert one["published"] == 0.383
    means = {(r["measure"], r["cutoff"], r["system"]): r["counted"] for r in found.mean_rows()}
    assert one["counted"] == means["nDCG", 5, "RankBoost"]
    assert "published" in found.tables()
    for row in found.difference_rows():
        own = [r for r in rows if (r["table"], r["measure"]) == (row["table"], row["measure"])]
        gaps = [abs(r["counted"] - r["published"]) for r in own]
        assert row["cells"] == len(own)
        assert row["mean_absolute_difference"] == pytest.approx(np.mean(gaps))
    assert {r["table"] for r in found.difference_rows()} == {4, 6, 16, 18}
    assert "differences" in found.tables()


def test_map_as_published_is_what_the_tables_fit():
    """SP@k/min(k,R) by k(R/n)² and min(k,R), k beyond the pool too (by hand, one query)."""
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}}
    measures = [
        f.at(5)
        for f in studied_measures()
        if f.label in ("SP/min(k,R)", "V1(SP) as published", "V2(SP) as published")
    ]
    found = evaluate(qrels, run, [*measures, "E(SP@5,pool=judged,expected=independent)"])
    score, chance = 1 + 2 / 3, 5 * (2 / 4) ** 2
    wanted = [
        score / 2,
        score / 2 * score / (score + chance),
        (score - chance) / (2 - chance),
        chance,
    ]
    assert found.values[0, 0].tolist() == pytest.approx(wanted)


@pytest.mark.slow
def test_the_published_cells_of_mq2007(real_data, tmp_path):
    """Rankers trained on the shared folds, beside Tables 4, 6, 16 and 18 of the article."""
    import gzip

    parts = {
        k: gzip.decompress((real_data / "letor/mq2007" / f"S{k}.txt.gz").read_bytes())
        for k in "123"
    }
    for fold, test in enumerate("312", 1):
        place = tmp_path / "data" / f"Fold{fold}"
        place.mkdir(parents=True)
        (place / "train.txt").write_bytes(b"".join(parts[k] for k in "123" if k != test))
        (place / "test.txt").write_bytes(parts[test])
    for mode in ("ranklib", "corrected"):
        found = studies.letor(
            folds=tmp_path / "data",
            mode=mode,
            published="MQ2007",
            draws=200,
            folder=tmp_path / mode,
        )
        print(mode, found.tables()["differences"])
        rows = {(r["table"], r["measure"]): r for r in found.difference_rows()}
        assert all(row["cells"] == 40 for row in rows.values())
        for key in ((16, "SP/k"), (18, "V1(SP)"), (18, "V2(SP)")):
            assert rows[key]["mean_absolute_difference"] <= 0.035, (mode, key)
        assert rows[4, "nDCG"]["mean_absolute_difference"] <= 0.02


def test_the_published_numbers_are_those_of_the_article():
    """A few, typed from the article's tables."""
    rows = {(p.table, p.dataset, p.system, p.set, p.cutoff, p.measure): p.value for p in fk23()}
    assert len(rows) == len(fk23()) == 642
    assert rows[3, "MSLR", "LambdaMART", "all", "30", "nDCG"] == 0.513
    assert rows[4, "MQ2007", "LogisticRegression", "all", "10", "nDCG"] == 0.415
    assert rows[9, "MSLR", "V2(DCG)", "uninformative", "5-30", "significant of 140"] == 78
    assert rows[10, "MQ2007", "nDCG", "all", "5-30", "PAD %"] == 1.74
    assert rows[18, "MQ2007", "AdaRank", "all", "15", "V2(SP)"] == 0.011


def test_wrong_calls_are_told(tmp_path):
    with pytest.raises(OptionError, match="give either training and test data or folds="):
        studies.letor(TRAIN)
    with pytest.raises(OptionError, match="not both"):
        studies.letor(TRAIN, TEST, folds=tmp_path)
    with pytest.raises(OptionError, match="at least two different rankers"):
        studies.letor(TRAIN, TEST, rankers=["rankboost"])
    with pytest.raises(OptionError, match="cutoffs"):
        studies.letor(TRAIN, TEST, cutoffs=[0])
    with pytest.raises(OptionError, match="published='TREC' is not known"):
        studies.letor(TRAIN, TEST, published="TREC")
