"""`tare gate`: stop a change that makes search quality worse."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tare._cli.files import check_writable
from tare._cli.options import FilePath, Format, PoolOptions, ReportFile, measure_names, verb
from tare._cli.output import emit, for_reading, say, say_findings
from tare._cli.results import write_report
from tare._cli.scores import load_scores
from tare._places import exists, written_at
from tare._writing import replacing_input, write_text
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._decide.gate.result import Gate
    from tare._decide.ppi.estimates import Estimates
    from tare._measures.scores import Scores

__all__ = ["app", "gate"]

app = verb(
    "gate",
    "tare gate qrels.txt new.run --baseline main.parquet -m nDCG@10:0.01 -m Recall@100:0.02",
    "tare gate qrels.txt new.run --baseline main.parquet -m AP:0.02 --history gate.parquet",
)


@app.default
def gate(
    source: str,
    *runs: str,
    baseline: FilePath,
    measures: Annotated[
        list[str] | None,
        Parameter(name=["--measure", "-m"], converter=measure_names, negative=""),
    ] = None,
    alpha: float = 0.05,
    on_unclear: Literal["report", "pass", "fail"] = "report",
    system: str | None = None,
    baseline_system: str | None = None,
    history: FilePath | None = None,
    looks: int | None = None,
    update: Annotated[bool, Parameter(negative="")] = False,
    allow_lower: Annotated[bool, Parameter(negative="")] = False,
    summary: FilePath | None = None,
    junit: FilePath | None = None,
    pools: PoolOptions | None = None,
    format: Format = None,
    report: ReportFile = None,
    strict: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Stop a change that makes search quality worse.

    SOURCE is qrels followed by the candidate's run, a score table that `tare score --save` or
    `tare text --save` wrote, or estimates that `tare estimate --save` wrote. The candidate is compared with
    the baseline, query by query; estimates are compared with their own standard errors. With the margin of
    each measure, the verdict is "not worse" (exit code 0), "worse" (1) or "cannot tell" (4).

    Parameters
    ----------
    source
        Judgements, a score table, or estimates.
    runs
        The candidate's run, if SOURCE is judgements.
    baseline
        Score table of the present system, written by `tare score --save`; for estimates, those of the
        present system, written by `tare estimate --save`.
    measures
        A measure and the loss that you accept, such as nDCG@10:0.01. Repeat the option for more measures.
    alpha
        Error rate: how often an unchanged system may be called worse, and a system that lost the margin
        may be called not worse.
    on_unclear
        What "cannot tell" means for the exit code: 4 (report), 0 (pass) or 1 (fail).
    system
        The candidate's system, if its score table has several.
    baseline_system
        The system of the baseline, if its table has several.
    history
        Parquet file that records each look; later looks use smaller error rates, so that all looks
        together keep alpha.
    looks
        Planned number of looks; each then uses alpha/looks.
    update
        Replace the baseline with the candidate if no measure is lower; create it if there is none.
    allow_lower
        With --update, replace the baseline even if a measure is lower.
    summary
        Write a Markdown summary to this file, for a pull request.
    junit
        Write the verdicts as JUnit XML to this file.
    strict
        Exit with code 1 if the data changed since the baseline was saved.
    """
    from tare._decide.gate.baseline import load_baseline
    from tare._decide.gate.gate import gate as decide
    from tare._decide.gate.history import GateHistory

    if allow_lower and not update:
        raise OptionError("--allow-lower needs --update.")
    if looks is not None and (looks < 1 or history is None):
        raise OptionError("--looks needs --history, and at least one look.")
    margins = _margins(measures)
    check_writable(baseline if update else None, history, summary, junit, report)
    candidate = _candidate(source, runs, list(margins), pools)
    if update:
        _refuse_several_systems(candidate)
    if update and not exists(written_at(baseline)):
        candidate.save(baseline)
        say(f"There was no baseline; the candidate is now the baseline {baseline}.")
        return 0
    past = None if history is None else GateHistory.load(history)
    same = not runs and baseline.exists() and exists(source) and baseline.samefile(source)
    present = candidate if same else load_baseline(baseline)
    if update:
        _refuse_fewer_measures(candidate, present, baseline)
    made = decide(
        candidate,
        present,
        margins,
        alpha=alpha,
        system=system,
        baseline_system=baseline_system,
        on_unclear=on_unclear,
        look=None if past is None else past.looks + 1,
        looks=looks,
    )
    emit(format, made.table, made.long_table)
    if not for_reading(format):
        say_findings(made.findings)
    if past is not None and history is not None:
        past = past.with_gate(made, datetime.now(UTC).isoformat(timespec="seconds"))
        with replacing_input(history):
            past.write(history)
    _write_summaries(made, summary, junit)
    write_report(past if past is not None else made, report)
    if update:
        _update(made, candidate, baseline, allow_lower)
    return made.exit_code or (1 if strict and made.findings else 0)


