"""The extractive oracle: greedy and exact, limits, what is refused."""

from __future__ import annotations

import pytest

import tare
from tare.errors import MeasureError, MismatchError, OptionError

SOURCE = ("a b c", "a b", "c d", "e f")


def test_greedy_takes_what_helps_most_and_exact_what_is_best() -> None:
    reference = ["a b c d"]
    greedy = tare.extractive_oracle([SOURCE], [reference], "ROUGE-1")
    exact = tare.extractive_oracle([SOURCE], [reference], "ROUGE-1", method="exact")
    # The first sentence alone is better than any other, and it stands in the way of the best two.
    assert greedy.places == ((0, 2),)
    assert exact.places == ((1, 2),)
    assert greedy.values[0] == pytest.approx(2 * 4 / (4 + 5))
    assert exact.values == (1.0,)
    assert exact.texts == (("a b", "c d"),)


def test_sentences_keep_the_order_of_the_source() -> None:
    found = tare.extractive_oracle(["Dogs ran. It rained. A cat sat."], [["A cat sat. Dogs ran."]])
    assert found.texts == (("Dogs ran.", "A cat sat."),)


def test_a_limit_of_sentences() -> None:
    for method in ("greedy", "exact"):
        found = tare.extractive_oracle([SOURCE], [["a b c d"]], method=method, most=1)
        assert found.places == ((0,),)


def test_nothing_to_take() -> None:
    found = tare.extractive_oracle(["", "x y"], [["a"], []], items=["p", "q"])
    assert found.places == ((), ())
    assert found.to_dict()["rows"][0]["text"] == ""
    assert "ROUGE-1" in repr(found)


def test_many_sources_in_step_are_as_each_alone() -> None:
    sources = [SOURCE, ("x y", "y z", "z z z"), ("a", "b", "c", "d d")]
    references = [["a b c d"], ["z z y", "x"], ["d a"]]
    together = tare.extractive_oracle(sources, references, "ROUGE-2(refs=mean)")
    for k in range(3):
        alone = tare.extractive_oracle([sources[k]], [references[k]], "ROUGE-2(refs=mean)")
        assert (alone.places[0], alone.values[0]) == (together.places[k], together.values[k])


def test_what_is_refused() -> None:
    with pytest.raises(OptionError, match="which are too many"):
        tare.extractive_oracle([[f"s{i}" for i in range(40)]], [["s1"]], method="exact")
    with pytest.raises(OptionError, match="most=0"):
        tare.extractive_oracle(["a"], [["a"]], most=0)
    with pytest.raises(MismatchError, match="2 sources and references of 1"):
        tare.extractive_oracle(["a", "b"], [["a"]])
    with pytest.raises(MeasureError, match="does not compare texts with references"):
        tare.extractive_oracle(["a"], [["a"]], "Compression")
