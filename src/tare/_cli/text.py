"""`tare text`: summaries and other generated texts against references and sources."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from tare._cli.options import Format, ReportFile
from tare._cli.output import Parts, emit, tell_findings
from tare._cli.reporting import can_be_written, tell
from tare._cli.source import Source, refuse_options
from tare._cli.verb import verb

if TYPE_CHECKING:
    from tare._data.summaries import Summaries
    from tare._measures.measure import Measure

__all__ = ["app", "text"]

MODELS = ("BERTScore", "Likelihood")  # ROUGE-BE's model is a parser
DEFAULT_MEASURES = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum")

app = verb(
    "text",
    "tare text system.txt reference.txt -m ROUGE-2 'ROUGE-L(stem=true)'",
    "tare text summaries.jsonl -m ROUGE-1.r 'V2(ROUGE-1)' --by-item --format csv",
)


@app.default
def text(
    hyp: Source,
    *refs: Source,
    source: str | None = None,
    also: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    scus: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True)
    ] = None,
    profile: str | None = None,
    stem: Annotated[bool, Parameter(negative="")] = False,
    model: str | None = None,
    by_item: Annotated[bool, Parameter(name=["--by-item", "-q"], negative="")] = False,
    missing: Literal["zero", "skip", "error"] | None = None,
    format: Format = None,
    save: Path | None = None,
    report: ReportFile = None,
    seed: int = 0,
    samples: int | None = None,
    engine: Literal["local", "ray"] | None = None,
    address: str | None = None,
    strict: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Score generated texts against references, and describe them beside their sources.

    HYP and REF are text files with a text a line, line n of each about the same item; or HYP alone
    is a table (.jsonl, .csv, .tsv, .parquet; columns system, item, text, references, source) or a
    folder with the folders peers and models. Texts and .jsonl also as .gz or .zst; "-" is standard
    input.

    Parameters
    ----------
    hyp
        The texts of a system, or a table or folder with everything in it.
    refs
        Files of references, for text files.
    source
        The file of sources, for text files; what is measured net of chance needs them.
    also
        Text files of more systems, scored beside HYP.
    scus
        Content units: pyramids (.pyr), annotated peers (.pan) or tables of answers.
    measures
        Measures such as ROUGE-2, ROUGE-2.r, 'ROUGE-L(stem=true)', net of chance as 'V2(ROUGE-1)', or
        a group: features, descriptors.
    profile
        How text becomes tokens, for measures that do not say: google, lin2004 or unicode.
    stem
        Stem the tokens, for measures that do not say.
    model
        The model of BERTScore and Likelihood, for measures that do not say: a folder, or an installed
        package that carries one.
    by_item
        Print a line an item instead of means.
    missing
        Items that a system has no text about: count as empty (default), leave out (default for people
        who wrote references too), or refuse.
    save
        Write the score table to this Parquet file.
    seed
        For the bootstrap intervals and for random texts.
    samples
        Random texts where an expected value has no closed form.
    engine
        Where BERTScore is computed: ray has workers that each load the model once, on a GPU if any.
    address
        The Ray cluster, such as auto or head:6379; one on this machine if not said.
    strict
        Exit with 1 if there are findings.
    """
    import tare.chance  # noqa: F401 (makes its measures known)
    from tare._cli.engine import EngineOptions
    from tare._measures.names import parse_all
    from tare._measures.score_table import item_table, long_table, score_table
    from tare._measures.text.evaluate import evaluate_texts

    refuse_options(hyp, *refs)
    can_be_written(save, report)
    general = {"profile": profile, "stem": stem or None, "model": model}
    wanted = [_with(m, general) for m in parse_all(measures or DEFAULT_MEASURES)]
    texts = _read(hyp, refs, source, also or [], scus or [])
    with EngineOptions(engine, address=address).opened() as place:
        scores = evaluate_texts(
            texts,
            wanted,
            missing=missing,
            seed=seed,
            samples=samples,
            progress=Parts("texts"),
            engine=place,
        )
    if by_item:
        emit(format, lambda: item_table(scores), lambda: item_table(scores))
    else:
        emit(format, lambda: score_table(scores), lambda: long_table(scores))
    told = not by_item and (format == "table" or (format is None and sys.stdout.isatty()))
    if not told:
        tell_findings(scores.findings)
    if save is not None:
        scores.save(save)
    tell(scores, report)
    warnings = any(finding.severity != "note" for finding in scores.findings)
    return 1 if strict and warnings else 0


def _with(measure: Measure, general: dict[str, Any]) -> Measure:
    """The measure with the options that hold for all, where it has such and says none."""
    from tare._measures.measure import make

    if measure.inner is not None:
        return replace(measure, inner=_with(measure.inner, general))
    known = {p.name for p in measure.definition.parameters if p.name != "model"}
    if measure.definition.name in MODELS:
        known.add("model")
    said = dict(measure.parameters)
    added = {k: v for k, v in general.items() if v is not None and k in known and k not in said}
    if not added:
        return measure
    return make(measure.full_name, {**added, **said}, cutoff=measure.cutoff)


def _read(
    hyp: str, refs: tuple[str, ...], source: str | None, also: list[str], scus: list[str]
) -> Summaries:
    from tare._data.summaries import read_summaries
    from tare.errors import OptionError

    references = list(refs) or None
    if not also:
        return read_summaries(hyp, references=references, sources=source, scus=scus or None)
    if references is None and source is None:
        raise OptionError("--also names more text files; they need files of references or sources.")
    paths = [hyp, *also]
    stems = [Path(path).stem for path in paths]
    named = stems if len(set(stems)) == len(stems) else paths
    if len(set(named)) < len(named):
        raise OptionError(f"{hyp} and --also name a file twice; each is one system.")
    systems = dict(zip(named, paths, strict=True))
    return read_summaries(systems, references=references, sources=source, scus=scus or None)
