"""A provider for ir_measures 0.4, with measures net of chance.

Importing this module registers the provider `tare` and the measures `Net`, `E` and `V2`, which can then
be used wherever ir_measures takes a measure, such as in an experiment of PyTerrier. `Net(nDCG @ 10,
pool="judged")` is the measure net of chance, `E` its expected value under chance, and `V2` the normalised
score as published. `pool` is what could have been ranked: "judged", "union", or "corpus" with `corpus=` the
number of documents.

For a set of queries, Net is a ratio of means. Its values by query are contributions, gain/(mean room), so that
their mean, which ir_measures and PyTerrier compute, is Net of the set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tare._measures.evaluate_rankings import evaluate
from tare._measures.names import parse
from tare.errors import MeasureError, MissingExtraError

try:
    import ir_measures
    from ir_measures.measures.base import ParamInfo
except ImportError:
    raise MissingExtraError("ir_measures", None, "tare.compat.ir_measures") from None

__all__ = ["V2", "E", "Net", "TareProvider", "tare_provider"]

NAMES = {
    "AP": "AP",
    "Bpref": "bpref",
    "ERR": "ERR",
    "P": "P",
    "R": "Recall",
    "RBP": "RBP",
    "RR": "RR",
    "Rprec": "Rprec",
    "Success": "Success",
    "infAP": "infAP",
    "nDCG": "nDCG",
}
"""The measures of ir_measures that tare computes in the same way, with their names in tare."""


class _ChanceMeasure(ir_measures.Measure):  # type: ignore[misc]
    """A measure that relates another one to chance."""

    __name__ = NAME = "Chance"
    SUPPORTED_PARAMS = {  # noqa: RUF012 (declared so by the base class)
        "of": ParamInfo(dtype=str, required=True, desc="the measure, such as 'nDCG@10'"),
        "pool": ParamInfo(default=None, desc="what could have been ranked: judged, union, corpus"),
        "corpus": ParamInfo(dtype=int, default=None, desc="the number of documents"),
    }

    def __call__(self, of: Any = None, **parameters: Any) -> _ChanceMeasure:
        """Return the measure of another one: `Net(nDCG @ 10, pool="judged")`."""
        given = {} if of is None else {"of": of if isinstance(of, str) else _tare_name(of)}
        return type(self)(**{**self.params, **given, **parameters})

    @property
    def text(self) -> str:
        """The measure in tare's notation."""
        if "of" not in self.params:
            raise MeasureError(f"{self.NAME} needs a measure, such as {self.NAME}(nDCG@10).")
        return f"{self.NAME}({self.params['of']})"


class _Net(_ChanceMeasure):
    """Net of chance, as a measure of ir_measures: (A − E)/(U − E), 0 at chance and 1 for the ideal ranking."""

    __name__ = NAME = "Net"


class _E(_ChanceMeasure):
    """The expected value under chance."""

    __name__ = NAME = "E"


class _V2(_ChanceMeasure):
    """The normalised score V2, as published."""

    __name__ = NAME = "V2"


Net = _Net()
"""`Net(nDCG @ 10, pool="judged")`: the measure net of chance.

For a set of queries, Net is a ratio of means. The values by query are contributions to it, gain/(mean
room), so that their mean, which ir_measures and PyTerrier compute, is Net of the set.
"""
E = _E()
"""`E(nDCG @ 10, pool="judged")`: the expected value of the measure under chance."""
V2 = _V2()
"""`V2(nDCG @ 10, pool="judged")`: the measure normalised by chance and the ideal, by query."""


class TareProvider(ir_measures.Provider):  # type: ignore[misc]
    """Computes measures of ir_measures by tare, with one rule for ties.

    Examples
    --------
    >>> from ir_measures import RR, nDCG
    >>> qrels, run = {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    >>> found = tare_provider.calc_aggregate([RR, RR @ 10, Net(RR, pool="judged")], qrels, run)
    >>> {str(measure): round(value, 3) for measure, value in sorted(found.items(), key=str)}
    {"Net(of='RR',pool='judged')": -0.714, 'RR': 0.333, 'RR@10': 0.333}
    """

    NAME = "tare"

    def supports(self, measure: Any) -> bool:
        """Return whether tare computes a measure.

        Parameters
        ----------
        measure : ir_measures.Measure
            The measure.

        Returns
        -------
        bool
            True for `Net`, `E`, `V2`, and for measures that mean the same in both programs.
        """
        measure.validate_params()
        if isinstance(measure, _ChanceMeasure):
            parse(measure.text)  # raises an error that says what is wrong
            return True
        try:
            parse(_tare_name(measure))
        except MeasureError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(list(measures), ir_measures.util.QrelsConverter(qrels).as_dict_of_dict())


class _Evaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """Evaluates runs against qrels for ir_measures; pools of several kinds are evaluated one after the other."""

    def __init__(self, measures: list[Any], qrels: dict[str, dict[str, int]]) -> None:
        super().__init__(measures, qrels.keys())
        self._qrels = qrels

    def _of_no_query(self) -> dict[str, dict[str, float]]:
        """Return a run for ir_measures that answers one query, which is not judged."""
        other, documents = next(iter(self._qrels.items()), ("0", {}))
        while other in self._qrels:
            other += "0"
        return {other: {next(iter(documents), "0"): 0.0}}

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        scored = ir_measures.util.RunConverter(run).as_dict_of_dict()
        if not any(scored.values()):  # PyTerrier evaluates queries that no system answered so
            scored = self._of_no_query()
        by_pool: dict[tuple[Any, Any], dict[Any, str]] = {}
        for measure in self.measures:
            chance = isinstance(measure, _ChanceMeasure)
            pool = (measure["pool"], measure["corpus"]) if chance else (None, None)
            text = measure.text if chance else _tare_name(measure)
            by_pool.setdefault(pool, {})[measure] = text
        for (pool, corpus), texts in by_pool.items():
            wanted = list(dict.fromkeys(texts.values()))
            scores = evaluate(self._qrels, scored, wanted, pool=pool, corpus=corpus)
            for measure, text in texts.items():
                at = wanted.index(text)
                ratio = scores.ratios.get(scores.measures[at])
                values = scores.values[0, :, at] if ratio is None else ratio.contributions()[0]
                for query, value in zip(scores.items, values.tolist(), strict=True):
                    yield ir_measures.Metric(query_id=query, measure=measure, value=value)


def _tare_name(measure: Any) -> str:
    """Return a measure of ir_measures in tare's notation."""
    name = NAMES.get(measure.NAME)
    if name is None:
        raise MeasureError(f"{measure} has no equal in tare; accepted: {', '.join(NAMES)}.")
    cutoff, options = "", ["lmax=4"] if name == "ERR" else []  # the largest grade of gdeval
    for key, value in measure.params.items():
        if key == "cutoff":
            cutoff = f"@{value}"
        elif key in ("rel", "p"):
            options.append(f"{key}={value}")
        elif key == "dcg" and value == "exp-log2":
            options.append("gain=exp2")
        elif value != measure.SUPPORTED_PARAMS[key].default:
            raise MeasureError(f"{measure}: tare has no parameter {key}={value!r}.")
    return name + (f"({','.join(options)})" if options else "") + cutoff


def _register() -> TareProvider:
    registered: TareProvider | None = ir_measures.providers.registry.get("tare")
    if registered is not None:
        return registered
    provider = TareProvider()
    ir_measures.providers.register(provider)
    ir_measures.DefaultPipeline.providers.append(provider)
    for measure in (Net, E, V2):
        ir_measures.measures.base.register(type(measure), name=measure.NAME)
    return provider


tare_provider = _register()
"""The registered provider."""
