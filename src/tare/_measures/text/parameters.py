"""Parameters that measures of texts share: the profile and its options, references, sentences."""

from __future__ import annotations

from tare._measures.measure import Measure
from tare._measures.parameter import Parameter, Value
from tare.errors import MeasureError

__all__ = [
    "ALPHA",
    "BETA",
    "PROFILE_PARAMETERS",
    "REFS",
    "SENTENCES",
    "all_needs",
    "alpha_of_measure",
    "needs_of",
    "profile_key",
    "settle",
]

PROFILES = ("google", "lin2004", "unicode")
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
    choices=PROFILES,
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
    """Refuse options that do not belong to the profile, and drop defaults."""
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
    """Return the α of F from alpha or beta."""
    beta = float(measure["beta"])
    return float(measure["alpha"]) if beta == 1 else 1 / (1 + beta * beta)


def profile_key(measure: Measure) -> tuple[tuple[str, Value], ...]:
    """Return the options of the measure's profile; measures with equal options share tokens."""
    known = {p.name for p in measure.definition.parameters}
    return tuple(
        (p.name, measure[p.name])
        for p in PROFILE_PARAMETERS
        if p.name in known and measure[p.name] is not None
    )


def needs_of(measure: Measure) -> str:
    """Return what the texts must have for this measure."""
    return "base" if ("against", "base") in measure.parameters else measure.definition.needs


def all_needs(measure: Measure) -> tuple[str, ...]:
    """Return the same, with the source for measures derived from chance."""
    if measure.inner is None:
        from tare._measures.text.learned import features_of

        inside = [need for feature in features_of(measure) for need in all_needs(feature)]
        return tuple(dict.fromkeys((needs_of(measure), *inside)))
    bound_only = measure.name == "U" and measure["upper"] != "oracle"
    across = measure.definition.across is not None
    return (*all_needs(measure.inner), *(() if across or bound_only else ("source",)))
