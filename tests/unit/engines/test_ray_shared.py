"""Data that tasks share are put into the object store once, and leave it with their owner."""

from __future__ import annotations

import gc
from dataclasses import dataclass

from tare.engines._ray import SharedData


class Store:
    """Counts what is put into it."""

    def __init__(self) -> None:
        self.put_there: list[object] = []

    def put(self, data: object) -> int:
        self.put_there.append(repr(data))
        return len(self.put_there)


@dataclass(frozen=True)
class Frozen:
    name: str


@dataclass
class Loose:
    name: str


def test_the_same_object_is_put_once():
    store = Store()
    shared = SharedData(store)
    first, equal = Frozen("a"), Frozen("a")
    holders = [shared.holder(first) for _ in range(3)]
    assert holders == [[1]] * 3
    assert shared.holder(equal) == [2]  # another object, though equal
    assert shared.holder(first) == [3]
    assert len(store.put_there) == 3


def test_an_object_that_can_change_is_put_each_time():
    store = Store()
    shared = SharedData(store)
    loose, rows = Loose("a"), [1, 2]
    found = [shared.holder(loose), shared.holder(loose), shared.holder(rows), shared.holder(rows)]
    assert found == [[1], [2], [3], [4]]
    loose.name = "b"
    assert shared.holder(loose) == [5]
    assert store.put_there[-1] == "Loose(name='b')"


def test_the_reference_is_dropped_with_the_object():
    shared = SharedData(Store())
    data = Frozen("a")
    holder = shared.holder(data)
    del data
    gc.collect()
    assert shared._holder == []  # the store can free it
    assert holder == [1]  # tasks that still run keep theirs
    other = Frozen("b")
    assert shared.holder(other) == [2]
    assert shared.holder(other) == [2]
