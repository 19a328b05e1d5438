"""The registry: measures and groups by name and alias, each loaded from its module on first use."""

from __future__ import annotations

from importlib import import_module

from tare._measures.definition import Definition
from tare.errors import MeasureError

__all__ = [
    "GROUPS",
    "MEASURES",
    "definitions",
    "find",
    "find_group",
    "groups",
    "known_names",
    "register",
    "registered_names",
]


# The static table of measures: the module that defines each name, and the name's aliases.
#
# A module is a string because `tare.chance` lies above this package; the registry imports it on first
# use. Each module lists its measures in `DEFINITIONS`, in the same order; a test compares the two.


# module: {name: aliases}
MEASURES: dict[str, dict[str, tuple[str, ...]]] = {
    "tare._measures.ranking.counting": {
        "P": ("Precision",),
        "RelP": (),
        "Recall": ("R",),
        "F": ("F1",),
        "Success": ("Hit", "HitRate"),
        "Rprec": ("RPrec",),
        "Judged": (),
        "Unjudged": (),
        "Accuracy": (),
        "NumRet": (),
        "NumRel": (),
        "NumRelRet": (),
        "NumNonrelRet": (),
        "setP": ("SetP",),
        "setRelP": ("SetRelP",),
        "setR": ("SetR",),
        "setF": ("SetF",),
        "setAP": ("SetAP",),
        "Utility": (),
    },
    "tare._measures.ranking.positions": {
        "RR": ("MRR",),
        "MeanRank": (),
        "GMR": (),
        "SP": (),
        "AP": ("MAP",),
        "GMAP": (),
        "YAAP": (),
        "bpref": ("Bpref", "BPref"),
        "GMbpref": (),
        "infAP": (),
        "iPrec": ("IPrec",),
        "iPrecMean": ("iPrec11",),
        "Q": (),
        "GAP": (),
        "LRAP": (),
    },
    "tare._measures.ranking.gains": {
        "CG": (),
        "DCG": (),
        "nDCG": ("NDCG",),
        "SDCG": (),
        "RBP": (),
        "RBPresidual": (),
        "nDCGrel": (),
        "RnDCG": (),
        "G": (),
        "binG": (),
    },
    "tare._measures.ranking.browsing": {
        "ERR": (),
        "nERR": (),
        "INST": (),
        "INSQ": (),
        "BPM": (),
        "NERR8": (),
        "NERR9": (),
        "NERR10": (),
        "NERR11": (),
        "Compat": ("compat",),
    },
    "tare._measures.diversity": {
        "alpha_DCG": ("α_DCG", "alpha-DCG", "α-DCG"),
        "alpha_nDCG": ("α_nDCG", "alpha-nDCG", "α-nDCG"),
        "ERR_IA": ("ERR-IA",),
        "nERR_IA": ("nERR-IA",),
        "NRBP": (),
        "nNRBP": ("NNRBP",),
        "StRecall": ("S_recall", "strec", "I_recall", "I-recall", "I_rec"),
        "P_IA": ("P-IA",),
        "AP_IA": ("MAP_IA", "MAP-IA", "AP-IA"),
        "RR_IA": ("MRR_IA", "MRR-IA", "RR-IA"),
        "nDCG_IA": ("nDCG-IA", "NDCG_IA"),
        "D_nDCG": ("D-nDCG",),
        "Dsharp_nDCG": ("D#-nDCG", "D♯-nDCG", "D#_nDCG", "D♯_nDCG"),
    },
    "tare._measures.preference": {
        "Prf": (),
        "nPrf": (),
    },
    "tare._measures.assessors": {
        "prefs_num_prefs_poss": (),
        "prefs_num_prefs_ful": (),
        "prefs_num_prefs_ful_ret": (),
        "prefs_simp": (),
        "prefs_pair": (),
        "prefs_avgjg": (),
        "prefs_avgjg_Rnonrel": (),
        "prefs_simp_ret": (),
        "prefs_pair_ret": (),
        "prefs_avgjg_ret": (),
        "prefs_avgjg_Rnonrel_ret": (),
        "prefs_simp_imp": (),
        "prefs_pair_imp": (),
        "prefs_avgjg_imp": (),
        "map_avgjg": (),
        "P_avgjg": (),
        "Rprec_mult_avgjg": (),
    },
    "tare._measures.answers": {
        "NuggetVital": ("vital_score",),
        "NuggetVitalStrict": ("strict_vital_score",),
        "NuggetAll": ("all_score",),
        "NuggetAllStrict": ("strict_all_score",),
        "NuggetWeighted": (),
        "NuggetDensity": (),
        "Support": (),
        "CitationPrecision": (),
        "CitationRecall": (),
        "Refusal": (),
        "Abstention": (),
    },
    "tare._measures.text.catalogue": {
        "ROUGE-1": ("rouge1",),
        "ROUGE-2": ("rouge2",),
        "ROUGE-3": ("rouge3",),
        "ROUGE-4": ("rouge4",),
        "ROUGE-5": ("rouge5",),
        "ROUGE-6": ("rouge6",),
        "ROUGE-7": ("rouge7",),
        "ROUGE-8": ("rouge8",),
        "ROUGE-9": ("rouge9",),
        "ROUGE-L": ("rougeL",),
        "ROUGE-Lsum": ("rougeLsum",),
        "ROUGE-W": (),
        "ROUGE-S": (),
        "ROUGE-SU": (),
        "ROUGE-BE": (),
        "Feature-sentences": (),
        "Feature-cohesion-1": (),
        "Feature-cohesion-2": (),
        "Feature-term-entropy": (),
        "Feature-sentence-entropy": (),
        "Feature-links": (),
        "Feature-links-normalised": (),
        "Feature-rouge-2": (),
        "Feature-rouge-su4": (),
        "Feature-coverage": (),
        "Feature-matches": (),
        "Feature-coverage-best": (),
        "Feature-matches-mean": (),
        "Compression": (),
        "FragmentCoverage": (),
        "FragmentDensity": (),
        "NovelNgrams": (),
        "RepeatedNgrams": (),
        "Pyramid": (),
        "PyramidOriginal": (),
        "LitePyramid": (),
        "AutoPyramid": (),
        "Learned": (),
        "ExactMatch": ("EM", "exact_match"),
        "TokenF1": ("token_f1",),
    },
    "tare._measures.text.translation": {
        "BLEU": ("bleu",),
        "chrF": ("chrf",),
        "TER": ("ter",),
    },
    "tare._measures.text.embedding.catalogue": {
        "BERTScore": ("bertscore",),
        "Likelihood": (),
    },
    "tare.chance._net_measures": {
        "Net": (),
        "E": (),
        "Ideal": (),
        "U": (),
        "V1": (),
        "V2": (),
        "Z": (),
        "MinMax": (),
        "pValue": (),
        "Std": (),
        "StdAB": (),
    },
}

