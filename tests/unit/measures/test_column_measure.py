"""The measures of a score table: values that equal their texts, whoever named the column."""

import pickle

import numpy as np
import pytest

import tare
from tare._measures import names
from tare._measures.names import column_measure
from tare._signature import Signature

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}}
RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0, "d": 2.0}}


def free(*columns: str) -> tare.Scores:
    """One system and two items, with a column of 1 and 4 for each name."""
    values = np.repeat(np.array([[1.0], [4.0]])[None], len(columns), axis=2)
    signatures = tuple(Signature(name, ()) for name in columns)
    return tare.Scores(("s",), ("q1", "q2"), columns, values, signatures)


def test_a_score_table_holds_measures_that_equal_their_texts():
    scores = tare.evaluate(QRELS, RUN, ["RR", "P(rel=1)@1"])
    assert all(isinstance(measure, tare.Measure) for measure in scores.measures)
    assert scores.measures == ("RR", "P@1")
    assert "P@1" in scores.measures
    assert {"P@1": 7}[scores.measures[1]] == 7
    assert scores.measures[1].cutoff == 1
    assert scores.measure_names == ("RR", "P@1")
    assert [type(name) for name in scores.means()["run"]] == [str, str]


@pytest.mark.parametrize("text", ["nDCG@10", "P(rel=2)@5", "Net(AP,pool=judged)", "fluency", "map"])
def test_measures_and_texts_are_the_same_key(text):
    measure = column_measure(text)
    assert (str(measure), repr(measure), f"{measure:>30}") == (text, text, f"{text:>30}")
    assert measure == text
    assert hash(measure) == hash(text)
    assert measure == column_measure(str(measure))
    assert measure != column_measure("RR")
    assert measure != 7
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_a_free_name_keeps_its_text_and_has_a_mean():
    rating = column_measure("fluency")
    assert not rating.registered
    assert (rating.aggregate, rating.better, rating.inner) == ("mean", "higher", None)
    assert rating.definition.title == "fluency"
    assert free("fluency").mean == 2.5


def test_a_spelling_of_another_program_keeps_its_text_and_its_meaning():
    scores = free("gm_map", "num_ret", "map")
    assert scores.measure_names == ("gm_map", "num_ret", "map")
    assert [m.name for m in scores.measures] == ["GMAP", "NumRet", "AP"]
    assert scores.means()["s"] == {"gm_map": pytest.approx(2.0), "num_ret": 5.0, "map": 2.5}


def test_a_name_that_is_only_part_of_a_measure_is_a_free_name():
    """V2 needs a measure inside it, and P a cutoff; as names of columns both are possible."""
    for text in ("V2", "P", "Net"):
        measure = column_measure(text)
        assert not measure.registered
        assert measure.definition.wraps is False
        assert measure.aggregate == "mean"


def test_reading_a_table_parses_no_measure_again(monkeypatch):
    scores = tare.evaluate(QRELS, RUN, ["RR", "AP"]).join(free("fluency"))

    def refuse(text):
        raise AssertionError(f"{text!r} was parsed again")

    monkeypatch.setattr(names._Reader, "measure", refuse)
    part = scores.select(measures=["AP", "fluency"])
    assert part["AP"].mean if len(part.systems) == 1 else part.means()
    assert scores.intervals().shape == (2, 3, 2)
    assert "fluency" in str(scores.table())
    assert scores.to_frame()["measure"].to_list()[:3] == ["RR", "AP", "fluency"]
