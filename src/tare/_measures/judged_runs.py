"""Runs joined with judgements."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from tare._choices import Order
from tare._data.frames import is_frame
from tare._data.judged import Judged
from tare._data.policies import Policies
from tare._data.rows import is_trec_text
from tare._data.run import Run
from tare._data.runs import expand, read_runs
from tare._data.source import PathLike
from tare._measures.judgements import Judgements, join
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.inputs import RunsInput

__all__ = ["judged_runs", "with_unique_names"]


def judged_runs(
    judgements: Judgements,
    runs: RunsInput,
    policies: Policies,
    progress: Callable[[str], None] | None = None,
) -> list[Judged]:
    """Return every run joined with the judgements; text files are joined while they are read."""
    rankings = []
    for source in _sources(runs, policies.order):
        if progress is not None:
            progress(source.system if isinstance(source, Run) else os.fspath(source))
        rankings.append(join(judgements, source, policies))
    return with_unique_names(rankings)


def _sources(runs: RunsInput, order: Order) -> list[Run | PathLike]:
    """The paths of TREC text files, and runs read from everything else."""
    if isinstance(runs, str):
        found: list[Run | PathLike] = []
        for path in expand(runs):
            found += [path] if is_trec_text(path) else read_runs(path, order=order)
        return found
    if isinstance(runs, os.PathLike) and is_trec_text(runs):
        return [runs]
    if isinstance(runs, Iterable) and not isinstance(runs, Mapping) and not is_frame(runs):
        return [source for part in runs for source in _sources(part, order)]
    return list(read_runs(runs, order=order))


def with_unique_names(rankings: list[Judged]) -> list[Judged]:
    """Give every system a unique name: a tag that several runs share is replaced by the file name."""
    if not rankings:
        raise OptionError("no run was given; name at least one.")
    tags = Counter(judged.system for judged in rankings)
    seen: Counter[str] = Counter()
    out = []
    for judged in rankings:
        name = judged.system if tags[judged.system] == 1 else judged.source or judged.system
        seen[name] += 1
        name = name if seen[name] == 1 else f"{name}#{seen[name]}"
        out.append(judged.replace(system=name))
    return out