# group: the module whose `GROUP` lists its members
GROUPS: dict[str, str] = {
    "features": "tare._measures.text.features",
    "descriptors": "tare._measures.text.descriptors",
}


# The registry: measures and groups by name, each loaded from its module on first use.
#
# What a name means is fixed by the static table in `catalogue`, so it does not depend on which
# modules were imported. Only measures defined by the user are added at run time.


_MODULES = {name: module for module, names in MEASURES.items() for name in names}
_ALIASES = {
    alias: name
    for names in MEASURES.values()
    for name, aliases in names.items()
    for alias in aliases
}
_LOADED: dict[str, Definition] = {}
_REGISTERED: dict[str, Definition] = {}  # at run time, by name and by alias


def find(name: str) -> Definition | None:
    """Return the definition of a measure's name or alias from the registry, or None if it is unknown."""
    name = _ALIASES.get(name, name)
    module = _MODULES.get(name)
    if module is None:
        return _REGISTERED.get(name)
    if name not in _LOADED:
        _LOADED.update({d.name: d for d in import_module(module).DEFINITIONS})
    return _LOADED[name]


def find_group(name: str) -> tuple[str, ...] | None:
    """Return the members of a group of measures, or None if there is no such group."""
    module = GROUPS.get(name)
    return None if module is None else tuple(import_module(module).GROUP)


def definitions() -> list[Definition]:
    """Return all definitions of measures: those of the registry's table in its order, then those of the user."""
    listed = [definition for definition in map(find, _MODULES) if definition is not None]
    return [*listed, *dict.fromkeys(_REGISTERED.values())]


def groups() -> dict[str, tuple[str, ...]]:
    """Return the members of every group of measures in the registry by the group's name."""
    return {name: tuple(import_module(module).GROUP) for name, module in GROUPS.items()}


def known_names() -> list[str]:
    """Return every name, alias and group of measures in the registry without loading a measure."""
    return [*_MODULES, *_REGISTERED, *_ALIASES, *GROUPS]


def registered_names() -> list[str]:
    """Return the names and aliases of measures that were added to the registry at run time."""
    return list(_REGISTERED)


def register(entry: Definition) -> None:
    """Add the definition of a measure to the registry at run time; its name and aliases must be new."""
    if find(entry.name) is entry:
        return
    for name in (entry.name, *entry.aliases):
        if find(name) is not None or name in GROUPS:
            raise MeasureError(f"a measure named {name!r} already exists; choose another name.")
    for name in (entry.name, *entry.aliases):
        _REGISTERED[name] = entry
