"""One item of generated texts: two candidates, the references and the source, with matches or nearest tokens."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from tare._data.summaries import read_summaries
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.scores import Scores
from tare._measures.text.cells import Cells, TextEvaluation
from tare._measures.text.embedding.bertscore import (
    encoder_of,
    nearest_tokens,
    scoring_of,
    token_spans,
    tokens_of,
)
from tare._plain_text import plain_lines
from tare._web.view.index import ViewIndex, ViewInputs
from tare._web.view.listing import Wish

if TYPE_CHECKING:
    from tare._measures.text.embedding.bertscore import Nearest

__all__ = [
    "Matched",
    "NearestComparison",
    "TextComparison",
    "TextMatches",
    "common_subsequence",
    "fill_matches",
    "marked_words",
    "matches_of",
    "shared_ngrams",
    "words_of",
]


# Matched words of two texts: shared n-grams, or a longest common subsequence.


WORD = re.compile(r"\w+")
MAX_CELLS = 1_000_000  # of the table that finds a longest common subsequence


def words_of(text: str) -> list[str]:
    """Return the words of a candidate, reference or source text in lower case.

    >>> words_of("The cat sat.")
    ['the', 'cat', 'sat']
    """
    return [word.lower() for word in WORD.findall(text)]


def shared_ngrams(words: Sequence[str], others: Sequence[Sequence[str]], size: int) -> set[int]:
    """Return the places of words of a generated text that are part of an n-gram of another text.

    >>> sorted(shared_ngrams(["a", "b", "c"], [["b", "c", "d"]], 2))
    [1, 2]
    """
    known = {tuple(other[k : k + size]) for other in others for k in range(len(other) - size + 1)}
    found: set[int] = set()
    for k in range(len(words) - size + 1):
        if tuple(words[k : k + size]) in known:
            found |= set(range(k, k + size))
    return found


def common_subsequence(words: Sequence[str], other: Sequence[str]) -> set[int] | None:
    """Return the places of words in a longest common subsequence of two texts; None if they are too long.

    >>> sorted(common_subsequence(["a", "x", "b"], ["a", "b", "x"]))
    [0, 2]
    """
    if len(words) * len(other) > MAX_CELLS:
        return None
    lengths = [[0] * (len(other) + 1) for _ in range(len(words) + 1)]
    for i in range(len(words) - 1, -1, -1):
        row, below, word = lengths[i], lengths[i + 1], words[i]
        for j in range(len(other) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if word == other[j] else max(below[j], row[j + 1])
    found: set[int] = set()
    i = j = 0
    while i < len(words) and j < len(other):
        if words[i] == other[j] and lengths[i][j] == lengths[i + 1][j + 1] + 1:
            found.add(i)
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def marked_words(text: str, places: set[int]) -> Markup:
    """Return a generated text with the words at some places in `<mark>`; everything else is escaped.

    >>> marked_words("The <cat> sat", {1})
    Markup('The &lt;<mark>cat</mark>&gt; sat')
    """
    parts: list[Markup] = []
    at = 0
    for number, found in enumerate(WORD.finditer(text)):
        if number in places:
            parts += [
                _safe(text[at : found.start()]),
                Markup("<mark>"),
                _safe(found[0]),
                Markup("</mark>"),
            ]
            at = found.end()
    parts.append(_safe(text[at:]))
    return Markup("").join(parts)


def _safe(text: str) -> Markup:
    return escape(plain_lines(text.replace("\t", " ").replace("\r", "")))


# Nearest tokens in the index: for each text, its tokens and those of its references.
#
# They are computed when the index is built, with the vectors that BERTScore was computed from, so that
# pages need no model.


BLOCK = 500  # texts whose vectors are in memory at once
Array = NDArray[Any]


@dataclass(frozen=True)
class Matched:
    """The matched tokens of one generated text: where they are, and the nearest token of the other text.

    `places` are −1 for a token that the model adds before or after a text.
    """

    spans: Array
    places: Array
    cosines: Array
    weights: Array


@dataclass(frozen=True)
class TextMatches:
    """The matches of a candidate and one reference: the tokens of both, and P, R and F."""

    reference: int
    own: Matched
    other: Matched
    parts: Array


def fill_matches(
    base: sqlite3.Connection, inputs: ViewInputs, scores: Scores, resources: dict[Any, Any]
) -> tuple[dict[str, int], list[str]]:
    """Store the token matches of every measure BERTScore; return their numbers, and findings."""
    wanted = (
        [m for m in scores.measures if m.definition.name == "BERTScore"] if inputs.of_texts else []
    )
    if not wanted:
        return {}, []
    texts = read_summaries(inputs.qrels)
    cells = Cells.of(texts)
    given = dict(zip(zip(texts.systems, texts.items, strict=True), texts.references, strict=True))
    numbers: dict[tuple[Any, ...], int] = {}
    known: dict[str, int] = {}
    findings: list[str] = []
    for measure in wanted:
        key = tuple(measure[p.name] for p in measure.definition.parameters)
        if key not in numbers:
            made = _matched(cells, measure, resources)
            if made is None:
                findings.append(
                    f"{measure.text}: the tokenizer of this model does not report where tokens are, so that nearest tokens are not shown."
                )
                continue
            numbers[key] = len(numbers)
            first = numbers[key] * len(cells.candidates)
            for i, found in made:
                system, item = divmod(i, len(cells.items))
                shown = given[cells.systems[system], cells.items[item]]
                body = _packed(_places(cells.references[i], shown), found)
                base.execute("INSERT INTO matches VALUES (?, ?)", (first + i, body))
        known[measure.text] = numbers[key]
    return known, findings


Found = tuple[Array, Sequence[Array], Sequence[tuple["Nearest", "Nearest", Array]]]


def _matched(
    cells: Cells, measure: Measure, resources: dict[Any, Any]
) -> Iterator[tuple[int, Found]] | None:
    """Yield the token matches of each generated text that exists; None if the tokenizer does not report places."""
    evaluation = TextEvaluation(cells, [measure])
    evaluation.resources = resources
    encoder = encoder_of(evaluation, measure)
    if token_spans(encoder, []) is None:
        return None
    candidates, references = tokens_of(evaluation, encoder)
    idf, baseline = scoring_of(evaluation, measure, encoder)
    there = [i for i, gone in enumerate(cells.missing) if not gone and references[i]]
    # Texts with the same references follow each other, so that few vectors are in memory at a time.
    there.sort(key=lambda i: (i % len(cells.items), i))

    def matched() -> Iterator[tuple[int, Found]]:
        for start in range(0, len(there), BLOCK):
            block = there[start : start + BLOCK]
            texts = dict.fromkeys(
                t for i in block for t in (cells.candidates[i], *cells.references[i])
            )
            listed = token_spans(encoder, list(texts)) or []
            spans = {
                text: np.array(own, dtype=np.int32).reshape(-1, 2)
                for text, own in zip(texts, listed, strict=True)
            }
            held = encoder.embed(t for i in block for t in (candidates[i], *references[i]))
            for i in block:
                pairs = nearest_tokens(encoder, candidates[i], references[i], held, idf, baseline)
                yield (
                    i,
                    (spans[cells.candidates[i]], [spans[r] for r in cells.references[i]], pairs),
                )

    return matched()


def _places(compared: Sequence[Any], shown: Sequence[Any]) -> list[int]:
    """Return the place of each author of reference texts among those of the file; people lack their own."""
    found, at = [], 0
    for reference in compared:
        at = shown.index(reference, at)
        found.append(at)
        at += 1
    return found


def _packed(places: Sequence[int], found: Found) -> bytes:
    """Return the matched tokens of a text as bytes, after one line with their types and lengths."""
    spans, others, pairs = found
    arrays: list[Array] = [spans.ravel()]
    for their, (own, other, parts) in zip(others, pairs, strict=True):
        arrays += [own.places, own.cosines, own.weights]
        arrays += [their.ravel(), other.places, other.cosines, other.weights, parts]
    head = json.dumps([list(places), [[a.dtype.str, len(a)] for a in arrays]])
    return zlib.compress(head.encode() + b"\n" + b"".join(a.tobytes() for a in arrays), 1)


def matches_of(index: ViewIndex, measure: str, place: int, system: str) -> list[TextMatches] | None:
    """Return the token matches of one generated text with each of its references; None if there are none."""
    number = index.matched.get(measure)
    if number is None:
        return None
    row = (number * len(index.systems) + index.systems.index(system)) * index.count + place
    body = index.matches(row)
    return None if body is None else _unpacked(body)


def _unpacked(body: bytes) -> list[TextMatches]:
    plain = zlib.decompress(body)
    end = plain.index(b"\n")
    places, kinds = json.loads(plain[:end])
    arrays, at = [], end + 1
    for kind, length in kinds:
        arrays.append(np.frombuffer(plain, dtype=kind, count=length, offset=at))
        at += arrays[-1].nbytes
    spans, made = arrays[0].reshape(-1, 2), []
    for k, place in enumerate(places):
        own, other = arrays[1 + 8 * k : 4 + 8 * k], arrays[4 + 8 * k : 8 + 8 * k]
        made.append(
            TextMatches(
                place,
                Matched(spans, *own),
                Matched(other[0].reshape(-1, 2), *other[1:]),
                arrays[8 + 8 * k],
            )
        )
    return made


# One item of generated texts: two candidates, the references and the source, with matches marked.


NGRAM = re.compile(r"ROUGE-(\d)\b")


class TextComparison:
    """The generated texts of two systems on one item, as the page shows them.

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
        """Return both candidate texts, marked where they match a reference (or the source, without one)."""
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
        """Return the reference texts and the source, each marked where a candidate matches it."""
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


