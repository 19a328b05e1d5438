"""`tare text`: score summaries and other generated texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

import tare
from tare._cli.engines import EngineOfTexts
from tare._cli.output import Progress, emit
from tare._cli.results import emit_scores, exit_code, say_findings
from tare._cli.sources import prepared
from tare._cli.types import (
    ClusterOption,
    Input,
    MeasureList,
    Output,
    OutputFile,
    RangeOption,
    Several,
    Source,
    Strict,
)
from tare._cli.verb import verb
from tare._files.addresses import shown_path
from tare._measures.defaults import TEXT_MEASURES
from tare._measures.means_and_intervals import item_table
from tare._measures.names import parse_all
from tare._measures.text.evaluate_texts import evaluate_texts, with_options
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._data.summaries import Summaries

__all__ = ["text"]


@verb(
    "tare text system.txt reference.txt -m ROUGE-2 'ROUGE-L(stem=true)'",
    "tare text summaries.jsonl -m ROUGE-1.r 'V2(ROUGE-1)' --by-item --format csv",
)
def text(
    hyp: Source,
    *refs: Source,
    source: Input | None = None,
    also: Annotated[list[Input] | None, Several] = None,
    scus: Annotated[list[Input] | None, Several] = None,
    measures: MeasureList = None,
    profile: str | None = None,
    stem: bool = False,
    model: str | None = None,
    by_item: Annotated[bool, Parameter(name=["--by-item", "-q"])] = False,
    missing: Literal["zero", "skip", "error"] | None = None,
    cluster: ClusterOption = None,
    range: RangeOption = None,
    save: OutputFile | None = None,
    seed: int = 0,
    samples: int | None = None,
    strict: Strict = False,
    engine: EngineOfTexts,
    output: Output,
) -> int:
    """Score generated texts against references, and describe them with respect to their sources.

    HYP and REF are text files with one text per line; line n of each is about the same item. Or HYP alone
    is a table (.jsonl, .csv, .tsv, .parquet; columns system, item, text, references, source) or a folder
    with the folders peers and models. Text and .jsonl files may be compressed (.gz, .zst); "-" is standard
    input.

    Parameters
    ----------
    hyp
        Texts of a system, or a table or folder with all the data.
    refs
        Files of references, for text files.
    source
        File of sources, for text files; measures net of chance need it.
    also
        Text files of more systems, scored in the same table.
    scus
        Content units: pyramids (.pyr), annotated peers (.pan) or tables of answers.
    measures
        Measures such as ROUGE-2, ROUGE-2.r, 'ROUGE-L(stem=true)', net of chance as 'V2(ROUGE-1)', or a
        group: features, descriptors.
    profile
        Tokenisation for measures that do not set their own: google, lin2004 or unicode.
    stem
        Stem the tokens, for measures that do not set their own option.
    model
        Model of BERTScore and Likelihood, for measures that do not set their own: a folder, or an
        installed package that contains one.
    by_item
        Print one line per item instead of means.
    missing
        Items without a text by a system: count as empty (default), skip (default for people who also wrote
        references), or raise an error.
    save
        Write the score table to this Parquet file.
    seed
        Seed for random texts, and for intervals of BLEU, chrF and TER.
    samples
        Number of random texts for expected values without a closed form.
    """
    general = {"profile": profile, "stem": stem or None, "model": model}
    wanted = [with_options(m, general) for m in parse_all(measures or TEXT_MEASURES)]
    texts = _read(hyp, refs, source, also or [], scus or [])
    with engine.opened() as place:
        scores = evaluate_texts(
            texts,
            wanted,
            missing=missing,
            seed=seed,
            samples=samples,
            progress=Progress(unit="texts"),
            engine=place,
        )
    scores = prepared(scores, False, cluster, range, (hyp, *(also or ())))
    if by_item:
        emit(output.format, lambda: item_table(scores), lambda: item_table(scores))
        say_findings(scores.findings)
    else:
        emit_scores(output.format, scores)
    if save is not None:
        scores.save(save)
    output.write_report(scores)
    return exit_code(scores.findings, strict)


def _read(
    hyp: str, refs: tuple[str, ...], source: str | None, also: list[str], scus: list[str]
) -> Summaries:
    references = list(refs) or None
    if not also:
        return tare.read_summaries(hyp, references=references, sources=source, scus=scus or None)
    if references is None and source is None:
        raise OptionError("--also names more text files; name files of references or sources, too.")
    paths = [hyp, *also]
    stems = [shown_path(path).stem for path in paths]
    named = stems if len(set(stems)) == len(stems) else [str(shown_path(path)) for path in paths]
    named = [name.encode("utf-8", "backslashreplace").decode() for name in named]
    if len(set(named)) < len(named):
        raise OptionError("a file is named twice in HYP and --also; each file is one system.")
    systems = dict(zip(named, paths, strict=True))
    return tare.read_summaries(systems, references=references, sources=source, scus=scus or None)
