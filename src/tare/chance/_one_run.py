"""One run, in any form that `tare.evaluate` takes, joined with the judgements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tare._data.judged import Judged, Policies
from tare._measures.evaluate_rankings import Judgements, judged_runs
from tare._measures.measure import Measure
from tare._measures.ranking.positions import reads_groups
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.inputs import RunsInput

__all__ = ["judged_run"]


def judged_run(judgements: Judgements, run: RunsInput, measures: Iterable[Measure] = ()) -> Judged:
    """Return one run joined with the judgements; several runs raise an error."""
    found = judged_runs(judgements, run, Policies(groups=reads_groups(measures)))
    if len(found) != 1:
        names = ", ".join(judged.system for judged in found[:5])
        raise OptionError(f"{len(found)} runs were given ({names}); expected one run.")
    return found[0]
