"""`tare view`: a local page that shows rankings, texts or answers one query at a time."""

from __future__ import annotations

import glob
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._cli.files import check_file
from tare._cli.output import Progress, say
from tare._cli.sources import load_scores_with_chance
from tare._cli.types import (
    AnswerFiles,
    Input,
    InputFile,
    MeasureList,
    OutputFile,
    Pools,
    SystemNamesOption,
    chosen_columns,
)
from tare._cli.verb import verb
from tare._data.summaries import read_summaries
from tare._measures.defaults import TEXT_MEASURES
from tare._measures.evaluate_rankings import need_of
from tare._measures.names import parse, parse_all
from tare._measures.text.embedding.encoder import find_model
from tare._measures.text.evaluate_texts import score_texts, with_options
from tare._plain_text import plain
from tare.errors import MissingExtraError, OptionError, UnreadableError

if TYPE_CHECKING:
    from tare._measures.measure import Measure
    from tare._measures.scores import Scores
    from tare._web.view import ViewInputs

__all__ = ["model_digests", "text_measures", "text_scores", "view"]


# Generated texts of `tare view`: measures, models and scores.


def text_measures(measures: list[str] | None, model: str | None) -> list[Measure]:
    """Return the text measures of `tare view`; with a model, BERTScore is one of them."""
    wanted = [with_options(m, {"model": model}) for m in parse_all(measures or TEXT_MEASURES[:3])]
    if model is not None and not any(m.definition.name == "BERTScore" for m in wanted):
        wanted.append(with_options(parse("BERTScore"), {"model": model}))
    return list(dict.fromkeys(wanted))


def model_digests(measures: list[Measure]) -> list[tuple[str, str]]:
    """Return the digest of every model of `tare view`, so that another model makes another index."""
    made = []
    for inner in dict.fromkeys(m.innermost for m in measures):
        if inner.definition.name == "BERTScore":
            found = find_model(inner["model"], download=inner["download"])
            made.append((inner.text, found.digest))
    return made


def text_scores(texts: Path, measures: list[Measure], resources: dict[Any, Any]) -> Scores:
    """Return the scores of generated texts to view; models that were loaded are added to the resources."""
    return score_texts(
        read_summaries(texts), tuple(measures), progress=Progress(unit="texts"), resources=resources
    )


MAX_DEPTH = 1000


@verb(
    "tare view qrels.txt bm25.run dense.run --documents documents.tsv --index-only",
    "tare view --answers assignments.jsonl --index-only",
)
def view(
    qrels: Input | None = None,
    *runs: Input,
    measures: MeasureList = None,
    queries: InputFile | None = None,
    documents: str | None = None,
    texts: InputFile | None = None,
    model: str | None = None,
    depth: int = 100,
    index: OutputFile | None = None,
    index_only: bool = False,
    notes: OutputFile | None = None,
    port: int = 0,
    system_names: SystemNamesOption = "file",
    pools: Pools,
    nuggets: AnswerFiles,
) -> None:
    """Explore rankings query by query on a local page.

    The page lists the queries with the scores of two systems, sorts and filters them, and shows both
    rankings of a query side by side, with grades, texts, and what each document adds to the measure.
    With --texts it shows generated texts, and with --answers the nuggets that answers support. It is served on 127.0.0.1 to the holder of the printed link, until Ctrl-C is pressed.

    The first call builds an index next to the qrels, in the folder .tare-view. Later calls reuse it while
    the files are unchanged.

    Parameters
    ----------
    qrels
        Judgements: grades, or preferences between documents with measures of preferences such as
        nPrf@10. Not with --texts or --answers.
    runs
        Runs to compare.
    measures
        Measures to show, the most important first (default: nDCG@10 and AP; with --texts, ROUGE; with
        --answers, the measures of nuggets).
    queries
        Texts of the queries: JSON lines with id and text, or lines with id, tab and text. The table filters by
        their other fields, or by the other columns if the first line names the columns.
    documents
        Texts of the documents: such a file, a folder with one file per document, or
        ir_datasets:ID, which is read from its local cache and never downloaded.
    texts
        Instead of qrels and runs: generated texts with references, and sources if there are any, as
        `tare text` reads them (.jsonl, .csv, .parquet). The page marks what matches. With --answers: the
        texts of the answers (system, item, text).
    model
        With --texts: model of BERTScore, a folder or an installed package that contains one. BERTScore is
        added to the measures, and its pages show the nearest token of each token. Needs the extra bert.
    depth
        Documents per query that the index keeps.
    index
        File of the index (default: in the folder .tare-view next to the qrels).
    index_only
        Build the index, print its file name and stop.
    notes
        File of your notes (default: QRELS.notes.jsonl, next to the qrels). Several explorers can share it.
    port
        Port to listen on (default: a free one).
    """
    answers = nuggets
    answers.refuse_without_answers()
    others = bool(qrels or runs or documents or (pools.given))
    if model is not None and (texts is None or answers.answers is not None):
        raise OptionError(
            "--model is the model of BERTScore for generated texts; add --texts FILE."
        )
    if answers.answers is not None:
        if others:
            raise OptionError("--answers replaces qrels, runs, --documents and pools.")
        inputs = _answer_inputs(answers, texts, queries, measures)
    elif texts is not None:
        if others or queries:
            raise OptionError("--texts replaces qrels, runs, --queries, --documents and pools.")
        wanted = text_measures(measures, model)
        inputs = _text_inputs(texts, wanted)
    else:
        inputs = _inputs(qrels, runs, measures, queries, documents, depth, system_names, pools)
    opened_index = _view().opened_index
    resources: dict[Any, Any] = {}

    def scored() -> Any:
        if inputs.answers is not None:
            return inputs.answers.scores(measures)
        if texts is not None:
            return text_scores(texts, wanted, resources)
        files = [str(run) for run in inputs.runs]
        source = str(inputs.qrels)
        return load_scores_with_chance(
            source, files, measures, pools=pools, system_names=system_names
        )

    kept = Path(f"{inputs.qrels}.notes.jsonl") if notes is None else notes
    written = None if index_only else _view().Notes(kept)  # refused before the work
    start = time.perf_counter()
    found = opened_index(inputs, scored, path=index, say=say, resources=resources)
    with closing(found):
        say(
            f"{found.count:,} {found.noun[1]} and {len(found.systems)} systems in {time.perf_counter() - start:.1f} s."
        )
        if written is None:
            print(plain(str(found.path)) if sys.stdout.isatty() else found.path)
            return
        _serve(found, written, port, inputs.qrels.name)


