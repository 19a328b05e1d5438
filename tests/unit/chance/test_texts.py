"""Chance for texts as users ask for it: options, upper bounds, what is refused, what is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tare
from tare.chance import text_chances
from tare.errors import MeasureError, MismatchError, OptionError

SOURCE = "The cat sat on the mat. A dog ran past. It rained all day."
ROW = {
    "item": "1",
    "text": "the cat sat on a mat",
    "references": ["a cat sat on the mat", "the cat sat"],
    "source": SOURCE,
}


def score(measure: str, *, samples: int | None = None, seed: int = 0, **more: Any) -> float:
    texts = tare.read_summaries([{**ROW, **more}])
    return tare.evaluate_texts(texts, measure, samples=samples, seed=seed).mean


def test_lengths() -> None:
    values = [
        score(f"E(ROUGE-1.r(refs=mean),length={n})")
        for n in ("candidate", "reference", "6", "4", "5")
    ]
    assert values[0] == values[2]
    assert values[1] in values[3:]  # the mean of 6 and 3, rounded
    assert values[3] < values[4] < values[2]


def test_random_is_sampled_and_1_is_ideal() -> None:
    assert str(tare.parse("V2(ROUGE-1,expected=random,upper=1)")) == "V2(ROUGE-1,expected=sampled)"
    assert score("V2(ROUGE-1,expected=random)") == score("V2(ROUGE-1,expected=sampled)")


def test_published_is_one_text_that_the_seed_chooses() -> None:
    values = {score("E(ROUGE-1(refs=mean),expected=published)", seed=seed) for seed in range(6)}
    assert len(values) > 1
    assert score("E(ROUGE-1,expected=published)") == score("E(ROUGE-1,expected=published)")


def test_several_references_are_sampled_unless_they_add_up() -> None:
    texts = tare.read_summaries([ROW])
    best = tare.evaluate_texts(texts, "E(ROUGE-1)")
    assert best.errors is not None
    assert any(f.kind == "sampled values" for f in best.findings)
    assert "expected:sampled" in str(best.signatures[0])
    assert "samples:1000" in str(best.signatures[0])
    total = tare.evaluate_texts(texts, "E(ROUGE-1(refs=micro))")
    assert total.errors is None
    assert "expected:exact" in str(total.signatures[0])
    assert "seed" not in str(total.signatures[0])


def test_upper_bounds() -> None:
    oracle = tare.extractive_oracle([SOURCE], [ROW["references"]], "ROUGE-1").values[0]  # type: ignore[list-item]
    assert score("U(ROUGE-1,upper=oracle)") == pytest.approx(score("ROUGE-1") / oracle)
    first = score("ROUGE-1", text=ROW["references"][0], references=[ROW["references"][1]])
    other = score("ROUGE-1", text=ROW["references"][1], references=[ROW["references"][0]])
    assert score("U(ROUGE-1,upper=human)") == pytest.approx(score("ROUGE-1") * 2 / (first + other))


def test_what_lies_above_a_bound_is_told() -> None:
    row = {**ROW, "text": "a cat sat on the mat", "source": "It rained. Nothing sat."}
    scores = tare.evaluate_texts(tare.read_summaries([row]), "V2(ROUGE-1,upper=oracle)")
    assert scores.mean > 1
    assert any(f.kind == "above the upper bound" for f in scores.findings)


def test_one_reference_has_no_human_bound() -> None:
    scores = tare.evaluate_texts(
        tare.read_summaries([{**ROW, "references": ["a cat"]}]), "U(ROUGE-1,upper=human)"
    )
    assert np.isnan(scores.values).all()
    assert any(f.kind == "one reference" for f in scores.findings)


def test_texts_without_source() -> None:
    rows = [ROW, {**ROW, "item": "2", "source": None}]
    scores = tare.evaluate_texts(tare.read_summaries(rows), ["V2(ROUGE-1)", "U(ROUGE-1)"])
    assert np.isnan(scores.values[0, 1, 0])
    assert not np.isnan(scores.values[0, :, 1]).any()
    assert any(f.kind == "no source" for f in scores.findings)
    bare = tare.read_summaries([{"text": "x", "references": ["x"]}])
    with pytest.raises(MismatchError, match=r"V2\(ROUGE-1\) needs sources"):
        tare.evaluate_texts(bare, "V2(ROUGE-1)")
    assert tare.evaluate_texts(bare, "U(ROUGE-1)").mean == 1


def test_an_empty_text_scores_what_chance_of_no_words_does() -> None:
    found = text_chances([{**ROW, "text": ""}], "ROUGE-1(refs=mean)", length="candidate")
    assert found.expected[0] == 0
    assert found.variance is not None
    assert found.variance[0] == 0


def test_other_measures_with_references_are_sampled_too() -> None:
    scores = tare.evaluate_texts(
        tare.read_summaries([ROW]), ["E(Feature-coverage)", "V2(Feature-rouge-2)"], samples=20
    )
    assert np.isfinite(scores.values).all()


def test_std_stands_outside() -> None:
    rows = [{**ROW, "system": s, "text": t} for s, t in (("x", "the cat"), ("y", "a dog"))]
    scores = tare.evaluate_texts(tare.read_summaries(rows), "Std(V2(ROUGE-1))", samples=50)
    assert scores.values.sum() == pytest.approx(0)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("V2(ROUGE-1,pool=judged)", "pool applies to rankings only"),
        ("V2(V2(ROUGE-1))", "already derived from chance"),
        ("V2(Std(ROUGE-1))", "already derived from chance"),
        ("V2(Compression)", "compare a text with references"),
    ],
)
def test_what_has_no_chance(measure: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        score(measure)


def test_triples_are_no_words() -> None:
    row = {"text": "a|b|c", "references": ["a|b|d"], "source": "a|b|c"}
    with pytest.raises(MeasureError, match="these texts consist of triples"):
        tare.evaluate_texts(tare.read_summaries([row]), "E(ROUGE-BE(triples=given))")


def test_options_of_the_other_kind_are_refused() -> None:
    with pytest.raises(OptionError, match="expected='best'"):
        score("E(ROUGE-1,expected=best)")
    with pytest.raises(OptionError, match="samples=1 is not possible: 2 to 10,000,000"):
        score("E(ROUGE-L)", samples=1)
    for name in ("length=0", "length=some", "upper=2"):
        with pytest.raises(MeasureError, match="is not accepted"):
            tare.parse(f"V2(ROUGE-1,{name})")
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}
    with pytest.raises(MeasureError, match="length applies to texts only"):
        tare.evaluate(qrels, run, "V2(AP,length=5,pool=judged)")
    with pytest.raises(OptionError, match="upper='oracle'"):
        tare.evaluate(qrels, run, "V2(AP,upper=oracle,pool=judged)")


def test_chances_as_a_table() -> None:
    found = text_chances([ROW], "ROUGE-L", samples=30, upper="oracle")
    frame = found.to_frame()
    assert frame.columns == ["system", "item", "expected", "expected_error", "upper", "deviation"]
    kept = found.to_dict()
    assert (kept["rows"], kept["measure"]) == (frame.to_dicts(), "ROUGE-L")
    assert "random text" in repr(found)
    assert "<table" in found._repr_html_()
