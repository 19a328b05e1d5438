"""Reading for trec_eval: both files are TREC text, whatever their names, and are checked more strictly."""

from __future__ import annotations

from collections.abc import Iterator

from tare import _kernels as kernels
from tare._data import Judged, Policies, Qrels, Run
from tare._data.rows import LAYOUTS, fields_of, raise_problems
from tare._files.opening import STDIN, blocks, can_be_read_again, name_of, read_all
from tare._plain_text import lines_of
from tare.errors import FormatError, UnreadableError, raise_all

__all__ = ["data_lines", "judge_run", "read_judgements"]


def read_judgements(path: str) -> Qrels:
    """Read qrels with four fields per line, integer grades and no duplicates."""
    if path == STDIN:
        raise UnreadableError(
            "the qrels cannot be read from standard input, only the run can. Name a file."
        )
    rows, reading = kernels.read_trec(blocks(path), "qrels")
    if reading.problem_count:
        raise_problems(path, reading, "qrels", rows)
    if len(rows) == 0:
        raise FormatError(f"{path}: no judgements found; the file is empty or has only comments.")
    if reading.extra_fields:
        raise FormatError(_extra_fields(path, reading.extra_fields))
    qrels = Qrels(rows, name_of(path), [])
    if any(level != int(level) for level in qrels.levels.tolist()):
        raise_all(_fractions(path))
    for finding in qrels.findings:
        if finding.kind == "duplicate judgements":
            raise FormatError(
                f"{path}: {finding.count:,} duplicate judgements ({', '.join(finding.examples)}). "
                "Each document may be judged once per query; remove one of the lines."
            )
    return qrels


def judge_run(qrels: Qrels, path: str, policies: Policies) -> Judged:
    """Join the run with the qrels; the tag of the last line names the system."""
    name = name_of(path)
    arguments = policies.arguments()
    if can_be_read_again(path):  # a second pass is needed if its queries are interleaved
        text = kernels.judge_text(qrels.index, blocks(path), **arguments)
        if text.rankings is not None:
            _refuse(name, text.reading, text.rows)
            return Judged(text.reading.tag, qrels, policies, text.rankings, rows=text.rows)
    rows, reading = kernels.read_trec(blocks(path), "run")
    if reading.problem_count:
        raise_problems(name, reading, "run", rows)
    _refuse(name, reading, len(rows))
    run = Run(rows, reading.tag, name, [])
    rankings = kernels.judge(qrels.index, run.rows, **arguments)
    return Judged(run.system, qrels, policies, rankings, rows=len(rows))


def _refuse(name: str, reading: kernels.TextReading, rows: int) -> None:
    raise_problems(name, reading, "run")
    if rows == 0:
        raise FormatError(
            f"{name}: no ranked documents found; the file is empty or has only comments."
        )


def data_lines(path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield number and fields of each line that is neither blank nor a comment."""
    text = read_all(path).decode("utf-8-sig")
    for number, line in enumerate(lines_of(text), 1):
        fields = fields_of(line)
        if fields and not fields[0].startswith("#"):
            yield number, fields


def _extra_fields(path: str, count: int) -> str:
    line, fields = next((n, f) for n, f in data_lines(path) if len(f) > 4)
    return (
        f"{path}, line {line}: expected 4 fields, found {len(fields)}. {LAYOUTS['qrels'][0]} "
        f"({count:,} such lines in total.)"
        + (
            " A run line has 6 fields: are the qrels and the run swapped?"
            if len(fields) == 6
            else ""
        )
    )


def _fractions(path: str) -> list[str]:
    return [
        f"{path}, line {line}: the grade '{grade}' is not a whole number, as trec_eval requires. "
        "`tare score` accepts fractional grades."
        for line, grade in ((n, f[3]) for n, f in data_lines(path))
        if float(grade) != int(float(grade))
    ]
