"""Generated texts of `tare view`: measures, models and scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._cli.progress import Progress

if TYPE_CHECKING:
    from tare._measures.measure import Measure
    from tare._measures.scores import Scores

__all__ = ["model_digests", "text_measures", "text_scores"]


def text_measures(measures: list[str] | None, model: str | None) -> list[Measure]:
    """Return the measures; with a model, BERTScore is one of them."""
    from tare._measures.defaults import TEXT_MEASURES
    from tare._measures.names import parse, parse_all
    from tare._measures.text.evaluate_texts import with_options

    wanted = [with_options(m, {"model": model}) for m in parse_all(measures or TEXT_MEASURES[:3])]
    if model is not None and not any(m.definition.name == "BERTScore" for m in wanted):
        wanted.append(with_options(parse("BERTScore"), {"model": model}))
    return list(dict.fromkeys(wanted))


def model_digests(measures: list[Measure]) -> list[tuple[str, str]]:
    """Return the digest of every model, so that another model makes another index."""
    from tare._measures.text.embedding.encoder import find_model

    made = []
    for inner in dict.fromkeys(m.innermost for m in measures):
        if inner.definition.name == "BERTScore":
            found = find_model(inner["model"], download=inner["download"])
            made.append((inner.text, found.digest))
    return made


def text_scores(texts: Path, measures: list[Measure], resources: dict[Any, Any]) -> Scores:
    """Return the scores of generated texts; models that were loaded are added to the resources."""
    from tare._data.summaries import read_summaries
    from tare._measures.text.evaluate_texts import score_texts

    return score_texts(
        read_summaries(texts), tuple(measures), progress=Progress(unit="texts"), resources=resources
    )
