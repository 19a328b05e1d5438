"""Statistics of texts, counted by sacrebleu."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text
from tare._measures.measure import Measure
from tare.errors import MeasureError

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

__all__ = ["TOKENISERS", "counted", "signature_of"]

TOKENISERS = ("13a", "intl", "char", "zh", "ja-mecab", "ko-mecab", "none")


<<<<<<< HEAD
def scorer_of(measure: Measure, *, sentences: bool = False) -> Metric:
=======
def counterpart_of(measure: Measure, *, sentences: bool = False) -> Metric:
>>>>>>> main
    """Return sacrebleu's object for a measure; `sentences` for values of single sentences."""
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
        from sacrebleu.metrics.ter import TER
    except ImportError:
        raise MeasureError(
            f"{measure} needs sacrebleu, which is not installed: pip install 'tare-eval[mt]'."
        ) from None
    match measure.name:
        case "BLEU":
            return _bleu(BLEU, measure, sentences)
        case "chrF":
            return CHRF(
                char_order=int(measure["char"]),
                word_order=int(measure["word"]),
                beta=measure["beta"],
                lowercase=bool(measure["lowercase"]),
                whitespace=bool(measure["whitespace"]),
            )
    return TER(
        normalized=bool(measure["normalised"]),
        no_punct=not measure["punctuation"],
        asian_support=bool(measure["asian"]),
        case_sensitive=bool(measure["case"]),
    )


def _bleu(kind: Any, measure: Measure, sentences: bool) -> Metric:
    logger = logging.getLogger("sacrebleu")
    try:
        made: Metric = kind(
            lowercase=bool(measure["lowercase"]),
            tokenize=measure["tokenize"],
            smooth_method=measure["smooth"],
            smooth_value=measure["value"],
            effective_order=sentences,
            force=True,
        )
    except (ImportError, RuntimeError) as error:  # a tokeniser of sacrebleu without its package
        logger.debug("%s", error)
        raise MeasureError(
            f"{measure}: the tokeniser {measure['tokenize']} of sacrebleu needs a package that is not "
            f"installed: pip install 'sacrebleu[{str(measure['tokenize'])[:2]}]'."
        ) from None
    return made


def counted(
    measure: Measure,
    texts: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    sentences: bool,
) -> tuple[NDArray[np.float64], str]:
    """Return the statistics of each text, and sacrebleu's signature.

    Texts without references have NaN.
    """
<<<<<<< HEAD
    metric = scorer_of(measure, sentences=sentences)
=======
    metric = counterpart_of(measure, sentences=sentences)
>>>>>>> main
    size = _size(measure)
    made = np.full((len(texts), size), np.nan)
    places = [k for k, group in enumerate(references) if group]
    if places:
        most = max(len(references[k]) for k in places)
        streams = [
            [_line(references[k][r]) if r < len(references[k]) else None for k in places]
            for r in range(most)
        ]
        lines = [_line(texts[k]) for k in places]
        made[places] = metric._extract_corpus_statistics(lines, streams)  # type: ignore[arg-type]
    else:
        metric.num_refs = 0
    return made, metric.get_signature().format()


def signature_of(text: str) -> dict[str, object]:
    """Return the facts of a signature of sacrebleu, in its order.

    >>> signature_of("nrefs:1|case:mixed|version:2.6.0")
    {'nrefs': '1', 'case': 'mixed', 'version': '2.6.0'}
    """
    facts: dict[str, object] = {}
    for part in text.split("|"):
        name, _, value = part.partition(":")
        facts[name] = value
    return facts


def _size(measure: Measure) -> int:
    rule = measure.definition.summed
    assert rule is not None
    return rule.size(measure)


def _line(text: Text) -> str:
    return text if isinstance(text, str) else " ".join(text)
