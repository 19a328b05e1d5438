"""Every text measure of the registry, with variants to try the laws on.

A measure without an entry here fails the suite.
"""

from __future__ import annotations

from pathlib import Path

from tare._measures import Measure, parse

LEARNED = Path(__file__).with_name("learned_measure.json")
_PARTS = ("", ".p", ".r")
_OPTIONS = ("", "(stem=true)", "(profile=lin2004)", "(profile=unicode)", "(refs=mean)")


def _rouge(name: str, *more: str) -> list[str]:
    texts = [f"{name}{part}{options}" for part in _PARTS for options in _OPTIONS]
    return [*texts, f"{name}(beta=2)", f"{name}.r(refs=jackknife)", *more]


_PROFILES = ("", "(profile=unicode)", "(stem=true)", "(profile=lin2004,words=6)")

VARIANTS: dict[str, list[str]] = {
    **{f"ROUGE-{n}": _rouge(f"ROUGE-{n}") for n in (1, 2, 3)},
    **{f"ROUGE-{n}": [f"ROUGE-{n}", f"ROUGE-{n}.p", f"ROUGE-{n}.r"] for n in range(4, 10)},
    "ROUGE-L": _rouge("ROUGE-L", "ROUGE-L(sentences=rules,alpha=0.2)"),
    "ROUGE-Lsum": _rouge("ROUGE-Lsum", "ROUGE-Lsum(sentences=rules)"),
    "ROUGE-W": _rouge("ROUGE-W", "ROUGE-W(w=2)", "ROUGE-W.r(w=1,sentences=rules)"),
    "ROUGE-S": _rouge("ROUGE-S", "ROUGE-S(d=0)", "ROUGE-S4.p"),
    "ROUGE-SU": _rouge("ROUGE-SU", "ROUGE-SU(d=0)", "ROUGE-SU(d=-1)"),
    "ROUGE-BE": [
        f"ROUGE-BE{part}({mode}triples=given)"
        for part in _PARTS
        for mode in ("", "mode=H,", "mode=HMR2,", "profile=lin2004,")
    ],
    **{
        f"Feature-{name}": [f"Feature-{name}{options}" for options in _PROFILES]
        for name in (
            "sentences",
            "cohesion-1",
            "cohesion-2",
            "term-entropy",
            "sentence-entropy",
            "links",
            "links-normalised",
        )
    },
    **{
        f"Feature-{name}": [
            *(f"Feature-{name}{options}" for options in _PROFILES),
            f"Feature-{name}(against=base)",
        ]
        for name in (
            "rouge-2",
            "rouge-su4",
            "coverage",
            "matches",
            "coverage-best",
            "matches-mean",
        )
    },
    **{
        name: [f"{name}{options}" for options in _PROFILES]
        for name in ("Compression", "FragmentCoverage", "FragmentDensity")
    },
    "NovelNgrams": ["NovelNgrams", "NovelNgrams(n=1)", "NovelNgrams(n=4,profile=unicode)"],
    "RepeatedNgrams": ["RepeatedNgrams", "RepeatedNgrams(n=1)", "RepeatedNgrams(n=3,stem=true)"],
    "Learned": [f"Learned(path={LEARNED})"],
    "BERTScore": ["BERTScore", "BERTScore.p(layer=3)", "BERTScore(model='a model',idf=true)"],
    "Likelihood": ["Likelihood", "Likelihood.r(model=folder/of/model,scale=log)"],
    "ExactMatch": ["ExactMatch", "ExactMatch(refs=mean)"],
    "TokenF1": [f"TokenF1{part}{options}" for part in _PARTS for options in ("", "(refs=mean)")],
    "BLEU": [
        *("BLEU", "BLEU(mean=items)", "BLEU(lowercase=true,smooth=floor)", "BLEU(tokenize=intl)"),
        *("BLEU(smooth=add-k,value=2)", "BLEU(tokenize=char,smooth=none)"),
    ],
    "chrF": ["chrF", "chrF(word=2)", "chrF(beta=1,whitespace=true)", "chrF(char=3,mean=items)"],
    "TER": ["TER", "TER(normalised=true)", "TER(punctuation=false,case=true,mean=items)"],
    "Pyramid": ["Pyramid"],
    "PyramidOriginal": ["PyramidOriginal"],
    "LitePyramid": ["LitePyramid"],
    "AutoPyramid": ["AutoPyramid", "AutoPyramid(profile=unicode)", "AutoPyramid(stem=true)"],
}

# Without BE, whose texts are triples, and without those that need a model.
APART = ("ROUGE-BE", "BERTScore", "Likelihood")
PLAIN: list[Measure] = [
    parse(text) for name, texts in VARIANTS.items() if name not in APART for text in texts
]
BASIC_ELEMENTS: list[Measure] = [parse(text) for text in VARIANTS["ROUGE-BE"]]
