"""The share of judged documents at the cutoff of each measure, which saved score tables contain.

If the share falls between two tables, the judgements describe the rankings less well than before: for
example because documents were split again and have new ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._measures.names import parse

if TYPE_CHECKING:
    from tare._measures.measure import Measure
    from tare._measures.scores import Scores

__all__ = ["JudgedShares", "judged_shares"]

Floats = NDArray[np.float64]


class JudgedShares:
    """The judged share of each ranking measure, computed for a few systems at a time.

    A table that was just computed computes them from its rankings; a table that was loaded has those
    of its file. Measures that are not about ranked documents have none.

    Parameters
    ----------
    scores
        The table.
    cells
        How many values may be computed at once; those of one system always are.
    """

    def __init__(self, scores: Scores, cells: int) -> None:
        self._scores = scores
        self._share_of: dict[Measure, Measure] = {}
        self._first = 0
        self._known: dict[Measure, Floats] = {}
        if scores.rescoring is None or not scores.rescoring.rankings:
            self._known = dict(scores.judged)
            self.measures, self._systems = tuple(self._known), len(scores.systems)
            return
        if scores.rescoring.rankings:
            self._share_of = {
                measure: _share_measure(measure)
                for measure in scores.measures
                if measure.innermost.definition.family == "ranking"
            }
        self.measures = tuple(self._share_of)
        each = len(scores.items) * len(set(self._share_of.values()))
        self._systems = max(1, cells // max(1, each))

    def of_system(self, number: int) -> dict[Measure, Floats]:
        """Return one value per item for each measure."""
        if not self._known or not 0 <= number - self._first < self._systems:
            self._first = number
            self._known = self._computed(self._scores.systems[number : number + self._systems])
        return {measure: shares[number - self._first] for measure, shares in self._known.items()}

    def _computed(self, systems: tuple[str, ...]) -> dict[Measure, Floats]:
        behind = self._scores.rescoring
        if behind is None or not self._share_of:
            return {}
        rankings = {judged.system: judged for judged in behind.rankings}
        some = [rankings[system] for system in systems]
        made = behind.score(tuple(dict.fromkeys(self._share_of.values())), some)
        made = made.select(items=self._scores.items)
        values = {share: made.matrix(share) for share in made.measures}
        return {measure: values[share] for measure, share in self._share_of.items()}


def judged_shares(scores: Scores) -> dict[Measure, Floats]:
    """Return the judged share of each ranking measure, systems × items."""
    found = JudgedShares(scores, max(1, scores.values.size))
    rows = [found.of_system(number) for number in range(len(scores.systems))]
    return {measure: np.stack([row[measure] for row in rows]) for measure in found.measures}


def _share_measure(measure: Measure) -> Measure:
    """Return Judged at the cutoff of a measure, or of the whole ranking."""
    cutoff = measure.innermost.cutoff
    return parse("Judged" if cutoff is None or cutoff != int(cutoff) else f"Judged@{int(cutoff)}")
