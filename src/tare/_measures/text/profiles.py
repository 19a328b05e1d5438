"""Profiles: named ways to turn text into tokens.

google    like rouge-score: lower case, runs of a–z and 0–9, optionally NLTK's Porter stemmer.
lin2004   like ROUGE-1.5.5: the same runs of ASCII; optionally SMART stop words, WordNet's
          irregular forms and its own Porter stemmer; limits of words or bytes; 5 decimals.
unicode   every script: words of UAX #29, case-folded; optionally Snowball stemmers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tare._data.findings import Finding
from tare._kernels import Text, TextProfile, text_profile
from tare._measures.text.stopwords import find_stop_words, read_stop_words
from tare._measures.text.wordnet import find_wordnet, no_exceptions, read_exceptions
from tare.errors import MissingExtraError, OptionError, choose

__all__ = ["PROFILES", "Profile", "profile"]

ProfileName = Literal["google", "lin2004", "unicode"]
PROFILES: tuple[ProfileName, ...] = ("google", "lin2004", "unicode")


@dataclass(frozen=True)
class Profile:
    """A profile with its options; `facts` are part of the signature."""

    name: ProfileName
    stem: bool | str
    facts: dict[str, str] = field(hash=False)
    findings: tuple[Finding, ...]
    kernel: TextProfile = field(repr=False, compare=False)

    def for_texts(self, texts: Iterable[Text]) -> TextProfile:
        """Return the profile for the core; Snowball stems of the words in the texts are looked up."""
        if self.name != "unicode" or not self.stem:
            return self.kernel
        words: set[str] = set()
        for text in texts:
            for line in [text] if isinstance(text, str) else text:
                words.update(self.kernel.tokens(line))
        ordered = sorted(words)
        stems = _snowball(str(self.stem)).stemWords(ordered)
        lexicon = dict(zip(ordered, stems, strict=True))
        return text_profile("unicode", longest_unstemmed=0, lexicon=lexicon)


def profile(
    name: str = "google",
    *,
    stem: bool | str = False,
    stop: bool = False,
    words: int = 0,
    bytes: int = 0,
    wordnet: str | os.PathLike[str] | None = None,
    stopwords: str | os.PathLike[str] | None = None,
) -> Profile:
    """Return a profile by name.

    `stem` is true or false, or for `unicode` the language of a Snowball stemmer. Only `lin2004` has
    `stop` (SMART stop words), `words` and `bytes` (limits of both sides, like -l and -b), `wordnet`
    (the folder of WordNet's irregular forms) and `stopwords` (the folder of a ROUGE release with the
    list of stop words).

    >>> profile("google", stem=True).facts
    {'profile': 'google', 'stem': 'porter-nltk'}
    """
    choose("profile", name, PROFILES)
    if name != "lin2004" and (stop or words or bytes or wordnet or stopwords):
        raise OptionError(
            "stop, words, bytes, wordnet and stopwords belong to the profile 'lin2004', not to "
            f"{name!r}."
        )
    if words < 0 or bytes < 0:
        raise OptionError("words and bytes must be 1 or more, or 0 for no limit.")
    if words and bytes:
        raise OptionError("words and bytes cannot both be limits; ROUGE-1.5.5 would ignore bytes.")
    if name == "unicode":
        return _unicode(stem)
    if isinstance(stem, str):
        raise OptionError(f"stem={stem!r}: only the profile 'unicode' takes a language.")
    if name == "google":
        facts = {"profile": "google", "stem": "porter-nltk" if stem else "none"}
        kernel = text_profile("google", "nltk" if stem else "none")
        return Profile("google", stem, facts, (), kernel)
    return _lin2004(stem, stop, words, bytes, wordnet, stopwords)


def _lin2004(
    stem: bool,
    stop: bool,
    words: int,
    bytes: int,
    wordnet: str | os.PathLike[str] | None,
    stopwords: str | os.PathLike[str] | None,
) -> Profile:
    facts = {"profile": "lin2004", "stem": "porter-1.5.5" if stem else "none"}
    folder = find_wordnet(wordnet) if stem else None
    findings: tuple[Finding, ...] = ()
    if stem:
        facts["exceptions"] = "wordnet" if folder else "none"
        findings = () if folder else (no_exceptions(),)
    if stop:
        facts["stop"] = "smart"
    if words:
        facts["words"] = str(words)
    if bytes:
        facts["bytes"] = str(bytes)
    kernel = text_profile(
        "ascii",
        "lin2004" if stem else "none",
        lexicon=read_exceptions(folder) if folder else None,
        stop_words=read_stop_words(find_stop_words(stopwords)) if stop else (),
        most_words=words,
        most_bytes=bytes,
    )
    return Profile("lin2004", stem, facts, findings, kernel)


def _unicode(stem: bool | str) -> Profile:
    if stem is True:
        raise OptionError("stem=true names no language; use stem=german, for example.")
    if stem:
        _snowball(str(stem))
    facts = {"profile": "unicode", "stem": f"snowball-{stem}" if stem else "none"}
    return Profile("unicode", stem, facts, (), text_profile("unicode"))


class _Stemmer(Protocol):
    """The part of PyStemmer that is used here."""

    def stemWords(self, words: list[str]) -> list[str]:  # noqa: N802 (its name there)
        ...


def _snowball(language: str) -> _Stemmer:
    try:
        import Stemmer
    except ImportError:
        raise MissingExtraError("PyStemmer", "snowball", "Stemming by Snowball") from None
    choose("stem", language, tuple(Stemmer.algorithms()))
    stemmer: _Stemmer = Stemmer.Stemmer(language)
    return stemmer
