"""Items made by a thread while earlier ones are used."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TypeVar

__all__ = ["read_ahead"]

T = TypeVar("T")
AHEAD = 2  # items that wait for their reader


def read_ahead(items: Iterator[T], ahead: int = AHEAD) -> Iterator[T]:
    """Yield the same items, of which a thread makes some in advance.

    An error of `items` is raised after the items before it. When the reader stops early, the thread ends
    after the item at hand, so `items` must not wait for anything that may never come.
    """
    from threading import Condition, Thread

    changed = Condition()
    made: deque[T] = deque()
    failure: list[BaseException] = []
    ended = stopped = False

    def make() -> None:
        nonlocal ended
        try:
            for item in items:
                with changed:
                    made.append(item)
                    changed.notify_all()
                    changed.wait_for(lambda: stopped or len(made) < ahead)
                if stopped:
                    break
        except BaseException as error:
            failure.append(error)
        with changed:
            ended = True
            changed.notify_all()

    thread = Thread(target=make, name="read ahead", daemon=True)
    thread.start()
    try:
        while True:
            with changed:
                changed.wait_for(lambda: made or ended)
                if not made:
                    break
                item = made.popleft()
                changed.notify_all()
            yield item
        if failure:
            raise failure[0]
    finally:
        with changed:
            stopped = True
            changed.notify_all()
        thread.join()
