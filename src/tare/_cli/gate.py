"""`tare gate`: stop a build that is shown to lose search quality."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

import tare
from tare._cli.files import check_writable
from tare._cli.output import emit, say, write_data
from tare._cli.results import say_findings
from tare._cli.sources import load_scores
from tare._cli.types import (
    Format,
    Input,
    InputFile,
    Output,
    OutputFile,
    Pools,
    Seed,
    measure_names,
)
from tare._cli.verb import verb
from tare._data.columns import COLUMNS
from tare._data.runs import expand
from tare._data.table_files import TABLES, TableFile, table_in
from tare._decide.estimates import Estimates
from tare._decide.gate import load_baseline, one_system
from tare._decide.gate_result import junit as junit_of
from tare._decide.gate_result import markdown
from tare._decide.saved_estimates import is_saved
from tare._files.addresses import exists, written_at
from tare._files.opening import plain_suffix
from tare._files.writing import replacing_input, write_text
from tare._measures.clusters import Clusters, clusters_named
from tare._measures.scores import Scores
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._decide.gate_result import Gate

__all__ = ["Sources", "gate", "is_run"]


# What `tare gate` compares: runs scored against qrels, score tables, or estimates.


DEFAULT = ("nDCG@10",)
Wanted = Mapping[str, float | None] | None


def is_run(path: str | Path) -> bool:
    """Return whether a file of the gate is a run, and not a table of scores or estimates."""
    if not exists(path):  # a baseline that --update creates, or an error when it is read
        return plain_suffix(path) not in TABLES
    table = table_in(path)
    if table is None:
        return True
    found = _columns(table)
    both = all(found & {*COLUMNS[part]} for part in ("query", "document"))
    return both and "measure" not in found


def _columns(table: TableFile) -> set[str]:
    """Return the names of the columns of a table given to the gate, in lower case."""
    return {column.strip().lower() for column in table.columns}


@dataclass(frozen=True)
class Sources:
    """The files of a gate: SOURCE with its runs, the baselines, and which systems of them are meant."""

    source: str
    runs: tuple[str, ...]
    baselines: tuple[Path, ...]
    pools: Pools
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
        """Whether the gate's candidate is one table, or several of its replicates."""
        if not self.runs:
            return True
        table = table_in(self.source) if self.replicates else None
        return table is not None and "measure" in _columns(table)

    def _present(self, wanted: Wanted) -> Scores | Estimates:
        if len(self.baselines) == 1:
            if self._tables and not self.runs and _is_same(self.baselines[0], self.source):
                return self._one(self._loaded([self.source], wanted), "baseline")
            return self._one(load_baseline(self.baselines[0]), "baseline")
        return self._one(self._loaded([str(path) for path in self.baselines], wanted), "baseline")

    def _loaded(self, paths: Sequence[str], wanted: Wanted) -> Scores | Estimates:
        """Load one table or estimates for the gate, or join the tables of several runs."""
        if len(paths) == 1:
            if not is_saved(paths[0]):
                return load_scores(paths[0], (), list(wanted or ()), pools=self.pools)
            if self.pools.given:
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
        """Score both sides of the gate at once, so that they share their pool; several systems in a file keep apart."""
        count = sum(len(expand(run)) for run in self.runs)
        whole = self._scored([*self.runs, *before], measures)
        if len(whole.systems) != count + sum(len(expand(run)) for run in before):
            return self._scored(self.runs, measures), self._scored(before, measures)
        return (
            whole.select(systems=whole.systems[:count]),
            whole.select(systems=whole.systems[count:]),
        )

    def _one(self, given: Scores | Estimates, what: str) -> Scores | Estimates:
        """Return the table of the system that the gate is about; estimates are left as they are."""
        if not isinstance(given, Scores):
            return given
        if what == "candidate":
            return one_system(given, self.system, what, self.replicates)
        several = self.replicates or len(self.baselines) > 1
        return one_system(given, self.baseline_system, what, several)


def _is_same(path: Path, source: str) -> bool:
    return path.exists() and exists(source) and path.samefile(source)


@Parameter(name="*")
@dataclass(frozen=True)
class GateOutput(Output):
    """How a verdict is printed, and where its report is written."""

    format: Annotated[
        Format,
        Parameter(
            help="Print the numbers in this format (default: the verdict in words, in a pipe as well)."
        ),
    ] = None


