"""One item of generated texts: two candidates, the references and the source, with matches marked."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

from tare._view.index import ViewIndex
from tare._view.listing import Wish
from tare._view.matches import common_subsequence, marked_words, shared_ngrams, words_of

__all__ = ["TextComparison"]

NGRAM = re.compile(r"ROUGE-(\d)\b")


class TextComparison:
    """The texts of two systems on one item, as the page shows them.

    Which words are marked follows from the measure: n-grams for ROUGE-n, a longest common subsequence
    for ROUGE-L, and single words otherwise.
    """

    def __init__(self, index: ViewIndex, wish: Wish, place: int) -> None:
        self.index, self.wish = index, wish
        self.texts = {name: index.texts(place, name) for name in (wish.a, wish.b)}
        self.place = place
        found = NGRAM.match(wish.measure)
        self.size = int(found[1]) if found and found[1] != "0" else 1
        self.sequence = "ROUGE-L" in wish.measure

    @property
    def how(self) -> str:
        """What the marks mean."""
        if self.sequence:
            return "a longest common subsequence with the text that it is compared with"
        words = "words" if self.size == 1 else f"sequences of {self.size} words"
        return f"{words} that the other text contains"

    def _matched(self, text: str, others: list[str]) -> Markup:
        words, known = words_of(text), [words_of(other) for other in others]
        if self.sequence:
            subsequences = [common_subsequence(words, other) for other in known]
            whole = [places for places in subsequences if places is not None]
            if len(whole) == len(subsequences):
                return marked_words(text, max(whole, key=len, default=set()))
        return marked_words(text, shared_ngrams(words, known, self.size))

    def candidates(self) -> list[dict[str, Any]]:
        """Return both candidates, marked where they match a reference (or the source, without one)."""
        made = []
        for name, given in self.texts.items():
            column = self.index.column("gross", self.wish.measure, name)
            net = self.index.column("net", self.wish.measure, name)
            made.append(
                {
                    "name": name,
                    "gross": None if column is None else float(column[self.place]),
                    "net": None if net is None else float(net[self.place]),
                    "html": None
                    if given is None
                    else self._matched(given["text"], given["references"] or [given["source"]]),
                }
            )
        return made

    def references(self) -> list[dict[str, Any]]:
        """Return the references and the source, each marked where a candidate matches it."""
        given = next((texts for texts in self.texts.values() if texts is not None), None)
        if given is None:
            return []
        listed = [(f"Reference {k}", text) for k, text in enumerate(given["references"], 1)]
        listed += [("Source", given["source"])] if given["source"] else []
        return [
            {
                "title": title,
                "text": text,
                "sides": [
                    {"name": name, "html": self._matched(text, [texts["text"]])}
                    for name, texts in self.texts.items()
                    if texts is not None
                ],
            }
            for title, text in listed
        ]
