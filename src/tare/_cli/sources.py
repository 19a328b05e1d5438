"""What a verb starts from: runs scored against qrels or a score table, and the systems that --baseline names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tare
from tare._choices import SystemNames
from tare._cli.output import Progress
from tare._cli.types import Pools, ends_of
from tare._data.recognised_files import is_trec_text
from tare._data.rows import fields_of
from tare._data.runs import expand, stem_of
from tare._files.opening import can_be_read_again, head_of
from tare._measures.clusters import clusters_named
from tare._measures.defaults import MAIN_MEASURES
from tare._measures.scores import Scores
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.one_system import RankingEngine

__all__ = [
    "baselines_of",
    "load_scores",
    "load_scores_with_chance",
    "prepared",
    "with_chance",
    "without_trivial_ideals",
]


# The systems that --baseline names: by their names in the table, their files or their tags.


TAG = 5  # the field of a line of a TREC run


def baselines_of(
    given: Sequence[str] | None, systems: Sequence[str], runs: Sequence[str]
) -> list[str] | None:
    """Return the systems that --baseline names; a name that is not found is returned as it is."""
    if not given:
        return None
    return [name if name in systems else _meant(name, systems, runs) for name in given]


def _meant(name: str, systems: Sequence[str], runs: Sequence[str]) -> str:
    paths = [path for run in runs for path in expand(run)]
    if len(paths) != len(systems):  # a table of runs holds several systems
        return name
    found = [
        system
        for path, system in zip(paths, systems, strict=True)
        if name in (path, Path(path).name, stem_of(path)) or name == _tag_of(path)
    ]
    if len(found) > 1:
        raise OptionError(
            f"--baseline {name} can be {' or '.join(found)}; write the name of one of these systems."
        )
    return found[0] if found else name


def _tag_of(path: str) -> str:
    """Return the tag of the first line of a TREC run; empty if there is none."""
    if not can_be_read_again(path) or not is_trec_text(path):
        return ""
    line = head_of(path).partition(b"\n")[0]
    fields = fields_of(line.decode("utf-8", "replace"))
    return fields[TAG] if len(fields) > TAG else ""


# The scores that a verb starts from: runs scored against qrels, or a score table.

NO_POOLS = Pools()


def load_scores(
    source: str,
    runs: Sequence[str],
    measures: Sequence[Any] | None,
    *,
    seed: int = 0,
    pools: Pools = NO_POOLS,
    system_names: SystemNames = "file",
    engine: RankingEngine | None = None,
    replicates: bool = False,
    cluster: str | None = None,
) -> Scores:
    """Score runs against the qrels `source`; without runs, load the score table `source`."""
    if not runs:
        if pools.given:
            raise OptionError(
                "--pool, --corpus and --candidates need qrels and runs; the scores of a score table are "
                "already computed."
            )
        table = Scores.load(source)
        table = table if not measures else table.select(measures=list(measures))
        return prepared(table, replicates, cluster)
    wanted = list(measures or MAIN_MEASURES)
    with Progress("reading", len(runs)) as progress:
        made = tare.evaluate(
            source,
            list(runs),
            wanted,
            system_names=system_names,
            seed=seed,
            engine=engine,
            progress=progress,
            **pools.arguments(),
        )
    return prepared(made, replicates, cluster, tables=runs)


def prepared(
    scores: Scores,
    replicates: bool,
    cluster: str | None,
    range: str | None = None,
    tables: Sequence[str] = (),
) -> Scores:
    """Return the scores that a verb starts from: with replicates averaged, in clusters and with a range, if asked for.

    Clusters may be a column of the tables that were scored.
    """
    scores = scores.averaged() if replicates else scores
    if cluster is not None:
        scores = scores.clustered(clusters_named(scores, cluster, tables))
    return scores if range is None else scores.with_range(*ends_of(range))


def load_scores_with_chance(
    source: str,
    runs: Sequence[str],
    measures: Sequence[str] | None,
    *,
    seed: int = 0,
    pools: Pools = NO_POOLS,
    system_names: SystemNames = "file",
    replicates: bool = False,
    cluster: str | None = None,
) -> Scores:
    """Load the scores that a verb starts from; if the pool is known, add the expected and the net score of each measure."""
    if not runs or not pools.given:
        return load_scores(
            source,
            runs,
            measures,
            seed=seed,
            pools=pools,
            system_names=system_names,
            replicates=replicates,
            cluster=cluster,
        )
    wanted = with_chance(measures or MAIN_MEASURES)
    scores = load_scores(
        source,
        runs,
        wanted,
        seed=seed,
        pools=pools,
        system_names=system_names,
        replicates=replicates,
        cluster=cluster,
    )
    return without_trivial_ideals(scores)


def with_chance(measures: Sequence[Any]) -> Sequence[Any]:
    """Return the measures that a verb scores runs by, each followed by its expected and its net score."""
    from tare.chance._net_measures import with_chance as added  # only if a pool is known

    return added(measures)


def without_trivial_ideals(scores: Scores) -> Scores:
    """Return the scores of runs without the columns that the ideal ranking makes trivial."""
    from tare.chance._net_measures import without_trivial_ideals as left

    return left(scores)
