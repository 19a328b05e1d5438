"""Methods: a methods paragraph, signatures and citations, ready to copy."""

from __future__ import annotations

from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare._signature import tare_version
from tare.report._blocks import Block, Chapter, Snippet
from tare.report._context import ReportContext

__all__ = ["citations", "methods", "methods_of"]


def methods(context: ReportContext) -> Chapter:
    """Return the last chapter of a score table."""
    blocks: list[Block] = []
    if context.comparison is not None:
        blocks.append(Snippet("Methods paragraph", context.comparison.methods))
    blocks += methods_of(context.scores)
    lead = "Copy these texts into a paper, so that others can reproduce the numbers."
    return Chapter("methods", "Methods", tuple(blocks), lead)


def methods_of(scores: Scores) -> list[Block]:
    """Return the signatures and citations of a score table."""
    return [
        Snippet("Signatures", "\n".join(str(signature) for signature in scores.signatures)),
        Snippet("How to cite", "\n\n".join(citations(scores.measures))),
    ]


def citations(measures: tuple[Measure, ...]) -> list[str]:
    """Return one citation per work, and the citation of tare."""
    lines: dict[str, list[str]] = {}
    for measure in measures:
        inside: Measure | None = measure
        while inside is not None:
            definition = inside.definition
            names = lines.setdefault(definition.citation, [])
            if definition.name not in names:
                names.append(definition.name)
            inside = inside.inner
    works = [f"{', '.join(names)}: {work}" for work, names in lines.items() if work]
    return [*works, f"tare: the tare developers. tare {tare_version()}, evaluation net of chance."]
