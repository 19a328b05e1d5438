"""Where a verb's scores come from: judgements and runs, or a table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._cli.options import PoolOptions
    from tare._measures.scores import Scores

__all__ = ["DEFAULT_MEASURES", "scores_of"]

DEFAULT_MEASURES = ("nDCG@10", "AP")


def scores_of(
    source: str,
    runs: Sequence[str],
    measures: Sequence[Any] | None,
    *,
    seed: int = 0,
    pools: PoolOptions | None = None,
) -> Scores:
    """Scores of runs against qrels, or of a score table where no run is named."""
    from tare import evaluate  # with the measures net of chance
    from tare._cli.output import Progress
    from tare._measures.scores import Scores

    if not runs:
        if pools is not None and pools.given:
            raise OptionError(
                "a score table holds finished scores; --pool, --corpus and --candidates need qrels and "
                "runs."
            )
        table = Scores.load(source)
        return table if not measures else table.select(measures=list(measures))
    wanted = list(measures or DEFAULT_MEASURES)
    progress = Progress(len(runs), "reading")
    where = {} if pools is None else pools.arguments()
    try:
        return evaluate(source, list(runs), wanted, seed=seed, progress=progress, **where)
    finally:
        progress.end()
