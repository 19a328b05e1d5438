"""Laws of text measures, over every one of the registry: `tare.evaluate(texts, …)` as users call it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tare
from tare._measures import Measure, definitions, parse
from tare._measures.names import parse_all
from tare._measures.registry import groups
from tare._measures.text.evaluate_texts import evaluate_texts
from tests.reference.text_catalogue import BASIC_ELEMENTS, PLAIN, VARIANTS

words = st.sampled_from(["a", "b", "c", "dogs", "ran", "running", "é", "日", "-"])
sentence = st.lists(words, max_size=6).map(" ".join)
text = st.lists(sentence, min_size=1, max_size=3).map("\n".join)
triple = st.tuples(*[st.sampled_from(["cats", "sat", "nil", "b"])] * 3).map("|".join)
triples = st.lists(triple, max_size=5).map("\n".join)


@st.composite
def rows(draw: st.DrawFn, texts: st.SearchStrategy[str] = text) -> list[dict[str, Any]]:
    """Two systems on a few items, everything given."""
    made = []
    for item in range(draw(st.integers(1, 3))):
        about = {
            "item": f"d{item}",
            "references": draw(st.lists(texts, min_size=1, max_size=3)),
            "base": draw(st.lists(texts, min_size=1, max_size=2)),
            "source": draw(texts) or "a",
        }
        weights = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
        for system in ("x", "y"):
            scus = [
                {
                    "scu": str(k),
                    "weight": weight,
                    "present": draw(st.booleans()),
                    "contributors": ["a b"],
                }
                for k, weight in enumerate(weights)
            ]
            made.append({"system": system, "text": draw(texts), "scus": scus, **about})
    return made


def scored(
    given_rows: list[dict[str, Any]], measures: list[Measure], **options: Any
) -> tare.Scores:
    return evaluate_texts(tare.read_summaries(given_rows), measures, **options)


def test_every_measure_has_variants() -> None:
    assert {d.name for d in definitions() if d.family == "text"} == set(VARIANTS)
    for name, texts in VARIANTS.items():
        assert {parse(variant).name for variant in texts} == {name}


@pytest.mark.parametrize("measure", [*PLAIN, *BASIC_ELEMENTS], ids=str)
def test_a_measure_reads_back(measure: Measure) -> None:
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)


def test_every_measure_says_what_it_is() -> None:
    for definition in definitions():
        if definition.family == "text":
            assert definition.formula
            assert definition.citation
            assert definition.needs in ("texts", "references", "source", "scus")
            assert definition.derive is not None


def test_groups_have_known_members() -> None:
    assert len(groups()["features"]) == 13
    for name, members in groups().items():
        assert parse_all(name) == tuple(map(parse, members))


@settings(max_examples=25)
@given(given_rows=rows(), given_triples=rows(triples))
def test_bounds(given_rows: list[dict[str, Any]], given_triples: list[dict[str, Any]]) -> None:
    for measures, made in ((PLAIN, given_rows), (BASIC_ELEMENTS, given_triples)):
        scores = scored(made, measures)
        for m, measure in enumerate(measures):
            low, high = measure.definition.bounds
            values = scores.values[:, :, m]
            values = values[~np.isnan(values)]
            assert np.isfinite(values).all(), measure
            assert low is None or (values >= low - 1e-12).all(), measure
            assert high is None or (values <= high + 1e-12 * high).all(), measure


@settings(max_examples=15)
@given(given_rows=rows(), given_triples=rows(triples), random=st.randoms(use_true_random=False))
def test_order_and_threads_change_nothing(
    given_rows: list[dict[str, Any]], given_triples: list[dict[str, Any]], random: Any
) -> None:
    for measures, made in ((PLAIN, given_rows), (BASIC_ELEMENTS, given_triples)):
        mixed = list(made)
        random.shuffle(mixed)
        one = scored(made, measures, threads=1)
        other = scored(mixed, measures, threads=3).select(systems=one.systems)
        assert one.items == other.items
        assert np.array_equal(one.values, other.values, equal_nan=True)
        assert one.signatures == other.signatures
        assert np.array_equal(one.intervals(draws=50), other.intervals(draws=50), equal_nan=True)


@settings(max_examples=25)
@given(given_rows=rows())
def test_alone_as_with_others(given_rows: list[dict[str, Any]]) -> None:
    """Sharing tokens among measures, and systems in one pass, changes no value."""
    together = scored(given_rows, PLAIN)
    some = [m for k, m in enumerate(PLAIN) if k % 17 == len(given_rows)]
    for measure in some:
        if measure.name == "AutoPyramid":  # other systems' annotations count there
            continue
        alone = scored([row for row in given_rows if row["system"] == "y"], [measure])
        at = PLAIN.index(measure)
        assert np.array_equal(alone.values[0, :, 0], together.values[1, :, at], equal_nan=True)


ROUGE = [m for m in PLAIN if m.name.startswith("ROUGE")]


def uneven(measure: Measure) -> bool:
    """ROUGE-1.5.5 divides ROUGE-W's two sides otherwise; unions are taken over one side."""
    profile = measure["profile"]
    return measure.name == "ROUGE-W" and profile == "lin2004"


