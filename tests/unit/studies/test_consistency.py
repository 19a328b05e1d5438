"""Swap rates and correlations: published numbers, plain computations, Sakai's bins."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tare import Scores, evaluate, read_qrels, read_run
from tare._cli.main import main
from tare._cli.study import STUDIES
from tare._data.simulation import simulate
from tare.chance import broad_and_focused, halves, kinds
from tare.errors import MismatchError, OptionError
from tare.studies import consistency, run_consistency
from tare.studies._consistency import Swaps
from tests.unit.studies.tables import ranked, table

EIGHT = [8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("order", "swaps", "tau"),
    [
        (EIGHT, 0, 1.0),
        ([7, 8, 6, 5, 4, 3, 2, 1], 1, 0.9286),
        ([8, 7, 6, 5, 1, 4, 3, 2], 3, 0.7857),
    ],
)
def test_golden_swaps_of_28_pairs(order, swaps, tau):
    found = consistency(ranked(EIGHT), ranked(order)).get("AP")
    assert (found.pairs, found.swaps) == (28, swaps)
    assert found.rate == pytest.approx(swaps / 28)
    assert round(found.coefficient[0], 4) == tau
    assert round(found.rate, 4) == {0: 0.0, 1: 0.0357, 3: 0.1071}[swaps]


def test_any_two_sets_against_a_plain_count():
    random = np.random.default_rng(2)
    a, b = random.random((9, 20)), random.random((9, 25))
    found = consistency(table(a), table(b), names=("2011", "2012")).get("AP")
    x, y = a.mean(axis=1), b.mean(axis=1)
    swaps = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in itertools.combinations(range(9), 2))
    assert (found.swaps, found.items) == (swaps, [20, 25])
    assert found.coefficient[0] == pytest.approx(stats.kendalltau(x, y).statistic)
    assert found.coefficient[0] == pytest.approx(1 - 2 * found.rate)
    assert found.coefficient[1] <= found.coefficient[0] <= found.coefficient[2]


def test_ties_are_no_swaps_and_are_told():
    found = consistency(ranked([3, 2, 1]), ranked([2, 2, 1])).get("AP")
    assert (found.swaps, found.tied) == (0, 1)


def test_cutoffs_are_averaged_once_more_as_a_family():
    random = np.random.default_rng(3)
    scores = table(random.random((5, 12, 2)), ("nDCG@5", "nDCG@10"))
    sets = {"left": scores.items[:6], "right": scores.items[6:]}
    found = consistency(scores, sets=sets)
    assert [s.measure for s in found.found] == ["nDCG@5", "nDCG@10", "nDCG"]
    x, y = (scores.values[:, k].mean(axis=(1, 2)) for k in (slice(0, 6), slice(6, 12)))
    swaps = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in itertools.combinations(range(5), 2))
    assert found.get("nDCG").swaps == swaps


def test_resampled_swaps_against_a_plain_bootstrap():
    random = np.random.default_rng(4)
    values = random.random((4, 15)) + np.array([0, 0.02, 0.1, 0.3])[:, None]
    found = consistency(table(values), draws=4000, width=0.05).get("AP")
    counts, swapped = np.zeros(21), np.zeros(21)
    for _ in range(4000):
        x, y = (values[:, random.integers(0, 15, 15)].mean(axis=1) for _ in range(2))
        for i, j in itertools.combinations(range(4), 2):
            place = min(int(abs(x[i] - x[j]) / 0.05), 20)
            counts[place] += 1
            swapped[place] += (x[i] - x[j]) * (y[i] - y[j]) <= 0
    assert sum(found.counts) == counts.sum() == 6 * 4000
    assert np.array(found.counts) / 24000 == pytest.approx(counts / 24000, abs=0.02)
    assert found.resampled_rate == pytest.approx(swapped.sum() / 24000, abs=0.015)
    assert found.swaps is None  # a set has no swaps with itself
    assert found.coefficient is None


def test_the_difference_needed_is_where_the_rate_stays_low():
    swaps = Swaps(
        "a", "b", "AP", 3, (5, 5), 3, 0, 0, 0.01, (100, 100, 100, 100, 0), (40, 3, 10, 2, 0), None
    )
    assert swaps.needed(0.05) == pytest.approx(0.03)
    assert swaps.reached(0.05) == pytest.approx(0.25)
    assert swaps.needed(0.5) == 0
    assert swaps.needed(0.001) is None
    assert swaps.reached(0.001) == 0


def test_same_numbers_for_any_number_of_threads():
    random = np.random.default_rng(0)
    a, b = table(random.random((7, 20))), table(random.random((7, 20)))
    assert consistency(a, b, threads=1).to_dict() == consistency(a, b, threads=3).to_dict()


def test_what_does_not_fit_is_refused():
    with pytest.raises(MismatchError, match="in common"):
        consistency(ranked([1, 2]), table(np.ones((2, 3)), systems=["x", "y"]))
    with pytest.raises(OptionError, match="level"):
        consistency(ranked([1, 2]), ranked([2, 1]), level=2)
    with pytest.raises(OptionError, match="split a single table"):
        consistency(ranked([1, 2]), ranked([2, 1]), by="kind")
    with pytest.raises(MismatchError, match="sets of items"):
        consistency(ranked([1, 2]), sets={"one": ["q000", "q001"]})


def test_the_command(tmp_path, capsys):
    ranked(EIGHT).save(tmp_path / "a.parquet")
    ranked([7, 8, 6, 5, 4, 3, 2, 1]).save(tmp_path / "b.parquet")
    files = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    assert main(["study", "consistency", *files, "--format", "csv"]) == 0
    assert "0.9285714285714286" in capsys.readouterr().out
    assert main(["study", "consistency", files[0], "--journal", str(tmp_path / "j")]) == 0
    assert "resample" in capsys.readouterr().out


@pytest.fixture(scope="module")
def collection():
    return simulate(queries=40, documents=30, depth=30)


def test_runs_are_compared_by_kind_and_by_half(collection):
    found = run_consistency(
        collection.qrels, collection.runs, ["nDCG@5", "nDCG@10"], pool="judged", kind_size=0.25
    )
    couples = list(dict.fromkeys((s.first, s.second) for s in found.found))
    assert couples[0] == ("uninformative", "ideal")
    assert couples[-1] == ("left", "right")
    assert [s.measure for s in found.found[:3]] == ["nDCG@5", "nDCG@10", "nDCG"]
    plain = kinds(
        collection.qrels, collection.runs, ["nDCG@5", "nDCG@10"], size=0.25, pool="judged"
    )
    scores = evaluate(collection.qrels, collection.runs, ["nDCG@5", "nDCG@10"])
    sets = {"uninformative": plain.uninformative, "ideal": plain.ideal}
    wanted = consistency(scores, sets=sets)
    own = tuple(s for s in found.found if s.first == "uninformative")
    assert [replace(s, items=tuple(s.items)) for s in own] == [
        replace(s, items=tuple(s.items)) for s in wanted.found
    ]


def test_kinds_are_kept_as_attributes(collection, tmp_path):
    found = run_consistency(
        collection.qrels, collection.runs, "nDCG@10", by_half=False, pool="judged", kind_size=0.25
    )
    found.scores.save(tmp_path / "scores.parquet")
    scores = Scores.load(tmp_path / "scores.parquet")
    plain = kinds(collection.qrels, collection.runs, "nDCG@10", size=0.25, pool="judged")
    assert scores.filter("kind", "ideal").items == plain.ideal
    assert scores.filter("kind", "uninformative").items == plain.uninformative
    assert set(scores.filter("difficulty", "hard").items) == set(plain.hard)
    assert set(scores.filter("informative", "yes").items) == set(plain.informative)
    broad = broad_and_focused(collection.qrels)
    if broad["broad"]:
        assert set(scores.filter("breadth", "broad").items) <= set(collection.qrels.items)
    again = consistency(tmp_path / "scores.parquet", by="kind")
    first = next(s for s in found.found if s.first == "uninformative")
    assert {s.swaps for s in again.found} == {first.swaps}


def test_halves_hold_every_document_once():
    """By hand: each half of each run is scored against its half of the judgements."""
    qrels = {q: {f"d{i}": int(i % 3 == 0) for i in range(12)} for q in ("1", "2", "3")}
    random = np.random.default_rng(1)
    runs = {}
    for s in "ab":
        runs[s] = read_run(
            {q: {f"d{i}": float(random.random()) for i in range(20)} for q in qrels}, system=s
        )
    found = run_consistency(qrels, list(runs.values()), "P@4", by_kind=False, seed=3)
    [swaps] = found.found
    sides = halves(read_qrels(qrels), seed=3)
    kept, means = None, []
    for side in sides:
        inside = {q: dict(documents) for q, documents in side.by_query()}
        relevant = {q for q, d in inside.items() if any(d.values())}
        kept = relevant if kept is None else kept & relevant
    assert swaps.items == [len(kept), len(kept)]
    # Judged documents alone decide P(4) of a run that holds nothing else.
    bare = {
        s: read_run(
            {q: {d: x for d, x in documents if d in qrels[q]} for q, documents in run.by_query()},
            system=s,
        )
        for s, run in runs.items()
    }
    found = run_consistency(qrels, list(bare.values()), "P@4", by_kind=False, seed=3)
    for side in sides:
        inside = {q: dict(documents) for q, documents in side.by_query()}
        own = []
        for run in bare.values():
            values = []
            for q, documents in run.by_query():
                order = [d for d, _ in sorted(documents, key=lambda x: -x[1]) if d in inside[q]]
                if q in kept:
                    values.append(sum(inside[q][d] for d in order[:4]) / 4)
            own.append(np.mean(values))
        means.append(np.sign(own[0] - own[1]))
    assert found.found[0].swaps == int(means[0] * means[1] < 0)


def test_the_command_with_runs(collection, tmp_path, capsys):
    collection.qrels.write(tmp_path / "qrels.txt")
    for run in collection.runs:
        run.write(tmp_path / f"{run.system}.run")
    given = [
        "study",
        "consistency",
        str(tmp_path / "qrels.txt"),
        *sorted(map(str, tmp_path.glob("*.run"))),
    ]
    options = ["--kinds", "--halves", "--pool", "judged", "-m", "nDCG@10", "--format", "csv"]
    assert main([*given, *options, "--save", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "uninformative,ideal" in out
    assert "left,right" in out
    assert "kind" in Scores.load(tmp_path / "out" / "scores.parquet").attributes
    assert (tmp_path / "out" / "measures.csv").is_file()
    for wrong, message in (
        ([*given, "--kinds"], "--pool judged"),
        ([*given, "-m", "nDCG@10"], "--kinds or --halves"),
        ([*given[:3], "--halves"], "need judgements and runs"),
        ([*given, "--halves", "--by", "kind"], "apply to score tables"),
        ([*given[:3], "--pool", "judged"], "a pool applies to --kinds"),
        ([*given, "--halves", "--candidates", "x.txt"], "cannot be split"),
    ):
        assert main(wrong) == 2
        assert message in capsys.readouterr().err


def test_figures_of_a_study(tmp_path, capsys):
    pytest.importorskip("vl_convert", reason="no charts here (the extra report)")
    ranked(EIGHT).save(tmp_path / "a.parquet")
    files = [str(tmp_path / "a.parquet"), "--draws", "100", "--figures", str(tmp_path / "figures")]
    assert main(["study", "consistency", *files]) == 0
    kinds_of_files = {p.suffix for p in (tmp_path / "figures").iterdir()}
    assert kinds_of_files == {".svg", ".png", ".pdf"}
    assert "chart files written to" in capsys.readouterr().err


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_takes_figures(study, capsys):
    assert main(["study", study, "--help"]) == 0
    assert "--figures" in capsys.readouterr().out


def test_one_item_is_not_resampled():
    """All resamples of one item are alike: they show nothing about other items."""
    one = table(np.array([[0.1], [0.2], [0.4]]))
    other = table(np.array([[0.3], [0.1], [0.5]]), items=["another"])
    for found in (consistency(one, draws=100), consistency(one, other, draws=100)):
        (row,) = found.measure_rows()
        assert (row["pairs"], row["resampled_rate"], row["needed"], row["reached"]) == (
            (3, None, None, None)
        )
        assert (row["low"], row["high"]) == (None, None)
    assert row["swaps"] == 1
    assert row["coefficient"] == pytest.approx(1 / 3)


def test_a_set_against_itself_has_no_interval():
    """τ of a table with itself is 1 in each resample."""
    scores = table(np.random.default_rng(0).random((5, 8)))
    (row,) = consistency(scores, scores, draws=100).measure_rows()
    assert (row["coefficient"], row["low"], row["high"]) == (1, None, None)
