"""Measures of translations, counted by sacrebleu: BLEU, chrF and TER."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text
from tare._measures.aggregation import SummedRule
from tare._measures.definition import Definition, Parameter, Value
from tare._measures.measure import Measure
from tare.errors import MeasureError

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

    from tare._measures.text.cells import TextEvaluation, Values

__all__ = ["DEFINITIONS", "TOKENISERS", "bleu", "chrf", "counted", "signature_of", "ter"]


# BLEU, chrF and TER from their statistics, with sacrebleu's floating-point operations.


SMOOTHING = {"none": None, "exp": None, "floor": 0.1, "add-k": 1.0}


def bleu(row: Sequence[float], smooth: str, value: float | None, *, effective: bool) -> float:
    """Return BLEU of a translation's statistics: length, length of the references, matches and n-grams of each order.

    `effective` leaves out the orders above the longest n-gram, as for single sentences.

    >>> bleu([4, 4, 4, 3, 2, 1, 4, 3, 2, 1], "exp", None, effective=False)
    100.00000000000004
    """
    length, reference, *counts = row
    order = len(counts) // 2
    matches, grams = counts[:order], counts[order:]
    if not length or not any(matches):  # a file can contain matches of a text without words
        return 0.0
    added = SMOOTHING[smooth] if value is None else value
    precisions: list[float] = []
    halved = 1.0
    for n, (match, total) in enumerate(zip(matches, grams, strict=True)):
        if smooth == "add-k" and n:
            match, total = match + (added or 0.0), total + (added or 0.0)
        if total == 0:
            break
        if match:
            precisions.append(100.0 * match / total)
        elif smooth == "exp":
            halved *= 2
            precisions.append(100.0 / (halved * total))
        else:
            precisions.append(100.0 * (added or 0.0) / total if smooth == "floor" else 0.0)
    used = len(precisions) if effective else order
    if len(precisions) < used or not all(precisions):
        return 0.0
    brevity = math.exp(1 - reference / length) if length < reference else 1.0
    return brevity * math.exp(sum([math.log(p) for p in precisions]) / used)


def chrf(row: Sequence[float], beta: float) -> float:
    """Return chrF of a translation's statistics: n-grams of the text, of the reference, matches of each order.

    >>> chrf([4, 4, 2], 2)
    50.0
    """
    precision = recall = 0.0
    orders = 0
    factor = beta**2
    for k in range(0, len(row), 3):
        here, there, match = row[k : k + 3]
        if here > 0 and there > 0:
            precision += match / here
            recall += match / there
            orders += 1
    if not orders or not precision + recall:
        return 0.0
    precision /= orders
    recall /= orders
    score = (1 + factor) * precision * recall
    score /= (factor * precision) + recall
    return 100 * score


def ter(row: Sequence[float]) -> float:
    """Return TER of a translation's statistics: edits and mean length of the references.

    >>> ter([1, 4])
    25.0
    """
    edits, length = row
    if length > 0:
        return 100 * (edits / length)
    return 100.0 if edits > 0 else 0.0


# Statistics of texts, counted by sacrebleu.


TOKENISERS = ("13a", "intl", "char", "zh", "ja-mecab", "ko-mecab", "none")


def counterpart_of(measure: Measure, *, sentences: bool = False) -> Metric:
    """Return sacrebleu's object for a measure of translations; `sentences` for values of single sentences."""
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
    """Return sacrebleu's statistics of each translation, and its signature.

    Texts without references have NaN.
    """
    metric = counterpart_of(measure, sentences=sentences)
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
    """Return the facts of a signature of sacrebleu (BLEU, chrF, TER), in its order.

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


# BLEU, chrF and TER in the registry.


PAPINENI = (
    "Papineni, Roukos, Ward, Zhu. Bleu: a Method for Automatic Evaluation of Machine Translation. ACL 2002; "
    "Post. A Call for Clarity in Reporting BLEU Scores. WMT 2018."
)
POPOVIC = "Popović. chrF: character n-gram F-score for automatic MT evaluation. WMT 2015."
SNOVER = (
    "Snover, Dorr, Schwartz, Micciulla, Makhoul. A Study of Translation Edit Rate with Targeted Human "
    "Annotation. AMTA 2006."
)
ORDER = 4
MEAN = Parameter(
    "mean",
    "choice",
    "statistics",
    "Over a set: from the summed statistics of all texts, as sacrebleu's corpus scores; or the mean of the "
    "sentences' values (items).",
    choices=("statistics", "items"),
)
LOWERCASE = Parameter("lowercase", "flag", False, "Ignore case.")
BLEU_PARAMETERS = (
    Parameter(
        "tokenize",
        "choice",
        "13a",
        "sacrebleu's tokeniser; ja-mecab and ko-mecab need their packages.",
        choices=TOKENISERS,
    ),
    LOWERCASE,
    Parameter(
        "smooth",
        "choice",
        "exp",
        "Orders without a match: exp, floor, add-k or none.",
        choices=tuple(SMOOTHING),
    ),
    Parameter("value", "number", None, "The value of floor (0.1) and add-k (1).", low=0),
    MEAN,
)
CHRF_PARAMETERS = (
    Parameter("word", "integer", 0, "The longest word n-gram; 2 is chrF++.", low=0, high=9),
    Parameter("char", "integer", 6, "The longest character n-gram.", low=1, high=20),
    Parameter("beta", "number", 2, "Weight of recall against precision.", low=0, high=1e6),
    LOWERCASE,
    Parameter("whitespace", "flag", False, "Count white space as characters."),
    MEAN,
)
TER_PARAMETERS = (
    Parameter("normalised", "flag", False, "Normalise characters and split punctuation first."),
    Parameter("punctuation", "flag", True, "Keep punctuation."),
    Parameter("asian", "flag", False, "Treat Chinese, Japanese and Korean characters as words."),
    Parameter("case", "flag", False, "Distinguish upper and lower case."),
    MEAN,
)
NOTES = (
    "sacrebleu counts (extra `mt`), and its signature is part of the signature. The value of a set is computed "
    "from summed statistics and equals sacrebleu's corpus score; intervals and `tare compare` resample and swap "
    "the statistics. The values of single items are sacrebleu's sentence scores, from 0 to 100."
)
NO_NET = "it is computed from the summed statistics of all texts, not from a value per text"


def _combine_bleu(measure: Measure, rows: Values) -> Values:
    return _bleus(measure, rows, effective=False)


def _bleus(measure: Measure, rows: Values, *, effective: bool) -> Values:
    smooth, value = measure["smooth"], measure["value"]
    return np.array(
        [
            bleu(row, smooth, value, effective=effective) if row[0] == row[0] else np.nan
            for row in rows.tolist()
        ]
    )


def _combine_chrf(measure: Measure, rows: Values) -> Values:
    return np.array([chrf(r, measure["beta"]) if r[0] == r[0] else np.nan for r in rows.tolist()])


def _combine_ter(measure: Measure, rows: Values) -> Values:
    return np.array([ter(row) if row[0] == row[0] else np.nan for row in rows.tolist()])


RULES = {
    "BLEU": SummedRule(lambda measure: 2 + 2 * ORDER, _combine_bleu),
    "chrF": SummedRule(lambda measure: 3 * int(measure["char"] + measure["word"]), _combine_chrf),
    "TER": SummedRule(lambda measure: 2, _combine_ter, whole=False),
}


def _values(evaluation: TextEvaluation, measure: Measure) -> Values:
    """Return BLEU, chrF or TER of each sentence; the statistics are kept for the value of the set."""
    cells = evaluation.cells
    sentences = measure["mean"] == "items"
    key = ("sacrebleu", measure)
    rows, signature = evaluation.shared(
        key, lambda: counted(measure, cells.candidates, cells.references, sentences=sentences)
    )
    facts = signature_of(signature) | ({"mean": "items"} if sentences else {})
    evaluation.set_facts(measure, facts, evaluation.without("references", "references"))
    evaluation.set_parts(measure, statistics=rows)
    if measure.name == "BLEU":
        return _bleus(measure, rows, effective=True)
    return RULES[measure.name].combine(measure, rows)


def _settle(name: str, given: dict[str, Value]) -> dict[str, Value]:
    if given.get("value") is not None and given.get("smooth", "exp") not in ("floor", "add-k"):
        raise MeasureError(f"{name}: value belongs to smooth=floor or smooth=add-k.")
    return given


DEFINITIONS = (
    Definition(
        "BLEU",
        "BLEU: n-gram precision with a brevity penalty",
        "BP · exp(Σ log p_n / 4), p_n = matching n-grams / n-grams over all texts, n ≤ 4; BP = exp(1 − r/c) if "
        "the texts are shorter than the references",
        PAPINENI,
        BLEU_PARAMETERS,
        bounds=(0, 100),
        aggregate="statistics",
        family="text",
        needs="references",
        aliases=("bleu",),
        settle=_settle,
        derive=_values,
        summed=RULES["BLEU"],
        notes=NOTES,
        without_net=NO_NET,
    ),
    Definition(
        "chrF",
        "chrF: F of character n-grams",
        "F_β of the mean precision and recall of character n-grams (n ≤ 6) over all texts, with word n-grams in "
        "chrF++",
        POPOVIC,
        CHRF_PARAMETERS,
        bounds=(0, 100),
        aggregate="statistics",
        family="text",
        needs="references",
        aliases=("chrf",),
        derive=_values,
        summed=RULES["chrF"],
        notes=NOTES + " `chrF++` is `chrF(word=2)`.",
        without_net=NO_NET,
    ),
    Definition(
        "TER",
        "TER: translation edit rate",
        "100 · Σ edits to the nearest reference / Σ mean length of the references; an edit inserts, deletes, "
        "replaces or moves",
        SNOVER,
        TER_PARAMETERS,
        bounds=(0, None),
        aggregate="statistics",
        better="lower",
        family="text",
        needs="references",
        aliases=("ter",),
        derive=_values,
        summed=RULES["TER"],
        notes=NOTES + " Lower is better.",
        without_net=NO_NET,
    ),
)
