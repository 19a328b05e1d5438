"""Nearest tokens in the index: for each text, its tokens and those of its references.

They are computed when the index is built, with the vectors that BERTScore was computed from, so that
pages need no model.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.summaries import read_summaries
from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare._measures.text.cells import Cells, TextEvaluation
from tare._view.index import ViewIndex
from tare._view.inputs import ViewInputs

if TYPE_CHECKING:
    from tare._measures.text.embedding.bertscore import Nearest

__all__ = ["Matched", "TextMatches", "fill_matches", "matches_of"]

BLOCK = 500  # texts whose vectors are in memory at once
Array = NDArray[Any]


@dataclass(frozen=True)
class Matched:
    """The tokens of one text: where they are, and the nearest token of the other text.

    `places` are −1 for a token that the model adds before or after a text.
    """

    spans: Array
    places: Array
    cosines: Array
    weights: Array


@dataclass(frozen=True)
class TextMatches:
    """A candidate and one reference: the tokens of both, and P, R and F."""

    reference: int
    own: Matched
    other: Matched
    parts: Array


def fill_matches(
    base: sqlite3.Connection, inputs: ViewInputs, scores: Scores, resources: dict[Any, Any]
) -> tuple[dict[str, int], list[str]]:
    """Store the matches of every measure BERTScore; return their numbers, and findings."""
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
    """Yield the matches of each text that exists; None if the tokenizer does not report places."""
    from tare._measures.text.embedding.bertscore import (
        encoder_of,
        nearest_tokens,
        scoring_of,
        token_spans,
        tokens_of,
    )

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
    """Return the place of each reference among those of the file; people lack their own."""
    found, at = [], 0
    for reference in compared:
        at = shown.index(reference, at)
        found.append(at)
        at += 1
    return found


def _packed(places: Sequence[int], found: Found) -> bytes:
    """Return the arrays of a text as bytes, after one line with their types and lengths."""
    spans, others, pairs = found
    arrays: list[Array] = [spans.ravel()]
    for their, (own, other, parts) in zip(others, pairs, strict=True):
        arrays += [own.places, own.cosines, own.weights]
        arrays += [their.ravel(), other.places, other.cosines, other.weights, parts]
    head = json.dumps([list(places), [[a.dtype.str, len(a)] for a in arrays]])
    return zlib.compress(head.encode() + b"\n" + b"".join(a.tobytes() for a in arrays), 1)


def matches_of(index: ViewIndex, measure: str, place: int, system: str) -> list[TextMatches] | None:
    """Return the matches of one text with each of its references; None if there are none."""
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
