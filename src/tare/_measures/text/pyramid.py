"""Pyramid scores: the weight of the content units in a summary, relative to the best possible.

Nenkova, A., Passonneau, R. (2004). Evaluating content selection in summarization: the Pyramid
method. HLT-NAACL. Shapira, O. et al. (2019). Crowdsourcing lightweight pyramids. NAACL.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tare._data.pyramids import Contributor, PeerAnnotation, Pyramid, majority
from tare._kernels import Text
from tare._measures.definition import Definition, Parameter
from tare._measures.measure import Measure
from tare._measures.text.profiles import PROFILE_PARAMETERS, Profile, profile, settle
from tare.errors import MismatchError

if TYPE_CHECKING:
    from tare._measures.text.cells import TextEvaluation, Values
    from tare._measures.text.findings_by_cell import Noted

__all__ = [
    "DEFINITIONS",
    "Difference",
    "autopyramid",
    "differences",
    "lite_recall",
    "majority",
    "modified_score",
    "original_score",
]


def original_score(pyramid: Pyramid, found: Collection[str], size: int | None = None) -> float:
    """Return the pyramid score: weight found ÷ largest weight of as many SCUs as the peer has.

    `size` is the number of SCUs of the peer, including those outside the pyramid; by default the
    number found. A peer without SCUs scores 0.
    """
    return _share(pyramid, found, len(set(found)) if size is None else size)


def modified_score(pyramid: Pyramid, found: Collection[str]) -> float:
    """Return the modified pyramid score: weight found ÷ largest weight of X SCUs, X being the mean number in a reference.

    It exceeds 1 if a peer has more than the mean reference.
    """
    total = sum(scu.weight for scu in pyramid.scus)
    return _share(pyramid, found, int(total / max(pyramid.references, 1) + 0.5))


def _share(pyramid: Pyramid, found: Collection[str], size: int) -> float:
    weights = {scu.id: scu.weight for scu in pyramid.scus}
    for scu in found:
        if scu not in weights:
            raise MismatchError(f"item {pyramid.item!r}: no SCU {scu!r} in the pyramid.")
    best = sum(sorted(weights.values(), reverse=True)[:size])
    return sum(weights[scu] for scu in set(found)) / best if best else 0.0


def lite_recall(presence: Mapping[str, Iterable[bool]]) -> float:
    """Return LitePyramid recall: the share of SCUs that most assessors found in the summary.

    >>> lite_recall({"1": [True, True, False], "2": [False, False, True]})
    0.5
    """
    if not presence:
        return float("nan")
    return sum(majority(votes) for votes in presence.values()) / len(presence)


def autopyramid(
    text: Text,
    pyramid: Pyramid,
    others: Sequence[PeerAnnotation] = (),
    *,
    profile: Profile = profile(),  # noqa: B008 (immutable)
) -> set[str]:
    """Return the SCUs of a pyramid with a contributor that occurs literally in the summary.

    Contributors are those of the pyramid and of the annotations of other peers. Each part of a
    contributor must occur in the text, token by token.
    """
    lines = text.split("\n") if isinstance(text, str) else text
    kernel = profile.for_texts([text])
    words = _joined([token for line in lines for token in kernel.tokens(line)])
    known: dict[str, list[Contributor]] = {s.id: list(s.contributors) for s in pyramid.scus}
    for other in others:
        for scu, contributors in other.found.items():
            known.setdefault(scu, []).extend(contributors)

    def holds(contributor: Contributor) -> bool:
        parts = [kernel.tokens(part) for part in contributor.parts or (contributor.label,)]
        return any(parts) and all(_joined(part) in words for part in parts if part)

    return {scu for scu, contributors in known.items() if any(map(holds, contributors))}


def _joined(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} "


@dataclass(frozen=True)
class Difference:
    """Manual minus automatic score of one summary."""

    system: str
    item: str
    assessor: str | None
    difference: float


def differences(
    manual: Mapping[tuple[str, str], float],
    automatic: Mapping[tuple[str, str], float],
    assessors: Mapping[str, str] | None = None,
) -> list[Difference]:
    """Return manual minus automatic pyramid score by (system, item), with the assessor if known."""
    missing = [key for key in manual if key not in automatic]
    if missing:
        system, item = missing[0]
        raise MismatchError(f"item {item!r} of system {system!r} has no automatic score.")
    by = assessors or {}
    return [
        Difference(system, item, by.get(item), score - automatic[system, item])
        for (system, item), score in sorted(manual.items())
    ]


# Pyramid scores in the registry, for texts whose content units are known.


NENKOVA = (
    "Nenkova, Passonneau. Evaluating Content Selection in Summarization: The Pyramid Method. "
    "HLT-NAACL 2004."
)
SHAPIRA = (
    "Shapira, Gabay, Gao, Ronen, Pasunuru, Bansal, Amsterdamer, Dagan. Crowdsourcing Lightweight "
    "Pyramids for Manual Summary Evaluation. NAACL 2019."
)
RANKEL = (
    "Rankel. Statistical Analysis of Text Summarization Evaluation. PhD thesis, University of "
    "Maryland, 2016."
)


def _found(
    evaluation: TextEvaluation, measure: Measure, score: Callable[[PeerAnnotation], float]
) -> Values:
    """Return the score of each annotated text."""
    cells = [s if isinstance(s, PeerAnnotation) else None for s in evaluation.cells.scus]
    if not any(cells):
        raise MismatchError(
            f"{measure} needs the content units of each text; the data have the units, but not where "
            "they were found. Give `present` with each unit, or .pan files of the peers."
        )
    evaluation.set_facts(measure, {}, evaluation.without("scus", "content units"))
    return np.array([np.nan if cell is None else score(cell) for cell in cells])


def _modified(evaluation: TextEvaluation, measure: Measure) -> Values:

    return _found(evaluation, measure, lambda peer: modified_score(peer.pyramid, peer.found))


def _original(evaluation: TextEvaluation, measure: Measure) -> Values:

    return _found(
        evaluation, measure, lambda peer: original_score(peer.pyramid, peer.found, peer.size)
    )


def _lite(evaluation: TextEvaluation, measure: Measure) -> Values:
    def share(peer: PeerAnnotation) -> float:
        size = len(peer.pyramid.scus)
        return len(peer.found) / size if size else float("nan")

    return _found(evaluation, measure, share)


def _automatic(evaluation: TextEvaluation, measure: Measure) -> Values:
    cells, profile = evaluation.cells, evaluation.profile(measure)
    items = len(cells.items)
    peers: dict[int, list[tuple[int, PeerAnnotation]]] = {}
    for place, given in enumerate(cells.scus):
        if isinstance(given, PeerAnnotation):
            peers.setdefault(place % items, []).append((place, given))
    values = np.full(len(cells.candidates), np.nan)
    known = False
    for place, given in enumerate(cells.scus):
        if given is None:
            continue
        pyramid: Pyramid = given.pyramid if isinstance(given, PeerAnnotation) else given
        others = [peer for other, peer in peers.get(place % items, []) if other != place]
        known |= any(s.contributors for s in pyramid.scus) or any(
            c for peer in others for c in peer.found.values()
        )
        found = autopyramid(cells.candidates[place], pyramid, others, profile=profile)
        values[place] = modified_score(pyramid, found & {s.id for s in pyramid.scus})
    if not known:
        raise MismatchError(
            f"{measure} searches the texts for contributors of content units, and the data have none. "
            "Give `contributors` with each unit, or .pyr files."
        )
    findings: tuple[Noted, ...] = (*profile.findings, *evaluation.without("scus", "content units"))
    evaluation.set_facts(measure, dict(profile.facts), findings)
    return values


def _entry(
    name: str,
    title: str,
    formula: str,
    derive: Callable[[TextEvaluation, Measure], Values],
    citation: str = NENKOVA,
    high: float | None = 1,
    parameters: tuple[Parameter, ...] = (),
    notes: str = "",
) -> Definition:
    return Definition(
        name,
        title,
        formula,
        citation,
        parameters,
        bounds=(0, high),
        family="text",
        needs="scus",
        settle=settle if parameters else None,
        derive=derive,
        all_texts=True,
        notes=notes,
    )


DEFINITIONS = (
    _entry(
        "Pyramid",
        "Modified pyramid score",
        "Σ weights of the SCUs found / largest weight of X SCUs, X the mean number in a reference",
        _modified,
        high=None,
        notes="The value is above 1 if a text contains more than the mean reference.",
    ),
    _entry(
        "PyramidOriginal",
        "Original pyramid score",
        "Σ weights of the SCUs found / largest weight of as many SCUs as the text has",
        _original,
    ),
    _entry(
        "LitePyramid", "LitePyramid recall", "SCUs that most assessors found / SCUs", _lite, SHAPIRA
    ),
    _entry(
        "AutoPyramid",
        "Automatic pyramid score",
        "the modified score of the SCUs that have a contributor in the text, token by token",
        _automatic,
        RANKEL,
        None,
        PROFILE_PARAMETERS,
        "Contributors are those of the references and of what was found in other systems' texts.",
    ),
)
