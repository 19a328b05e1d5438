"""Pyramid scores: the weight of the content units in a summary, relative to the best possible.

Nenkova, A., Passonneau, R. (2004). Evaluating content selection in summarization: the Pyramid
method. HLT-NAACL. Shapira, O. et al. (2019). Crowdsourcing lightweight pyramids. NAACL.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tare._data.pyramids import Contributor, PeerAnnotation, Pyramid, majority
from tare._kernels import Text
from tare._measures.text.profiles import Profile, profile
from tare.errors import MismatchError

__all__ = [
    "Difference",
    "autopyramid",
    "differences",
    "lite_recall",
    "majority",
    "modified_score",
    "original_score",
]


def original_score(pyramid: Pyramid, found: Collection[str], size: int | None = None) -> float:
    """Return weight found ÷ largest weight of as many SCUs as the peer has.

    `size` is the number of SCUs of the peer, including those outside the pyramid; by default the
    number found. A peer without SCUs scores 0.
    """
    return _share(pyramid, found, len(set(found)) if size is None else size)


def modified_score(pyramid: Pyramid, found: Collection[str]) -> float:
    """Return weight found ÷ largest weight of X SCUs, X being the mean number in a reference.

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
    """Return the SCUs with a contributor that occurs literally in the summary.

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
    """Return manual minus automatic score by (system, item), with the assessor if known."""
    missing = [key for key in manual if key not in automatic]
    if missing:
        system, item = missing[0]
        raise MismatchError(f"item {item!r} of system {system!r} has no automatic score.")
    by = assessors or {}
    return [
        Difference(system, item, by.get(item), score - automatic[system, item])
        for (system, item), score in sorted(manual.items())
    ]