def _candidate(
    source: str, runs: tuple[str, ...], measures: list[str], pools: PoolOptions | None
) -> Scores | Estimates:
    """Load estimates, or scores as other verbs do."""
    from tare._decide.ppi.saved import is_saved

    if runs or not is_saved(source):
        return load_scores(source, runs, measures, pools=pools)
    if pools is not None and pools.given:
        raise OptionError("--pool, --corpus and --candidates need qrels and runs, not estimates.")
    from tare._decide.ppi.estimates import Estimates

    return Estimates.load(source)


def _refuse_several_systems(candidate: Scores | Estimates) -> None:
    """Raise if an update would save estimates of several systems."""
    from tare._measures.scores import Scores

    if not isinstance(candidate, Scores) and len(candidate.systems) != 1:
        raise OptionError(
            "--update needs estimates of one system. Estimate the candidate alone, and save it."
        )


def _margins(given: list[str] | None) -> dict[str, float]:
    """Parse "measure:margin"; several may be joined by spaces."""
    margins: dict[str, float] = {}
    for text in (word for one in given or [] for word in one.split()):
        name, colon, margin = text.rpartition(":")
        try:
            number = float(margin) if colon else math.nan
        except ValueError:
            number = math.nan
        if not name or not number > 0 or math.isinf(number):
            raise OptionError(
                f"-m {text}: expected a measure and the loss that you accept, such as nDCG@10:0.01."
            )
        margins[name] = number
    return margins


def _refuse_fewer_measures(
    candidate: Scores | Estimates, present: Scores | Estimates, baseline: Path
) -> None:
    """Raise if an update would remove measures from the baseline."""
    kept = {str(measure) for measure in candidate.measures}
    lost = [str(measure) for measure in present.measures if str(measure) not in kept]
    if lost:
        raise OptionError(
            f"--update would remove {', '.join(lost)} from {baseline}. Give margins for all measures of "
            "the baseline."
        )


def _write_summaries(made: Gate, summary: Path | None, junit: Path | None) -> None:
    if summary is None and junit is None:
        return
    from tare._decide.gate.summary import junit as junit_of
    from tare._decide.gate.summary import markdown

    if summary is not None:
        write_text(summary, markdown(made))
    if junit is not None:
        write_text(junit, junit_of(made))


def _update(made: Gate, candidate: Scores | Estimates, baseline: Path, allow_lower: bool) -> None:
    """Replace the baseline, unless many small losses could add up."""
    from tare._measures.scores import Scores

    if made.improved or allow_lower:
        saved = (
            candidate.select(systems=[made.system]) if isinstance(candidate, Scores) else candidate
        )
        with replacing_input(baseline):
            saved.save(baseline)
        say(f"Baseline {baseline} updated.")
        return
    lower = ", ".join(row.measure for row in made.measures if row.test.difference < 0)
    say(
        f"The baseline was not updated: {lower} is lower than before, and many small losses would add "
        "up. Use --allow-lower to update it anyway."
    )
