"""One item of generated texts by BERTScore: each token with the nearest token of the other text."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from tare._measures.names import parse
from tare._plain_text import plain_lines
from tare._view.index import ViewIndex
from tare._view.listing import Wish
from tare._view.matches import marked_words
from tare._view.stored_matches import Matched, TextMatches, matches_of
from tare._view.text_comparison import TextComparison

__all__ = ["NearestComparison"]

PARTS = ("p", "r", "f")
WORDS = {"p": "precision", "r": "recall", "f": "F"}
LEVELS = 10  # of shading
TOKEN = Markup(
    '<span class="token n{level}" id="{name}-{k}" data-to="{to}" data-near="{near:.2f}" '
    'data-weight="{weight}" data-words="{words}" title="{words} {near:.2f}" tabindex="{focus}">{text}</span>'
)


class NearestComparison(TextComparison):
    """The texts of two systems, with tokens shaded by their similarity to the nearest token.

    The tokens of a candidate are matched with one reference: the one that the score comes from, or the
    one that the reader chose.
    """

    def __init__(self, index: ViewIndex, wish: Wish, place: int, chosen: int | None = None) -> None:
        super().__init__(index, wish, place)
        self.chosen = chosen
        measure = parse(wish.measure)
        self.part = measure.part or "f"
        self.idf = bool(measure["idf"])
        self.rescaled = measure["baseline"] is not None

    @property
    def how(self) -> str:
        """What the marks mean."""
        weights = "; rare tokens have a larger weight (idf)" if self.idf else ""
        scale = (
            "; the scores are rescaled by a baseline, the similarities are not"
            if self.rescaled
            else ""
        )
        return f"tokens, shaded by the similarity to the nearest token of the other text{weights}{scale}"

    @cached_property
    def matches(self) -> dict[str, list[TextMatches]]:
        """The matches of each system's text with each of its references."""
        found = {
            name: matches_of(self.index, self.wish.measure, self.place, name) for name in self.texts
        }
        return {name: own or [] for name, own in found.items()}

    def shown(self, name: str) -> TextMatches | None:
        """Return the match with the chosen reference, else with the one that the score comes from."""
        listed = self.matches[name]
        for found in listed:
            if found.reference == self.chosen:
                return found
        return listed[self._best(name)] if listed else None

    def _best(self, name: str) -> int:
        values = [found.parts[PARTS.index(self.part)] for found in self.matches[name]]
        return int(np.argmax(values))

    def candidates(self) -> list[dict[str, Any]]:
        """Return both candidates, each token shaded by its nearest token of the shown reference."""
        made = super().candidates()
        for s, side in enumerate(made):
            name = side["name"]
            found, given = self.shown(name), self.texts[name]
            side["summary"] = None
            if found is not None and given is not None:
                there = (given["references"][found.reference], found.other.spans)
                side["html"] = _shaded(
                    given["text"], found.own, f"c{s}", f"r{s}-{found.reference}", there
                )
                side["summary"] = self._summary(found)
                best = self.matches[name][self._best(name)]
                if found is not best:
                    side["summary"]["why"] = "chosen"
                elif len(self.matches[name]) > 1:
                    side["summary"]["why"] = f"it has the highest {WORDS[self.part]}"
        return made

    def _summary(self, found: TextMatches) -> dict[str, Any]:
        values = dict(zip(PARTS, map(float, found.parts), strict=True))
        counts = {"own": len(found.own.places), "other": len(found.other.places)}
        return {"reference": found.reference + 1, "why": "", **counts, **values}

    def references(self) -> list[dict[str, Any]]:
        """Return the references, shaded by the nearest token of each candidate, and the source."""
        made = super().references()
        numbers = {name: s for s, name in enumerate(self.texts)}
        for k, part in enumerate(made):
            part["choose"] = k + 1 if self._is_compared(k) else None
            for side in part["sides"]:
                name = side["name"]
                given = self.texts[name]
                found = next((m for m in self.matches[name] if m.reference == k), None)
                side["summary"] = None
                if found is None or given is None or given["references"][k] != part["text"]:
                    side["html"] = marked_words(part["text"], set())
                    continue
                there = (given["text"], found.own.spans)
                s = numbers[name]
                side["html"] = _shaded(part["text"], found.other, f"r{s}-{k}", f"c{s}", there)
                side["summary"] = self._summary(found)
        return made

    def _is_compared(self, reference: int) -> bool:
        several = any(len(own) > 1 for own in self.matches.values())
        return several and any(
            m.reference == reference for own in self.matches.values() for m in own
        )


def _shaded(text: str, matched: Matched, name: str, other: str, there: tuple[str, Any]) -> Markup:
    """Return a text with one element per token; everything else is escaped.

    Bytes of one character can be several tokens: the first one shows the character, and a dot stands for
    each of the others.
    """
    parts: list[Markup] = []
    at = 0
    weighted = bool((matched.weights != 1).any())
    for k, (first, last) in enumerate(matched.spans.tolist()):
        start, end = max(first, at), max(last, at)
        to, near = int(matched.places[k]), float(matched.cosines[k])
        target, words = "", "start or end of the text"
        if to >= 0:
            a, b = there[1][to]
            target, words = f"{other}-{to}", plain_lines(there[0][a:b]) or "·"
        weight = f"{float(matched.weights[k]):.2f}" if weighted else ""
        parts += [
            _safe(text[at:start]),
            TOKEN.format(
                level=round(min(1.0, near) * LEVELS),
                name=name,
                k=k,
                to=target,
                near=near,
                words=words,
                weight=weight,
                focus=0 if k == 0 else -1,
                text=_safe(text[start:end]) or "·",
            ),
        ]
        at = end
    parts.append(_safe(text[at:]))
    return Markup("").join(parts)


def _safe(text: str) -> Markup:
    return escape(plain_lines(text.replace("\t", " ").replace("\r", "")))
