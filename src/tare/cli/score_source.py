"""Where a verb's scores come from: judgements and runs, or a table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tare.measures.scores import Scores

__all__ = ["DEFAULT_MEASURES", "scores_of"]

DEFAULT_MEASURES = ("nDCG@10", "AP")


def scores_of(
    source: str, runs: Sequence[str], measures: Sequence[str] | None, *, seed: int = 0
) -> Scores:
    """Scores of runs against qrels, or of a score table where no run is named."""
    from tare import evaluate  # with the measures net of chance
    from tare.cli.output import Progress
    from tare.measures.scores import Scores

    if not runs:
        table = Scores.load(source)
        return table if not measures else table.select(measures=list(measures))
    wanted = list(measures or DEFAULT_MEASURES)
    progress = Progress(len(runs), "reading")
    made = evaluate(source, list(runs), wanted, seed=seed, progress=progress)
    progress.end()
    return made