def _answer_inputs(
    given: AnswerFiles, texts: Path | None, queries: Path | None, measures: list[str] | None
) -> ViewInputs:
    """Return the inputs of a view of answers."""
    opened = _view()
    files = opened.AnswerFiles(
        tuple(given.answers or ()),
        tuple(given.nuggets or ()),
        tuple(given.elsewhere or ()),
        () if texts is None else (texts,),
        given.assigner,
        tuple((chosen_columns(given.column) or {}).items()),
        given.missing,
        given.unassigned,
        given.refusals,
    )
    for path in (*files.files, *([queries] if queries else [])):
        check_file(path, "tare view")
    chosen = (("measures", ",".join(measures or ())), *files.options())
    made: ViewInputs = opened.ViewInputs(
        files.assignments[0], (), queries, options=chosen, answers=files
    )
    return made


def _text_inputs(texts: Path, measures: list[Measure]) -> ViewInputs:
    """Return the inputs of `tare view` for generated texts."""
    check_file(texts, "tare view")
    chosen = (("measures", ",".join(m.text for m in measures)), *model_digests(measures))
    made: ViewInputs = _view().ViewInputs(texts, (), options=chosen, of_texts=True)
    return made


def _inputs(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: list[str] | None,
    queries: Path | None,
    documents: str | None,
    depth: int,
    system_names: str,
    pools: Pools,
) -> ViewInputs:
    """Return the inputs of `tare view` from the files of the call, after checking that they exist."""
    if not qrels or not runs:
        missing = "run was" if qrels else "file was"
        raise OptionError(
            f"no {missing} given. Usage: tare view QRELS RUN…, tare view --texts FILE, or tare "
            "view --answers FILE"
        )
    if not 1 <= depth <= MAX_DEPTH:
        raise OptionError(f"--depth {depth}: expected a number from 1 to {MAX_DEPTH:,}.")
    named = [path for run in runs for path in (sorted(glob.glob(run)) or [run])]  # noqa: PTH207 (as the readers do)
    files = [Path(qrels), *map(Path, named), *([queries] if queries else [])]
    place = None if documents is None or documents.startswith("ir_datasets:") else Path(documents)
    if place is not None and not place.exists():
        raise UnreadableError(f"{plain(str(place))}: no such file or folder.")
    for path in files:
        check_file(path, "tare view")
    preferences = _needs_preferences(measures)
    chosen = [("measures", ",".join(measures or ())), ("names", system_names)]
    if pools.given:
        chosen += [(name, str(value)) for name, value in sorted(pools.arguments().items())]
    made: ViewInputs = _view().ViewInputs(
        Path(qrels),
        tuple(map(Path, named)),
        queries,
        documents,
        depth,
        tuple(chosen),
        of_preferences=preferences,
    )
    return made


def _needs_preferences(measures: list[str] | None) -> bool:
    """Return whether the measures of `tare view` are computed from preferences between documents, not grades."""
    needs = {need_of(measure): measure for measure in parse_all(measures)} if measures else {}
    for need, measure in needs.items():
        if need not in ("grades", "preferences"):
            raise OptionError(
                f"tare view shows grades and preferences between documents; {measure} needs {need}. "
                "Choose other measures, such as nDCG@10 or nPrf@10."
            )
    if len(needs) > 1:
        raise OptionError(
            f"{needs['grades']} needs grades, and {needs['preferences']} needs preferences. Look at them "
            "separately, each with its own file."
        )
    return "preferences" in needs


def _serve(index: Any, notes: Any, port: int, title: str) -> None:
    """Serve the page of `tare view` on a port of this machine until it is stopped."""
    from tare._web.guard import Access, new_token
    from tare._web.judge.server import listen, server_of
    from tare._web.view.server import ServedView, application

    if not 0 <= port < 65_536:
        raise OptionError(f"--port {port}: expected a port from 0 to 65535; 0 is a free one.")
    access = Access(new_token())
    served = ServedView(index, notes, access, title)
    with listen("127.0.0.1", port) as opened:  # the link works as soon as it is printed
        print(f"http://127.0.0.1:{opened.getsockname()[1]}/open/{access.token}", flush=True)
        say("Open this link in a browser. Press Ctrl-C to stop.")
        server_of(application(served)).run(sockets=[opened])


def _view() -> Any:
    """Return the explorer's package, if its dependencies are installed."""
    try:
        import tare._web.view as found
    except ImportError as error:
        package = str(error.name).split(".")[0]
        raise MissingExtraError(package, "app", "The explorer") from None
    return found
