"""`tare cite`: the citation of a measure."""

from __future__ import annotations

from tare._cli.options import verb

__all__ = ["app", "cite"]


app = verb(
    "cite",
    "tare cite nDCG",
    "tare cite 'ERR@20' RBP",
)


@app.default
def cite(*measures: str) -> None:
    """Show how to cite a measure.

    Parameters
    ----------
    measures
        Measures, by name or with parameters.
    """
    from tare._measures import find, parse
    from tare.errors import OptionError

    if not measures:
        raise OptionError("name a measure, such as: tare cite nDCG")
    for text in measures:
        definition = find(text) or parse(text).definition
        print(f"{definition.name}: {definition.citation}")
