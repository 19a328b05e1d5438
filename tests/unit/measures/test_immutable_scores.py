"""Score tables cannot be changed: no array that they return gives access to memory that can be written."""

import copy
import pickle

import numpy as np
import pytest

import tare

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}}
RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0, "d": 2.0}}


def table():
    return tare.evaluate(QRELS, RUN, "RR")


WAYS = {
    "new": table,
    "selected": lambda: table().select(items=["q2", "q1"]),
    "with an attribute": lambda: table().with_attribute("size", {"q1": 1}),
    "pickled": lambda: pickle.loads(pickle.dumps(table(), protocol=2)),
    "pickled with buffers": lambda: pickle.loads(pickle.dumps(table(), protocol=5)),
    "copied": lambda: copy.deepcopy(table()),
}


def arrays_of(array):
    """An array and all that are behind it."""
    while isinstance(array, np.ndarray):
        yield array
        array = array.base
    assert array is None or isinstance(array, bytes)


@pytest.mark.parametrize("way", WAYS)
def test_values_cannot_be_written(way):
    scores = WAYS[way]()
    for given in (scores.values, scores.values[:, :1], scores.matrix(), scores.values.T):
        for array in arrays_of(given):
            with pytest.raises(ValueError, match="WRITEABLE|writeable"):
                array.setflags(write=True)
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 9
    assert scores.mean == 0.75


def test_sampling_errors_cannot_be_written():
    scores = tare.Scores(
        ("s",),
        ("q",),
        table().measures,
        np.ones((1, 1, 1)),
        table().signatures,
        columns={table().measures[0]: {"error": np.zeros((1, 1))}},
    )
    for kept in (scores.errors, scores.columns[scores.measures[0]]["error"]):
        for array in arrays_of(kept):
            with pytest.raises(ValueError, match="WRITEABLE|writeable"):
                array.setflags(write=True)


def test_the_array_that_was_given_stays_writable_and_is_not_the_table():
    given = np.ones((1, 2, 1))
    scores = tare.Scores(("s",), ("q1", "q2"), table().measures, given, table().signatures)
    given[...] = 9
    assert scores.mean == 1.0


def test_an_array_that_cannot_change_is_not_copied_again():
    scores = table()
    assert np.shares_memory(scores.with_attribute("size", {}).values, scores.values)


def test_arrays_of_any_order_and_without_items_are_kept():
    given = np.asfortranarray(np.arange(6.0).reshape(3, 2, 1))
    names = ("a", "b", "c")
    scores = tare.Scores(names, ("q1", "q2"), table().measures, given, table().signatures)
    assert np.array_equal(scores.values, given)
    none = tare.Scores(names, (), table().measures, np.empty((3, 0, 1)), table().signatures)
    assert none.values.shape == (3, 0, 1)