# One item of generated texts by BERTScore: each token with the nearest token of the other text.


PARTS = ("p", "r", "f")
WORDS = {"p": "precision", "r": "recall", "f": "F"}
LEVELS = 10  # of shading
TOKEN = Markup(
    '<span class="token n{level}" id="{name}-{k}" data-to="{to}" data-near="{near:.2f}" '
    'data-weight="{weight}" data-words="{words}" title="{words} {near:.2f}" tabindex="{focus}">{text}</span>'
)


class NearestComparison(TextComparison):
    """The generated texts of two systems on one item, with tokens shaded by their similarity to the nearest token of the other text.

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
        """The token matches of each system's text with each of its references."""
        found = {
            name: matches_of(self.index, self.wish.measure, self.place, name) for name in self.texts
        }
        return {name: own or [] for name, own in found.items()}

    def shown(self, name: str) -> TextMatches | None:
        """Return the token matches with the chosen reference, else with the one that the score comes from."""
        listed = self.matches[name]
        for found in listed:
            if found.reference == self.chosen:
                return found
        return listed[self._best(name)] if listed else None

    def _best(self, name: str) -> int:
        values = [found.parts[PARTS.index(self.part)] for found in self.matches[name]]
        return int(np.argmax(values))

    def candidates(self) -> list[dict[str, Any]]:
        """Return both candidate texts, each token shaded by its nearest token of the shown reference."""
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
        """Return the reference texts, shaded by the nearest token of each candidate, and the source."""
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
    """Return a generated text with one shaded element per token; everything else is escaped.

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