RANGE = re.compile(r"(?P<low>[^:]+):(?P<high>[^:]+)")


@verb(
    "tare gate qrels.txt new.run --baseline old.run -m nDCG@10",
    "tare gate qrels.txt new.run --baseline main.parquet -m nDCG@10:0.02",
)
def gate(
    source: Input,
    *runs: Input,
    baseline: Annotated[list[InputFile], Parameter(name=["--baseline", "-b"])],
    measures: Annotated[
        list[str] | None,
        Parameter(name=["--measure", "-m"], converter=measure_names),
    ] = None,
    certify: bool = False,
    range: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    cluster: str | None = None,
    replicates: bool = False,
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: Seed = 0,
    system: str | None = None,
    baseline_system: str | None = None,
    update: bool = False,
    allow_lower: bool = False,
    summary: OutputFile | None = None,
    junit: OutputFile | None = None,
    pools: Pools,
    output: GateOutput,
    strict: bool = False,
) -> int:
    """Stop a build that is shown to lose search quality.

    SOURCE is qrels followed by the candidate's run, a score table that `tare score --save` or
    `tare text --save` wrote, or estimates that `tare estimate --save` wrote. The candidate is compared with
    the baseline, query by query. The exit code is 1 if a loss is shown, and otherwise 0; with `--certify` it
    is 0 only if a loss of the margin is ruled out, 1 if a loss is shown, and 4 if neither.

    Parameters
    ----------
    source
        Judgements, a score table, or estimates.
    runs
        The candidate's run, if SOURCE is judgements.
    baseline
        The present system: its run, its score table written by `tare score --save`, or its estimates. Repeat
        the option for several runs of it, which are averaged per query.
    measures
        A measure that may block, such as nDCG@10. Repeat the option for more; their p-values are adjusted by
        Holm's method (default: all measures of a saved baseline, and nDCG@10 of a run). nDCG@10:0.02 has a
        margin: a loss that is tolerated or, with --certify, ruled out.
    certify
        Pass only if a mean loss of the margin or more is ruled out for each measure.
    range
        The smallest and the largest value of a measure without closed bounds, such as 1:5, for --certify.
    cluster
        Clusters of queries, which are flipped as a whole: a column of the tables that are read, or a file
        with the columns query and cluster.
    replicates
        Several runs of the candidate are runs of one system, which are averaged per query.
    alpha
        Error rate: the share of unchanged builds that may be blocked, and of builds with a loss of the
        margin that may be certified.
    draws
        Number of random sign patterns; with at most 13 changed queries all patterns are tried.
    system
        The candidate's system, if its score table has several.
    baseline_system
        The system of the baseline, if its table has several.
    update
        Replace the saved baseline with the candidate unless a loss is shown (with --certify, only if
        certified); create it if there is none.
    allow_lower
        With --update, replace the baseline also then.
    summary
        Write a Markdown summary to this file, for a pull request.
    junit
        Write the verdicts as JUnit XML to this file.
    strict
        Exit with code 1 if the data changed since the baseline was saved.
    """
    if allow_lower and not update:
        raise OptionError("--allow-lower needs --update.")
    if range is not None and not certify:
        raise OptionError("--range is for a certificate; it needs --certify.")
    wanted = _margins(measures)
    ends = None if range is None else _range(range)
    kept = _kept(baseline) if update else None
    check_writable(kept)
    sources = Sources(
        source, runs, tuple(baseline), pools, system, baseline_system, replicates, seed
    )
    if kept is not None and not exists(written_at(kept)):
        return _create(sources.candidate(wanted), kept)
    candidate, present = sources.both(wanted)
    if kept is not None:
        _refuse_several_systems(candidate)
        _refuse_fewer_measures(candidate, present, kept)
    estimates = not isinstance(candidate, Scores)
    grouped: Clusters | None = cluster
    if cluster is not None and isinstance(candidate, Scores):
        grouped = clusters_named(candidate, cluster, runs)
    made = tare.gate(
        candidate,
        present,
        wanted,
        certify=certify,
        range=ends,
        cluster=grouped,
        alpha=alpha,
        draws=draws,
        seed=seed,
        system=system if estimates else None,
        baseline_system=baseline_system if estimates else None,
    )
    _print(made, output.format)
    _write_summaries(made, summary, junit)
    output.write_report(made)
    if kept is not None:
        _update(made, candidate, kept, allow_lower)
    found = any(finding.severity != "note" for finding in made.findings)
    return made.exit_code or (1 if strict and found else 0)


