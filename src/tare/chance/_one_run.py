"""One run, in any form that `tare.evaluate` takes, joined with the judgements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tare._data.judged import Judged, Policies
from tare._measures.judged_runs import judged_runs
from tare._measures.judgements import Judgements
from tare._measures.measure import Measure
from tare._measures.ranking.label_ranking import reads_groups
from tare.errors import OptionError

__all__ = ["judged_run"]


def judged_run(judgements: Judgements, run: Any, measures: Iterable[Measure] = ()) -> Judged:
    """A run, {query: {document: score}}, {system: run} or a path; several runs are refused."""
    found = judged_runs(judgements, run, Policies(groups=reads_groups(measures)))
    if len(found) != 1:
        names = ", ".join(judged.system for judged in found[:5])
        raise OptionError(
            f"{len(found)} runs were given ({names}); chance is compared with one run."
        )
    return found[0]
