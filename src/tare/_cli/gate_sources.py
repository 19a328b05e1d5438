"""What `tare gate` compares: runs scored against qrels, score tables, or estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tare._cli.scores import load_scores
from tare._files.addresses import exists
from tare._files.opening import plain_suffix
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._cli.options import PoolOptions
    from tare._decide.estimates import Estimates
    from tare._measures.scores import Scores

__all__ = ["Sources", "is_run"]

DEFAULT = ("nDCG@10",)
Wanted = Mapping[str, float | None] | None


def is_run(path: str | Path) -> bool:
    """Return whether a file is a run, and not a table of scores or estimates."""
    from tare._data.columns import COLUMNS
    from tare._data.rows import TABLES

    if plain_suffix(path) not in TABLES:
        return True
    if not exists(path):  # a baseline that --update creates, or an error when it is read
        return False
    found = _columns(path)
    both = all(found & {*COLUMNS[part]} for part in ("query", "document"))
    return both and "measure" not in found


def _columns(path: str | Path) -> set[str]:
    """Return the names of the columns of a table, in lower case."""
    from tare._data.formats import parquet
    from tare._data.rows import TABLES

    suffix = plain_suffix(path)
    if suffix in parquet.SUFFIXES:
        with parquet.opened(path) as file:
            columns = file.columns
    else:
        columns = TABLES[suffix].read(path).columns
    return {column.strip().lower() for column in columns}


@dataclass(frozen=True)
class Sources:
    """The files of a gate: SOURCE with its runs, the baselines, and which systems of them are meant."""

    source: str
    runs: tuple[str, ...]
    baselines: tuple[Path, ...]
    pools: PoolOptions | None
    system: str | None
    baseline_system: str | None
    replicates: bool
    seed: int

    def candidate(self, wanted: Wanted) -> Scores | Estimates:
        """Load the candidate."""
        if self._tables:
            return self._one(self._loaded([self.source, *self.runs], wanted), "candidate")
        return self._one(self._scored(self.runs, list(wanted or DEFAULT)), "candidate")

    def both(self, wanted: Wanted) -> tuple[Scores | Estimates, Scores | Estimates]:
        """Load the candidate and the baseline."""
        if self._tables:
            return self.candidate(wanted), self._present(wanted)
        kinds = {is_run(path) for path in self.baselines}
        if len(kinds) > 1:
            raise OptionError(
                "--baseline names a run and a score table; name runs, or one of the two."
            )
        if kinds == {False}:
            present = self._present(wanted)
            names = list(wanted or [str(measure) for measure in present.measures])
            return self._one(self._scored(self.runs, names), "candidate"), present
        names = list(wanted or DEFAULT)
        before = [str(path) for path in self.baselines]
        new, old = self._scored_together(before, names)
        return self._one(new, "candidate"), self._one(old, "baseline")

    @property
    def _tables(self) -> bool:
        """Whether the candidate is one table, or several of its replicates."""
        from tare._data.rows import TABLES

        if not self.runs:
            return True
        return (
            self.replicates
            and plain_suffix(self.source) in TABLES
            and "measure" in _columns(self.source)
        )

    def _present(self, wanted: Wanted) -> Scores | Estimates:
        from tare._decide.gate import load_baseline

        if len(self.baselines) == 1:
            if self._tables and not self.runs and _is_same(self.baselines[0], self.source):
                return self._one(self._loaded([self.source], wanted), "baseline")
            return self._one(load_baseline(self.baselines[0]), "baseline")
        return self._one(self._loaded([str(path) for path in self.baselines], wanted), "baseline")

    def _loaded(self, paths: Sequence[str], wanted: Wanted) -> Scores | Estimates:
        """Load one table or estimates, or join the tables of several runs."""
        from tare._decide.estimates import Estimates
        from tare._decide.saved_estimates import is_saved

        if len(paths) == 1:
            if not is_saved(paths[0]):
                return load_scores(paths[0], (), list(wanted or ()), pools=self.pools)
            if self.pools is not None and self.pools.given:
                raise OptionError(
                    "--pool, --corpus and --candidates need qrels and runs, not estimates."
                )
            return Estimates.load(paths[0])
        joined: Scores | None = None
        for number, path in enumerate(paths, 1):
            if is_saved(path):
                raise OptionError(f"{path} holds estimates, which are not averaged. Name one file.")
            one = load_scores(path, (), list(wanted or ()), pools=self.pools)
            if len(one.systems) != 1:
                raise OptionError(
                    f"{path} has {len(one.systems)} systems; the table of each run has one. Score the runs "
                    "one by one."
                )
            one = replace(one, systems=(f"{one.systems[0]}.{number}",), rescoring=None)
            joined = one if joined is None else joined.join(one)
        assert joined is not None
        return joined

    def _scored(self, runs: Sequence[str], measures: list[str]) -> Scores:
        return load_scores(self.source, runs, measures, seed=self.seed, pools=self.pools)

    def _scored_together(self, before: list[str], measures: list[str]) -> tuple[Scores, Scores]:
        """Score both sides at once, so that they share their pool; several systems in a file keep apart."""
        from tare._data.runs import expand

        count = sum(len(expand(run)) for run in self.runs)
        whole = self._scored([*self.runs, *before], measures)
        if len(whole.systems) != count + sum(len(expand(run)) for run in before):
            return self._scored(self.runs, measures), self._scored(before, measures)
        return (
            whole.select(systems=whole.systems[:count]),
            whole.select(systems=whole.systems[count:]),
        )

    def _one(self, given: Scores | Estimates, what: str) -> Scores | Estimates:
        """Return the table of the system that is meant; estimates are left as they are."""
        from tare._decide.gate import one_system
        from tare._measures.scores import Scores

        if not isinstance(given, Scores):
            return given
        if what == "candidate":
            return one_system(given, self.system, what, self.replicates)
        several = self.replicates or len(self.baselines) > 1
        return one_system(given, self.baseline_system, what, several)


def _is_same(path: Path, source: str) -> bool:
    return path.exists() and exists(source) and path.samefile(source)