@settings(max_examples=25)
@given(a=text, b=text)
def test_swapping_the_texts_swaps_precision_and_recall(a: str, b: str) -> None:
    measures = [
        m
        for m in ROUGE
        if not (
            m.name == "ROUGE-Lsum"
            or (m.name in ("ROUGE-L", "ROUGE-W") and m["profile"] == "lin2004")
        )
    ]
    there = scored([{"text": a, "references": [b]}], measures)
    back = scored([{"text": b, "references": [a]}], measures)
    parts = {"": "", "p": "r", "r": "p"}
    for m, measure in enumerate(measures):
        if measure.part == "" and dict(measure.parameters).keys() & {"beta", "alpha"}:
            continue
        other = parse(str(measure).replace(measure.full_name, _named(measure, parts), 1))
        if other in measures:
            turned = back.values[0, 0, measures.index(other)]
            assert there.values[0, 0, m] == turned, measure


def _named(measure: Measure, parts: dict[str, str]) -> str:
    part = parts[measure.part]
    return f"{measure.name}.{part}" if part else measure.name


@settings(max_examples=25)
@given(
    made=st.lists(sentence.filter(lambda s: len(set(s) & set("abc")) > 0), min_size=1, max_size=3)
)
def test_a_text_scores_1_against_itself(made: list[str]) -> None:
    whole = "\n".join([*made, "a b c dogs ran running a b c dogs"])  # long enough for all n
    scores = scored([{"text": whole, "references": [whole]}], ROUGE)
    for m, measure in enumerate(ROUGE):
        if not uneven(measure):
            assert scores.values[0, 0, m] == pytest.approx(1, abs=1e-12), measure


def test_a_text_of_triples_scores_1_against_itself() -> None:
    lines = "cat|nil|nil\nsat|cat|subj\nsat|mat|on"
    scores = scored([{"text": lines, "references": [lines]}], BASIC_ELEMENTS)
    assert (scores.values == 1).all()


def test_a_copy_of_the_source_is_not_novel() -> None:
    copy = "the cat sat on the mat by the door"
    measures = ["Compression", "FragmentCoverage", "FragmentDensity", "NovelNgrams(n=3)"]
    scores = evaluate_texts(tare.read_summaries([{"text": copy, "source": copy}]), measures)
    assert scores.values[0, 0].tolist() == [1, 1, 9, 0]


def test_a_peer_with_all_units_has_them_all() -> None:
    scus = [
        {"scu": str(k), "weight": 2, "present": True, "contributors": [word]}
        for k, word in enumerate("ab")
    ]
    row = {"text": "a b", "references": ["a b", "b a"], "scus": scus}
    names = ["Pyramid", "PyramidOriginal", "LitePyramid", "AutoPyramid"]
    assert evaluate_texts(tare.read_summaries([row]), names).values[0, 0].tolist() == [1, 1, 1, 1]
