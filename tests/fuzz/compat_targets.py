"""Calls with hostile values: the interfaces of other programs, and score tables.

Each call returns a result, or raises an error from a raise statement of tare.
"""

from __future__ import annotations

import json
import linecache
import math
import traceback
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import tare
from tare.errors import FormatError, TareError
from tests.fuzz.hostile import restored, spoiled

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d4": 1, "d5": 0}}
RUN = {"q1": {"d1": 0.5, "d2": 2.5, "d9": 1}, "q2": {"d4": 3, "d5": 3}}
PYTREC_EVAL = {
    "qrels": QRELS,
    "run": RUN,
    "measures": ["map", "ndcg_cut.1,3", "P_5", "recip_rank", "gm_map", "num_ret"],
    "level": 1,
    "judged": False,
}
ROUGE = {
    "types": ["rouge1", "rouge2", "rougeL", "rougeLsum"],
    "stemmer": True,
    "target": "The cat sat.\nIt ran.",
    "prediction": "A cat was sitting. It ran",
    "targets": ["the cat", "It runs"],
    "confidence": 0.95,
}
STATISTICS = {
    "rows": [
        {
            "system": system,
            "item": f"i{k}",
            "measure": measure,
            "value": 10.0 * k,
            "statistics": list(sums),
            "gross": 0.5,
            "tare": 0.25,
            "ideal": 1.0,
        }
        for system in "AB"
        for k in range(2)
        for measure, sums in (
            ("BLEU", (3, 2, 1, 0, 5, 4, 3, 2, 5, 6)),
            ("chrF", (5, 6, 4) * 6),
            ("TER", (2, 6.0)),
            ("Net(AP)", ()),
            ("rating", ()),
        )
    ]
}
PACKAGE = str(Path(tare.__file__).parent)


@dataclass(frozen=True)
class Call:
    """An interface: a valid call as JSON, and the call."""

    name: str
    valid: dict[str, Any]
    run: Callable[[dict[str, Any]], Any]
    share: float = 1.0

    def input(self, random: Random) -> tuple[str, bytes]:
        """Return the valid call with a few parts changed."""
        given: Any = self.valid
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            part = random.choice(list(self.valid))
            given = {**given, part: spoiled(given[part], random)}
        return ".json", json.dumps(given).encode()

    def call(self, path: Path) -> Any:
        """Return the result; errors that tare raises become a FormatError that names the input."""
        given = {key: restored(each) for key, each in json.loads(path.read_bytes()).items()}
        try:
            return self.run(given)
        except (TareError, TypeError, ValueError, AttributeError) as error:
            if not isinstance(error, TareError) and not _raised_by_tare(error):
                raise
            raise FormatError(f"{path}: {error}") from None

    def holds(self, path: Path, result: Any) -> str | None:
        """Check that all values are finite."""
        wrong = [number for number in _numbers(result) if not math.isfinite(number)]
        return f"values that are not finite: {result}" if wrong else None


def _raised_by_tare(error: BaseException) -> bool:
    """Return whether the error comes from a raise statement of tare, not from an unexpected type."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    return last.filename.startswith(PACKAGE) and line.startswith("raise ")


def _numbers(found: Any) -> list[float]:
    if isinstance(found, dict):
        return [number for each in found.values() for number in _numbers(each)]
    if isinstance(found, tuple | list):
        return [number for each in found for number in _numbers(each)]
    return [float(found)]


def _pytrec_eval(given: dict[str, Any]) -> Any:
    from tare.compat import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(
        given["qrels"], given["measures"], given["level"], given["judged"]
    )
    found = evaluator.evaluate(given["run"])
    for measure in next(iter(found.values()), {}):
        values = [row[measure] for row in found.values()]
        pytrec_eval.compute_aggregated_measure(measure, values)
    return found


def _rouge_score(given: dict[str, Any]) -> Any:
    from tare.compat.rouge_score import rouge_scorer, scoring

    scorer = rouge_scorer.RougeScorer(given["types"], use_stemmer=given["stemmer"])
    found = [
        scorer.score(given["target"], given["prediction"]),
        scorer.score_multi(given["targets"], given["prediction"]),
    ]
    aggregator = scoring.BootstrapAggregator(given["confidence"], 20)
    for scores in found:
        aggregator.add_scores(scores)
    aggregator.aggregate()
    return found


def _statistics(given: dict[str, Any]) -> Any:
    """Load a score table with summed statistics, and use it; a warning of NumPy is an error."""
    import polars as pl

    try:
        frame = pl.DataFrame(_without_decimals(given["rows"]), strict=False)
    except (Exception, pl.exceptions.PanicException) as error:
        raise FormatError(f"not a data frame: {error}") from None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = tare.Scores.load(frame)
        scores.to_frame()
        scores.intervals(draws=5)
        if zlib.crc32(repr(given).encode(errors="replace")) % 20 == 0:
            repr(scores)  # with the usual draws, which take most of the time
        for measure in scores.measures:
            scores.contributions(measure, linearised=True)
        if len(scores.systems) > 1 and len(scores.items) > 1:
            repr(tare.compare(scores, draws=100, seed=1))
    return [mean for means in scores.means().values() for mean in means.values() if mean == mean]


def _without_decimals(given: Any) -> Any:
    """Replace decimal numbers: polars panics if one is NaN."""
    if isinstance(given, list):
        return [_without_decimals(each) for each in given]
    if isinstance(given, dict):
        return {key: _without_decimals(each) for key, each in given.items()}
    return str(given) if isinstance(given, Decimal) else given


def compat_targets() -> tuple[Call, ...]:
    """Return every interface that takes Python values."""
    return (
        Call("compat, pytrec_eval", PYTREC_EVAL, _pytrec_eval),
        Call("compat, rouge_score", ROUGE, _rouge_score),
        Call("score table, statistics", STATISTICS, _statistics, share=0.2),
    )
