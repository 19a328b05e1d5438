"""Findings about texts, by cell: findings of parts are joined before they are counted and named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, Severity, listed

__all__ = ["CellFinding", "Noted", "findings_of", "joined_findings"]


COUNT = "{count}"
SHOWN = 6

CellNumbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CellFinding:
    """A finding about some cells of texts; without cells there is nothing to report.

    `message` contains {count}, the number of cases. Each case is the number of a cell; the cases of
    an earlier array are named before those of a later one.
    """

    kind: str
    message: str
    cases: tuple[CellNumbers, ...]
    severity: Severity = "warning"
    named: bool = True

    def at(self, places: CellNumbers) -> CellFinding:
        """Return the finding by cell of a part for the whole: cell k of the part is cell places[k]."""
        return replace(self, cases=tuple(places[cells] for cells in self.cases))

    def finding(self, label: Callable[[int], str]) -> Finding | None:
        """Return a finding by cell with its count and the first cases; None if there is no case."""
        count = sum(map(len, self.cases))
        if not count:
            return None
        names: dict[str, None] = {}
        for cell in np.concatenate(self.cases).tolist() if self.named else ():
            names[label(cell)] = None
            if len(names) == SHOWN:
                break
        message = self.message.replace(COUNT, f"{count:,}")
        return Finding(self.kind, message, count, self.severity, listed(list(names)))


Noted = Finding | CellFinding


def joined_findings(parts: Sequence[Sequence[Noted]]) -> list[Noted]:
    """Join the findings by cell of all parts, which are in the same order; cells are ordered as in the whole."""
    found: list[Noted] = []
    for alike in zip(*parts, strict=True):
        first = alike[0]
        if isinstance(first, CellFinding):
            groups = zip(*(one.cases for one in alike if isinstance(one, CellFinding)), strict=True)
            cases = tuple(np.sort(np.concatenate(group), kind="stable") for group in groups)
            found.append(replace(first, cases=cases))
        else:
            found.append(first)
    return found


def findings_of(noted: Iterable[Noted], label: Callable[[int], str]) -> list[Finding]:
    """Return the findings to report, each once."""
    made = (one.finding(label) if isinstance(one, CellFinding) else one for one in noted)
    return list(dict.fromkeys(finding for finding in made if finding is not None))
