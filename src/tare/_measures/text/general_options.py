"""Options for all measures that take them: the profile, stemming, the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tare._measures.measure import Measure, make

__all__ = ["with_options"]

MODELS = ("BERTScore", "Likelihood")  # the model of ROUGE-BE is a parser, so it is not listed


def with_options(measure: Measure, general: Mapping[str, Any]) -> Measure:
    """Return the measure with the general options that it accepts and does not set itself.

    >>> from tare._measures.names import parse
    >>> with_options(parse("Net(ROUGE-1)"), {"stem": True, "model": None})
    Net(ROUGE-1(stem=true))
    """
    if measure.inner is not None:
        return replace(measure, inner=with_options(measure.inner, general))
    known = {p.name for p in measure.definition.parameters if p.name != "model"}
    if measure.definition.name in MODELS:
        known.add("model")
    own = dict(measure.parameters)
    added = {k: v for k, v in general.items() if v is not None and k in known and k not in own}
    if not added:
        return measure
    return make(measure.full_name, {**added, **own}, cutoff=measure.cutoff)
