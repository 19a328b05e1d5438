"""`tare cite`: the citation of a measure."""

from __future__ import annotations

from tare._cli.verb import verb
from tare._measures import find, parse
from tare.errors import OptionError

__all__ = ["cite"]


@verb(
    "tare cite nDCG",
    "tare cite 'ERR@20' RBP",
)
def cite(*measures: str) -> None:
    """Show how to cite a measure.

    Parameters
    ----------
    measures
        Measures, by name or with parameters.
    """
    if not measures:
        raise OptionError("name a measure, such as: tare cite nDCG")
    for text in measures:
        definition = find(text) or parse(text).definition
        print(f"{definition.name}: {definition.citation}")
