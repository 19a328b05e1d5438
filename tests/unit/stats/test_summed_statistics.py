"""Measures made of summed statistics: tables, intervals, comparisons, and what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import tare
from tare._decide.pairs import pairs_of
from tare._measures.aggregation import SummedStatistics
from tare.errors import FormatError, MismatchError, OptionError

pytest.importorskip("sacrebleu")

REFERENCES = [
    "the cat sat on the mat",
    "it rained all day in the north",
    "a dog ran home to eat",
    "we met at noon",
    "she wrote a long letter",
    "they sang an old song",
    "the train was late again",
]
SYSTEMS = {
    "a": [
        "the cat sat on a mat",
        "it rained all day in north",
        "a dog ran home",
        "we met at noon",
        "she wrote the letter",
        "they sang old songs",
        "the train was late",
    ],
    "b": [
        "cat on the mat",
        "it rained in the north",
        "the dog ran home to eat",
        "we met at one",
        "she wrote a long letter",
        "they sing",
        "train late again",
    ],
    "c": ["a cat", "rain", "dog eats", "noon", "a letter", "song", "the train"],
}
MEASURES = ["BLEU", "chrF", "TER", "ROUGE-1"]


@pytest.fixture(scope="module")
def scores() -> tare.Scores:
    return tare.evaluate_texts(SYSTEMS, REFERENCES, MEASURES)


def value(measure: str, rows: np.ndarray) -> float:
    summed = SummedStatistics(tare.parse(measure), rows[None])
    return float(summed.means()[0])


def test_selected_items_are_summed_again(scores: tare.Scores) -> None:
    some = scores.select(items=["2", "5"], systems=["b", "a"])
    again = tare.evaluate_texts(
        {s: [SYSTEMS[s][1], SYSTEMS[s][4]] for s in "ba"}, [REFERENCES[1], REFERENCES[4]], MEASURES
    )
    assert some.means() == again.means()
    assert some.counts().tolist() == [[2] * 4] * 2


def test_joined_tables_are_summed_as_one(scores: tare.Scores) -> None:
    parts = [scores.select(systems=["a"]), scores.select(systems=["b", "c"])]
    assert parts[0].join(parts[1]).means() == scores.means()
    halves = [scores.select(items=["1", "2", "3"]), scores.select(items=["4", "5", "6", "7"])]
    assert halves[1].join(halves[0]).means() == scores.means()


def test_a_saved_table_keeps_its_statistics(scores: tare.Scores, tmp_path: Any) -> None:
    path = scores.save(tmp_path / "scores.parquet")
    loaded = tare.Scores.load(path)
    assert loaded.means() == scores.means()
    assert loaded.attributes == {}
    for measure in ("BLEU", "chrF", "TER"):
        kept = loaded.statistics[tare.parse(measure)].cells
        assert np.array_equal(kept, scores.statistics[tare.parse(measure)].cells)
    one = tare.compare(scores, baseline="c", draws=200).rows()
    assert tare.compare(path, baseline="c", draws=200).rows() == one


def test_a_table_without_statistics_says_so(scores: tare.Scores) -> None:
    loaded = tare.Scores.load(scores.to_frame())
    assert [f.kind for f in loaded.findings] == ["no statistics"]
    assert loaded.means()["a"]["BLEU"] == pytest.approx(np.mean(scores.matrix("BLEU")[0]))


@pytest.mark.parametrize(
    "row", [[1.0], [-1.0] * 10, [float("nan")] * 10, [None] * 10, [1e300] * 10]
)
def test_damaged_statistics_are_refused(row: list[float | None]) -> None:
    frame = pl.DataFrame(
        {"system": ["a"], "item": ["1"], "measure": ["BLEU"], "value": [1.0], "statistics": [row]}
    )
    with pytest.raises(FormatError, match="BLEU needs 10 statistics"):
        tare.Scores.load(frame)
    with pytest.raises(FormatError, match="lists of numbers"):
        tare.Scores.load(frame.with_columns(statistics=pl.lit("x")))


def test_intervals_resample_the_statistics(scores: tare.Scores) -> None:
    ends = scores.intervals(draws=2000, seed=1)
    rng = np.random.default_rng(5)
    for m, measure in enumerate(MEASURES[:3]):
        cells = scores.statistics[tare.parse(measure)].cells[0]
        drawn = [value(measure, cells[rng.integers(0, 7, 7)]) for _ in range(2000)]
        assert ends[0, m] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), rel=0.06)


def test_contributions_have_the_mean_and_the_error_of_the_jackknife(scores: tare.Scores) -> None:
    for measure in MEASURES[:3]:
        cells = scores.statistics[tare.parse(measure)].cells[1]
        left_out = np.array([value(measure, np.delete(cells, k, axis=0)) for k in range(7)])
        found = scores.contributions(measure)[1]
        assert found.mean() == pytest.approx(scores.means()["b"][measure])
        error = np.sqrt(6 / 7 * ((left_out - left_out.mean()) ** 2).sum())
        assert found.std(ddof=1) / np.sqrt(7) == pytest.approx(error)


@pytest.mark.parametrize("measure", MEASURES[:3])
def test_few_items_are_swapped_in_all_ways(scores: tare.Scores, measure: str) -> None:
    pair = tare.compare(scores[measure], test="permutation", correction="none").pair("a", "b")
    cells = scores.statistics[tare.parse(measure)].cells
    observed = abs(value(measure, cells[0]) - value(measure, cells[1]))
    gaps = []
    for swaps in product([False, True], repeat=7):
        mask = np.array(swaps)[:, None]
        one, other = np.where(mask, cells[1], cells[0]), np.where(mask, cells[0], cells[1])
        gaps.append(abs(value(measure, one) - value(measure, other)))
    assert pair["p"] == np.mean(np.array(gaps) >= observed - 1e-9)
    assert pair["method"] == "all 128 swaps"
    assert pair["difference"] == value(measure, cells[0]) - value(measure, cells[1])


def test_equal_systems_do_not_differ() -> None:
    same = tare.evaluate_texts({"x": SYSTEMS["a"], "y": SYSTEMS["a"]}, REFERENCES, MEASURES[:3])
    for test in ("permutation", "bootstrap"):
        for row in tare.compare(same, test=test, draws=500).rows():
            assert (row["p"], row["difference"], row["ties"]) == (1, 0, 7)


def test_all_pairs_and_threads(scores: tare.Scores) -> None:
    compared = tare.compare(scores, draws=500, threads=1)
    assert (compared.test, compared.correction) == ("permutation", "holm")
    assert compared.rows() == tare.compare(scores, draws=500, threads=3).rows()
    assert compared["TER"].ranking[-1] == "c"  # lower is better
    assert "approximate randomisation of the summed statistics" in compared.methods
    for system, means in scores.means().items():
        assert all(compared[m].means[system] == means[m] for m in MEASURES[:3])


@pytest.mark.parametrize("interval", ["t", "percentile", "bca"])
def test_intervals_of_differences_contain_them(scores: tare.Scores, interval: str) -> None:
    for row in tare.compare(scores, interval=interval, draws=1000).rows():
        assert row["low"] < row["difference"] < row["high"]


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "tukey", "hybrid", "permutation-t"])
def test_tests_of_values_per_item_are_refused(scores: tare.Scores, test: str) -> None:
    with pytest.raises(OptionError, match=r"summed statistics.*'permutation'.*BLEU\(mean=items\)"):
        tare.compare(scores, test=test)
    by_item = tare.evaluate_texts(SYSTEMS, REFERENCES, "BLEU(mean=items)")
    assert len(tare.compare(by_item, test=test).rows()) == 3


def test_other_options_that_need_a_value_per_item_are_refused(scores: tare.Scores) -> None:
    for options in ({"correction": "max-t"}, {"interval": "studentised"}):
        with pytest.raises(OptionError, match="summed statistics"):
            tare.compare(scores, **options)


def test_missing_texts_count_as_empty_or_are_left_out() -> None:
    keyed = {
        "a": {str(k): t for k, t in enumerate(SYSTEMS["a"])},
        "b": {str(k): t for k, t in enumerate(SYSTEMS["b"]) if k},
    }
    references = {str(k): t for k, t in enumerate(REFERENCES)}
    zero = tare.evaluate_texts(keyed, references, "BLEU")
    empty = tare.evaluate_texts(["", *SYSTEMS["b"][1:]], REFERENCES, "BLEU").mean
    assert zero.means()["b"]["BLEU"] == empty
    skipped = tare.evaluate_texts(keyed, references, ["BLEU", "TER"], missing="skip")
    assert (
        skipped.means()["b"]["BLEU"]
        == tare.evaluate_texts(SYSTEMS["b"][1:], REFERENCES[1:], "BLEU").mean
    )
    assert skipped.counts().tolist() == [[7, 7], [6, 6]]
    pair = tare.compare(skipped["BLEU"]).pair("a", "b")
    shared = tare.evaluate_texts(
        {"a": SYSTEMS["a"][1:], "b": SYSTEMS["b"][1:]}, REFERENCES[1:], "BLEU"
    )
    other = tare.compare(shared).pair("a", "b")
    assert (pair["n"], pair["difference"], pair["p"]) == (6, other["difference"], other["p"])


def test_an_item_without_references_has_no_value() -> None:
    texts = tare.read_summaries(
        [{"text": "a b", "references": ["a b"]}, {"text": "x", "references": None}]
    )
    scores = tare.evaluate_texts(texts, ["BLEU", "chrF", "TER"])
    assert scores.counts().tolist() == [[1, 1, 1]]
    with pytest.raises(MismatchError, match="needs references"):
        tare.evaluate_texts([{"text": "a"}], "BLEU")


def test_no_net_of_summed_statistics() -> None:
    for name in ("Net(BLEU)", "E(chrF)"):
        with pytest.raises(tare.TareError, match="summed statistics"):
            tare.evaluate_texts(["a"], ["a"], name, sources=["a b"])


def test_pairs_refuse_studies_that_need_values_per_item(scores: tare.Scores) -> None:
    pairs = pairs_of(scores, measure="BLEU")
    assert pairs.means.shape == (3,)
    with pytest.raises(OptionError, match="whole family"):
        pairs.on_complete_items()


def test_the_sacrebleu_bootstrap_also_takes_plain_means(scores: tare.Scores) -> None:
    half = tare.compare(scores["ROUGE-1"], test="bootstrap-sacrebleu", baseline="c", draws=500)
    whole = tare.compare(scores["ROUGE-1"], test="bootstrap", baseline="c", draws=500)
    assert all(x["p"] <= y["p"] for x, y in zip(half.rows(), whole.rows(), strict=True))
