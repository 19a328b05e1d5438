"""Pyramid scores in the registry, for texts whose content units are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter
from tare._measures.text.parameters import PROFILE_PARAMETERS, settle
from tare.errors import MismatchError

if TYPE_CHECKING:
    from tare._data.pyramids import PeerAnnotation, Pyramid
    from tare._measures.text.cell_findings import Noted
    from tare._measures.text.evaluation import TextEvaluation, Values

__all__ = ["DEFINITIONS"]

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
    from tare._data.pyramids import PeerAnnotation

    cells = [s if isinstance(s, PeerAnnotation) else None for s in evaluation.cells.scus]
    if not any(cells):
        raise MismatchError(
            f"{measure} needs the content units of each text; the data have the units, but not where "
            "they were found. Give `present` with each unit, or .pan files of the peers."
        )
    evaluation.set_facts(measure, {}, evaluation.without("scus", "content units"))
    return np.array([np.nan if cell is None else score(cell) for cell in cells])


def _modified(evaluation: TextEvaluation, measure: Measure) -> Values:
    from tare._measures.text.pyramid import modified_score

    return _found(evaluation, measure, lambda peer: modified_score(peer.pyramid, peer.found))


def _original(evaluation: TextEvaluation, measure: Measure) -> Values:
    from tare._measures.text.pyramid import original_score

    return _found(
        evaluation, measure, lambda peer: original_score(peer.pyramid, peer.found, peer.size)
    )


def _lite(evaluation: TextEvaluation, measure: Measure) -> Values:
    def share(peer: PeerAnnotation) -> float:
        size = len(peer.pyramid.scus)
        return len(peer.found) / size if size else float("nan")

    return _found(evaluation, measure, share)


def _automatic(evaluation: TextEvaluation, measure: Measure) -> Values:
    from tare._data.pyramids import PeerAnnotation
    from tare._measures.text.pyramid import autopyramid, modified_score

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
