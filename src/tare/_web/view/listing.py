"""The table of queries: two systems and a measure, sorted, filtered and shown by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from tare._web.view.index import ViewIndex

__all__ = ["FIELD", "PER_PAGE", "Listing", "Wish"]


PER_PAGE = 50
SORTS = ("query", "gross_a", "gross_b", "tare", "net_a", "net_b", "difference", "size")
FILTERS = ("all", "different", "first", "second", "equal")
MAX_WORDS = 200  # letters of a search
FIELD = "attribute."  # before the name of an attribute in an address


@dataclass(frozen=True)
class Wish:
    """What the reader of the table of queries asked for; it is kept in the address, so that every page has a link."""

    a: str
    b: str
    measure: str
    sort: str = "size"
    down: bool = True
    find: str = ""
    only: str = "all"
    kind: str = ""
    page: int = 1
    attributes: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, str], index: ViewIndex) -> Wish:
        """Read from an address which table of queries is asked for; anything unknown becomes the default."""
        systems, measures = index.systems, index.measures
        page = given.get("page", "1")
        asked = [(name, given.get(f"{FIELD}{name}", "")) for name in index.attributes]
        return cls(
            a=given.get("a", "") if given.get("a") in systems else systems[0],
            b=given.get("b", "")
            if given.get("b") in systems
            else systems[min(1, len(systems) - 1)],
            measure=given.get("m", "") if given.get("m") in measures else measures[0],
            sort=given.get("sort", "") if given.get("sort") in SORTS else "size",
            down=given.get("order") != "up",
            find=given.get("find", "")[:MAX_WORDS],
            only=given.get("only", "") if given.get("only") in FILTERS else "all",
            kind=given.get("kind", "")[:20],
            page=max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 8 else 1,
            attributes=tuple((n, v) for n, v in asked if v in index.attributes[n]),
        )

    def fields(self) -> list[tuple[str, str]]:
        """Return the wish for the table of queries as fields of an address or a form, without defaults and the page."""
        given = [("a", self.a), ("b", self.b), ("m", self.measure), ("sort", self.sort)]
        given.append(("order", "down" if self.down else "up"))
        more = [("find", self.find), ("kind", self.kind)]
        more.append(("only", "" if self.only == "all" else self.only))
        more += [(f"{FIELD}{name}", value) for name, value in self.attributes]
        return given + [(name, value) for name, value in more if value]

    @property
    def narrows(self) -> bool:
        """Return whether the table of queries shows only some of the queries."""
        return bool(self.find or self.kind or self.only != "all" or self.attributes)

    def link(self, **changes: Any) -> str:
        """Return the query string of this view of the table of queries, with some changes."""
        wish = replace(self, **changes)
        return urlencode(wish.fields() + ([("page", str(wish.page))] if wish.page > 1 else []))


class Listing:
    """The queries in the order of a wish."""

    def __init__(self, index: ViewIndex, wish: Wish) -> None:
        self.index, self.wish = index, wish
        self.gross_a = self._column("gross", wish.a)
        self.gross_b = self._column("gross", wish.b)
        self.net_a = index.column("net", wish.measure, wish.a)
        self.net_b = index.column("net", wish.measure, wish.b)
        self.tare = index.column("tare", wish.measure, wish.a)
        self.difference = self.gross_a - self.gross_b
        self.kinds = index.kinds(wish.measure)
        self.order = self._order()

    def _column(self, kind: str, system: str) -> NDArray[np.float64]:
        found = self.index.column(kind, self.wish.measure, system)
        return np.full(self.index.count, np.nan) if found is None else found

    def _order(self) -> NDArray[np.int64]:
        """Return the places in the index of the queries that the table shows, sorted; missing values are last."""
        wish = self.wish
        wanted = np.ones(self.index.count, dtype=bool)
        if wish.find:
            wanted &= self.index.matching(wish.find)
        if wish.kind and self.kinds is not None:
            wanted &= np.array([kind == wish.kind for kind in self.kinds], dtype=bool)
        for name, value in wish.attributes:
            wanted &= self.index.attribute(name) == self.index.attributes[name].index(value)
        with np.errstate(invalid="ignore"):
            if wish.only == "different":
                wanted &= self.difference != 0
            elif wish.only == "first":
                wanted &= self.difference > 0
            elif wish.only == "second":
                wanted &= self.difference < 0
            elif wish.only == "equal":
                wanted &= self.difference == 0
        places = np.flatnonzero(wanted)
        keys = {
            "gross_a": self.gross_a,
            "gross_b": self.gross_b,
            "tare": self.tare,
            "net_a": self.net_a,
            "net_b": self.net_b,
            "difference": self.difference,
            "size": np.abs(self.difference),
        }
        key = keys.get(wish.sort)
        if key is None:  # by query: the index has them in the order of their ids
            return places if not wish.down else places[::-1]
        values = key[places]
        values = np.where(np.isnan(values), np.inf, -values if wish.down else values)
        return places[np.argsort(values, kind="stable")]

    @property
    def pages(self) -> int:
        """The number of pages."""
        return max(1, -(-len(self.order) // PER_PAGE))

    def rows(self) -> list[dict[str, Any]]:
        """Return the queries of the current page."""
        start = (min(self.wish.page, self.pages) - 1) * PER_PAGE
        places = [int(k) for k in self.order[start : start + PER_PAGE]]
        named = self.index.queries(places) if places else []
        largest = float(np.nanmax(np.abs(self.difference), initial=0.0)) or 1.0
        shares = np.nan_to_num(self.difference / largest)
        return [
            {
                "place": k,
                "id": key,
                "text": text,
                "kind": "" if self.kinds is None else self.kinds[k],
                "share": float(shares[k]),  # of the largest difference, for the bar
            }
            | {name: float(values[k]) for name, values in self._shown().items()}
            for k, (key, text) in zip(places, named, strict=True)
        ]

    def _shown(self) -> dict[str, NDArray[np.float64]]:
        given = {
            "gross_a": self.gross_a,
            "net_a": self.net_a,
            "gross_b": self.gross_b,
            "net_b": self.net_b,
            "tare": self.tare,
            "difference": self.difference,
        }
        return {name: values for name, values in given.items() if values is not None}

    def neighbours(self, place: int) -> dict[str, int | None]:
        """Return the previous and next query of the table, and the next one on which the two systems differ."""
        found = np.flatnonzero(self.order == place)
        if not len(found):
            return {"previous": None, "next": None, "different": None, "number": None}
        at = int(found[0])
        after = self.order[at + 1 :]
        differ = after[np.nan_to_num(self.difference[after]) != 0]
        return {
            "previous": int(self.order[at - 1]) if at else None,
            "next": int(after[0]) if len(after) else None,
            "different": int(differ[0]) if len(differ) else None,
            "number": at + 1,
        }

    def means(self) -> dict[str, float]:
        """Return the means of the two systems of the table over all queries."""
        return {"a": _mean(self.gross_a), "b": _mean(self.gross_b)}

    def part_means(self) -> dict[str, float]:
        """Return the means of the two systems over the queries that the table shows."""
        return {"a": _mean(self.gross_a[self.order]), "b": _mean(self.gross_b[self.order])}


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
