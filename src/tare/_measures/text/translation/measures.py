"""BLEU, chrF and TER in the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter, Value
from tare._measures.summed_statistics import SummedRule
from tare._measures.text.translation.formulas import SMOOTHING, bleu, chrf, ter
from tare._measures.text.translation.sacrebleu import TOKENISERS, counted, signature_of
from tare.errors import MeasureError

if TYPE_CHECKING:
    from tare._measures.text.evaluation import TextEvaluation, Values

__all__ = ["DEFINITIONS"]

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
    """Return the value of each sentence; the statistics are kept for the value of the set."""
    cells = evaluation.cells
    sentences = measure["mean"] == "items"
    key = ("sacrebleu", measure)
    rows, signature = evaluation.shared(
        key, lambda: counted(measure, cells.candidates, cells.references, sentences=sentences)
    )
    facts = signature_of(signature) | ({"mean": "items"} if sentences else {})
    evaluation.set_facts(measure, facts, evaluation.without("references", "references"))
    evaluation.statistics[measure] = rows
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
