"""Runs joined with judgements."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from tare._data.judged import Judged, Policies, refuse_foreign_ids
from tare._data.qrels import Qrels
from tare._data.rows import is_trec_text
from tare._data.runs import Run, expand, read_runs, stem_of
from tare._files.addresses import shown_path
from tare._files.opening import PathLike, name_of
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
    for source in _sources(runs, policies):
        if progress is not None:
            progress(source.system if isinstance(source, Run) else name_of(source))
        judged = join(judgements, source, policies)
        if isinstance(judgements, Qrels):
            refuse_foreign_ids(judged, source)
        rankings.append(judged)
    return with_unique_names(rankings)


def _sources(runs: RunsInput, policies: Policies) -> list[Run | PathLike]:
    """The paths of TREC text files, and runs read from everything else."""
    order, names = policies.order, policies.system_names
    if isinstance(runs, str):
        found: list[Run | PathLike] = []
        for path in expand(runs):
            found += [path] if is_trec_text(path) else read_runs(path, order=order)
        return found
    if isinstance(runs, os.PathLike) and is_trec_text(runs):
        return [runs]
    if isinstance(runs, list | tuple) and all(isinstance(path, str | os.PathLike) for path in runs):
        return [source for path in runs for source in _sources(path, policies)]
    from tare._data.frames import is_frame
    from tare._data.native import is_record

    if isinstance(runs, Iterable) and not isinstance(runs, Mapping) and not is_frame(runs):
        given = list(runs)
        if not given or not is_record(given[0]):
            return [source for part in given for source in _sources(part, policies)]
        runs = given
    return list(read_runs(runs, order=order, system_names=names))


def _path_of(source: str) -> str:
    """Return a path without the suffixes of its format.

    >>> _path_of("v1/bm25.run.gz")
    'v1/bm25'
    """
    return str(shown_path(source).with_name(stem_of(source)))


def with_unique_names(rankings: list[Judged]) -> list[Judged]:
    """Give every system a unique name.

    A tag that several runs share is replaced by the name of the file, and a name that several files
    share by the path.
    """
    if not rankings:
        raise OptionError("no run was given; name at least one.")
    given = Counter(judged.system for judged in rankings)
    paths = {judged.source for judged in rankings if judged.source}
    files = Counter(map(stem_of, paths))
    seen: Counter[str] = Counter()
    out = []
    for judged in rankings:
        name = judged.system
        if given[name] > 1 and judged.source:
            name = stem_of(judged.source)
            name = name if files[name] == 1 else _path_of(judged.source)
        seen[name] += 1
        name = name if seen[name] == 1 else f"{name}#{seen[name]}"
        out.append(judged.replace(system=name))
    return out
