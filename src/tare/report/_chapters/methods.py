"""How the numbers were made: a methods paragraph, signatures and citations, ready to paste."""

from __future__ import annotations

from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare._signature import tare_version
from tare.report._blocks import Block, Chapter, Snippet
from tare.report._material import Material

__all__ = ["citations", "methods", "methods_of"]


def methods(material: Material) -> Chapter:
    """The last chapter of a score table."""
    blocks: list[Block] = []
    if material.comparison is not None:
        blocks.append(Snippet("Methods paragraph", material.comparison.methods))
    blocks += methods_of(material.scores)
    lead = "Paste these: with them anybody can make the same numbers again."
    return Chapter("methods", "How this was made", tuple(blocks), lead)


def methods_of(scores: Scores) -> list[Block]:
    """Signatures and citations of a score table."""
    return [
        Snippet("Signatures", "\n".join(str(signature) for signature in scores.signatures)),
        Snippet("How to cite", "\n\n".join(citations(scores.measures))),
    ]


def citations(measures: tuple[Measure, ...]) -> list[str]:
    """Where the measures come from, each work once, and tare itself."""
    lines: dict[str, list[str]] = {}
    for measure in measures:
        inside: Measure | None = measure
        while inside is not None:
            definition = inside.definition
            names = lines.setdefault(definition.citation, [])
            if definition.name not in names:
                names.append(definition.name)
            inside = inside.inner
    made = [f"{', '.join(names)}: {work}" for work, names in lines.items() if work]
    return [*made, f"tare: the tare developers. tare {tare_version()}, evaluation net of chance."]