def _print(made: Gate, format: str | None) -> None:
    """Print the verdict in words, or its numbers."""
    if format is None:
        print(made.text(), flush=True)
        say_findings(made.findings, notes=True)
    elif format == "json":
        write_data(made.to_json() + "\n", format)
        say_findings(made.findings)
    else:
        emit(format, made.table, made.long_table)
        if format != "table":  # the findings are notes of the table
            say_findings(made.findings)


def _margins(given: list[str] | None) -> dict[str, float | None] | None:
    """Parse the measures of the gate, each with a margin or without: nDCG@10:0.02."""
    if given is None:
        return None
    made: dict[str, float | None] = {}
    for text in (word for one in given for word in one.split()):
        name, colon, end = text.rpartition(":")
        try:
            margin = float(end) if colon else None
        except ValueError:  # a colon inside the measure, such as nDCG(gain={1:3})
            name, margin = text, None
        name = text if margin is None else name
        if not name or (margin is not None and not 0 < margin < math.inf):
            raise OptionError(
                f"-m {text}: expected a measure, or a measure and a loss above 0, such as nDCG@10:0.02."
            )
        if name in made:
            raise OptionError(f"-m {text}: {name} is given twice.")
        made[name] = margin
    return made


def _range(text: str) -> tuple[float, float]:
    found = RANGE.fullmatch(text)
    try:
        if found is not None:
            return float(found["low"]), float(found["high"])
    except ValueError:
        pass
    raise OptionError(
        f"--range {text}: expected the smallest and the largest value, such as 1:5 or --range=-1:1."
    )


def _kept(baseline: Sequence[Path]) -> Path:
    """Return the saved baseline that --update replaces."""
    if len(baseline) != 1 or is_run(baseline[0]):
        found = (
            f"{len(baseline)} baselines were given"
            if len(baseline) != 1
            else f"{baseline[0]} is a run"
        )
        raise OptionError(
            f"--update replaces one saved baseline, and {found}. Name a Parquet file, such as main.parquet."
        )
    return baseline[0]


def _create(candidate: Scores | Estimates, kept: Path) -> int:
    _refuse_several_systems(candidate)
    candidate.save(kept)
    say(f"There was no baseline; the candidate is now the baseline {kept}.")
    return 0


def _refuse_several_systems(candidate: Scores | Estimates) -> None:
    """Raise if an update of the gate would save estimates of several systems; of scores one was chosen."""
    if len(candidate.systems) != 1:
        raise OptionError(
            "--update needs estimates of one system. Estimate the candidate alone, and save it."
        )


def _refuse_fewer_measures(
    candidate: Scores | Estimates, present: Scores | Estimates, baseline: Path
) -> None:
    """Raise if an update of the gate would remove measures from the baseline."""
    kept = {str(measure) for measure in candidate.measures}
    lost = [str(measure) for measure in present.measures if str(measure) not in kept]
    if lost:
        raise OptionError(
            f"--update would remove {', '.join(lost)} from {baseline}. Name all measures of the baseline, or "
            "leave out -m."
        )


def _write_summaries(made: Gate, summary: Path | None, junit: Path | None) -> None:
    if summary is None and junit is None:
        return

    if summary is not None:
        write_text(summary, markdown(made))
    if junit is not None:
        write_text(junit, junit_of(made))


def _update(made: Gate, candidate: Scores | Estimates, baseline: Path, allow_lower: bool) -> None:
    """Replace the baseline of the gate, unless a loss is shown or a certificate is lacking."""
    if made.may_update or allow_lower:
        with replacing_input(baseline):
            candidate.save(baseline)
        say(f"Baseline {baseline} updated.")
        return
    why = "it is not certified" if made.certify else "a loss is shown"
    say(f"The baseline was not updated: {why}. Use --allow-lower to update it anyway.")
