"""Evaluation of texts: every measure on the texts of all systems at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text
from tare._measures.engine import ActorEngine
from tare._measures.measure import Measure
from tare._measures.text.cell_findings import CellFinding, Noted
from tare._measures.text.cells import Cells, cells_of_texts
from tare._measures.text.parameters import profile_key
from tare._measures.text.profiles import Profile, profile
from tare._measures.text.sentences import split_all, unsplit
from tare.errors import MeasureError

__all__ = ["Cells", "TextEvaluation"]

Values = NDArray[np.float64]
Made = TypeVar("Made")


class TextEvaluation:
    """Values by measure; intermediate results that several measures share are computed once."""

    def __init__(
        self,
        cells: Cells,
        measures: Iterable[Measure],
        threads: int = 0,
        *,
        seed: int = 0,
        samples: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        engine: ActorEngine | None = None,
    ) -> None:
        self.cells = cells
        self.measures = tuple(measures)
        self.threads = threads
        self.seed = seed
        self.samples = samples
        self.progress = progress
        self.engine = engine
        self.resources: dict[Hashable, Any] = {}  # independent of the texts
        self._errors: dict[Measure, Values] = {}
        self.noted: list[Noted] = []  # findings, in the order of the measures
        self._values: dict[Measure, Values] = {}
        self._facts: dict[Measure, dict[str, object]] = {}
        self.ratios: dict[Measure, tuple[Values, ...]] = {}  # gross, tare, ideal
        self.statistics: dict[Measure, Values] = {}  # texts × statistics
        self._shared: dict[Hashable, Any] = {}

    def values(self, measure: Measure) -> Values:
        """Return one value per text, system by system."""
        if measure not in self._values:
            definition = measure.definition
            if definition.across is not None:
                raise MeasureError(
                    f"{measure} compares systems, so it cannot be inside another measure."
                )
            if definition.derive is None or not (definition.family == "text" or definition.wraps):
                raise MeasureError(f"{measure} is not a measure of texts.")
            self._values[measure] = definition.derive(self, measure)
        return self._values[measure]

    def errors(self, measure: Measure) -> Values:
        """Return the standard errors of sampled values; 0 for exact values."""
        return self._errors.get(measure, np.zeros(len(self.cells.candidates)))

    def set_errors(self, measure: Measure, errors: Values) -> None:
        """Set the standard errors of a measure derived from chance."""
        self._errors[measure] = errors

    def rescored(
        self,
        measure: Measure,
        texts: Sequence[Text],
        references: Sequence[Sequence[Text]],
        person: NDArray[np.bool_] | None = None,
    ) -> Values:
        """Return the values of one measure for other texts, without findings.

        `person` marks texts whose author's own reference was left out.
        """
        other = TextEvaluation(cells_of_texts(texts, references, person), [measure], self.threads)
        other.resources = self.resources
        return other.values(measure)

    def facts(self, measure: Measure) -> dict[str, object]:
        """Return the facts for the signature of a measure, once it has values."""
        return self._facts.get(measure, {})

    def set_facts(
        self, measure: Measure, facts: dict[str, Any], findings: Iterable[Noted] = ()
    ) -> None:
        """Set the facts of a measure for its signature, and add findings.

        The calls and the findings are the same for any texts: a finding without cells is not reported.
        """
        self._facts[measure] = facts
        self.noted += findings

    def shared(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the result that measures with the same key share, computed on first use."""
        if key not in self._shared:
            self._shared[key] = make()
        made: Made = self._shared[key]
        return made

    def resource(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return a shared result that does not depend on the texts, computed on first use."""
        if key not in self.resources:
            self.resources[key] = make()
        made: Made = self.resources[key]
        return made

    def profile(self, measure: Measure) -> Profile:
        """Return the tokenisation profile of a measure."""
        key = profile_key(measure)
        return self.resource(("profile", key), lambda: _profile(dict(key)))

    def candidates(self, splitter: str = "given") -> list[Text]:
        """Return the texts, split into sentences by this splitter."""
        return self.shared(
            ("candidates", splitter), lambda: list(split_all(self.cells.candidates, splitter))
        )

    def references(self, splitter: str = "given") -> list[list[Text]]:
        """Return the references of each text, split into sentences by this splitter."""
        return self.shared(
            ("references", splitter),
            lambda: [list(split_all(group, splitter)) for group in self.cells.references],
        )

    def unsplit(self, splitter: str, *, references: bool = True) -> list[CellFinding]:
        """Report texts with several sentences on one line, for measures that depend on sentences."""
        if splitter != "given":
            return []

        def look() -> list[CellFinding]:
            groups = self.cells.references if references else ()
            return [unsplit(self.cells.candidates, groups)]

        return self.shared(("unsplit", references), look)

    def without(self, need: str, what: str) -> list[CellFinding]:
        """Report texts that lack what a measure needs."""
        lacking = np.flatnonzero(~self.cells.has(need))
        message = f"{{count}} texts have no {what}; measures that need it have no value there."
        return [CellFinding(f"no {what}", message, (lacking,))]


def _profile(options: dict[str, Any]) -> Profile:
    return profile(options.pop("profile", "google"), **options)
