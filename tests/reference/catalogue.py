"""Every measure of the registry, with variants to try and an obvious version to hold it against.

A measure without an entry here fails the suite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tare._measures import Measure, parse
from tests.reference import graded_measures as graded
from tests.reference import trec_measures as trec

Grades = Sequence[float | None]
Reference = Callable[[Grades, Sequence[float]], float]

# Texts of each measure that the laws are tried on: defaults, cutoffs, every parameter.
VARIANTS: dict[str, list[str]] = {
    "P": ["P@1", "P@3", "P@20", "P(rel=2)@3"],
    "RelP": ["RelP@1", "RelP@3", "RelP(rel=2)@10"],
    "Recall": ["Recall", "Recall@2", "Recall@20", "Recall(rel=2)@3"],
    "F": ["F@3", "F(beta=2)@5", "F(beta=0.5,rel=2)@20"],
    "Success": ["Success@1", "Success@3", "Success(rel=2)@2", "Hit@5"],
    "Rprec": ["Rprec", "Rprec(multiple=0.4)", "Rprec(multiple=2)", "Rprec(rel=2)"],
    "Judged": ["Judged", "Judged@3", "Judged@20"],
    "Unjudged": ["Unjudged@3", "Unjudged@20"],
    "Accuracy": ["Accuracy", "Accuracy@3", "Accuracy(rel=2)@5"],
    "NumRet": ["NumRet"],
    "NumRel": ["NumRel", "NumRel(rel=2)"],
    "NumRelRet": ["NumRelRet", "NumRelRet(rel=2)"],
    "NumNonrelRet": ["NumNonrelRet", "NumNonrelRet(rel=2)"],
    "setP": ["setP", "setP(rel=2)"],
    "setRelP": ["setRelP", "setRelP(rel=2)"],
    "setR": ["setR", "setR(rel=2)"],
    "setF": ["setF", "setF(beta=2)", "setF(beta=0.5,rel=2)"],
    "setAP": ["setAP", "setAP(rel=2)"],
    "Utility": ["Utility", "Utility(weights=2/-1/0.5/0.25,collection=50)", "Utility(rel=2)"],
    "RR": ["RR", "RR@2", "RR(rel=2)", "RR(rel=3)@4"],
    "MeanRank": ["MeanRank", "MeanRank(rel=2)"],
    "GMR": ["GMR", "GMR(rel=2)"],
    "SP": ["SP", "SP@1", "SP@3", "SP@20", "SP(rel=2)@4"],
    "AP": ["AP", "AP@1", "AP@3", "AP(rel=2)", "AP(rel=2)@20"],
    "LRAP": ["LRAP", "LRAP(rel=2)"],
    "GMAP": ["GMAP", "GMAP(rel=2)"],
    "YAAP": ["YAAP", "YAAP(rel=2)"],
    "bpref": ["bpref", "bpref(rel=2)"],
    "GMbpref": ["GMbpref"],
    "infAP": ["infAP", "infAP(rel=2)"],
    "iPrec": ["iPrec@0", "iPrec@0.25", "iPrec@0.5", "iPrec(rounding=up)@0.35", "iPrec(rel=2)@1"],
    "iPrecMean": ["iPrecMean", "iPrecMean(recalls=0.25/0.5/0.75)", "iPrecMean(rounding=up,rel=2)"],
    "Q": ["Q", "Q@3", "Q(beta=10)", "Q(gain=exp2)@5", "Q(rel=2)", "Q(gains={1:3,2:5})"],
    "GAP": ["GAP", "GAP@3", "GAP(thresholds={1:0.7,2:0.2,3:0.1})"],
    "CG": ["CG", "CG@3", "CG(gain=exp2)@5", "CG(gains={1:3,2:9})"],
    "DCG": [
        "DCG",
        "DCG@3",
        "DCG(gain=exp2)@5",
        "DCG(discount=jk)@6",
        "DCG(discount=jk,base=3)",
        "DCG(base=10)@4",
    ],
    "nDCG": [
        "nDCG",
        "nDCG@1",
        "nDCG@3",
        "nDCG@20",
        "nDCG(gain=exp2)@5",
        "nDCG(discount=jk)@6",
        "nDCG(gains={1:9,2:1})@4",
        "nDCG(discount=jk,base=4)",
    ],
    "SDCG": ["SDCG@3", "SDCG(max_rel=5)@10", "SDCG(min_rel=1,max_rel=3)@4"],
    "RBP": ["RBP", "RBP(p=0.95)", "RBP(p=0.5)@3", "RBP(max_rel=3)", "RBP(rel=2)"],
    "RBPresidual": ["RBPresidual", "RBPresidual(p=0.95)@3"],
    "nDCGrel": ["nDCGrel", "nDCGrel(gains={1:2,2:5})"],
    "RnDCG": ["RnDCG", "RnDCG(gains={1:2,2:5})"],
    "G": ["G", "G(gains={1:3,2:9})"],
    "binG": ["binG", "binG(rel=2)"],
    "ERR": ["ERR", "ERR@3", "ERR(lmax=4)@5"],
    "nERR": ["nERR", "nERR@3", "nERR(lmax=5)"],
    "INST": ["INST", "INST(T=3)", "INST(max_rel=5,depth=50)"],
    "INSQ": ["INSQ", "INSQ(T=3)", "INSQ(min_rel=1,max_rel=3,depth=50)"],
    "BPM": ["BPM@3", "BPM(T=2)@10"],
    "NERR8": ["NERR8@3", "NERR8(max_rel=4)@10"],
    "NERR9": ["NERR9@3", "NERR9(max_rel=4)@10"],
    "NERR10": ["NERR10", "NERR10(p=0.5,max_rel=5)"],
    "NERR11": ["NERR11", "NERR11(T=2,max_rel=4)"],
    "Compat": [
        "Compat",
        "Compat(p=0.8)",
        "Compat(depth=20)",
        "Compat(normalize=false)",
        "Compat(depth=3)",
    ],
}

_TREC = {
    "RelP": "relative_P",
    "Unjudged": "unj",
    "NumNonrelRet": "num_nonrel_judged_ret",
    "YAAP": "yaap",
    "binG": "binG",
    "nDCGrel": "ndcg_rel",
    "RnDCG": "Rndcg",
    "G": "G",
}
_SAME = {
    "GMAP": "AP",
    "GMbpref": "bpref",
    "GMR": "MeanRank",
    "LRAP": "AP",
}  # LRAP differs where scores are tied
# Measures that a ranking without a relevant document does not have; their laws are apart.
RANKS = ("MeanRank", "GMR")


def all_variants() -> list[Measure]:
    """Every variant of every measure that all rankings have."""
    return [parse(text) for name, texts in VARIANTS.items() if name not in RANKS for text in texts]


def reference(measure: Measure, lmax: float) -> Reference:
    """The obvious version of a measure; `lmax` is the largest grade of the whole qrels."""
    f, options = _function(measure, max(1.0, lmax))
    return lambda ranking, judged: f(ranking, judged, **options)


def _function(measure: Measure, lmax: float) -> tuple[Callable[..., float], dict[str, Any]]:
    name = _SAME.get(measure.name, measure.name)
    known = [p.name for p in measure.definition.parameters]
    options: dict[str, Any] = {key: measure[key] for key in known if measure[key] is not None}
    if name == "Rprec":
        return trec.MEASURES["Rprec_mult"], options
    if name in ("iPrec", "iPrecMean"):
        rule = "10" if options.pop("rounding") == "half" else "9"
        if name == "iPrec":
            options |= {"recall": measure.cutoff, "rule": rule}
            return trec.MEASURES["iprec_at_recall"], options
        options["recalls"] = [float(x) for x in options["recalls"].split("/")]
        return trec.MEASURES["11pt_avg"], {**options, "rule": rule}
    if name == "Utility":
        options["weights"] = tuple(float(x) for x in options["weights"].split("/"))
        options["num_docs"] = options.pop("collection")
        return trec.MEASURES["utility"], options
    if name in _TREC:
        if measure.cutoff is not None:
            options["k"] = measure.cutoff
        options.pop("gain", None)
        if "gains" in options:
            options["gains"] = dict(options["gains"])
        return trec.MEASURES[_TREC[name]], options
    if measure.cutoff is not None:
        options["cutoff"] = measure.cutoff
    elif name == "Recall":
        name = "setR"
    gains = options.pop("gains", None)
    if gains is not None:
        options["gain"] = dict(gains)
    if "thresholds" in options:
        options["thresholds"] = dict(options["thresholds"])
    if "lmax" in known:
        options.setdefault("lmax", lmax)
    if "max_rel" in known and name != "RBP":
        options.setdefault("max_rel", lmax)
    if name == "Compat" and options["depth"] == 0:
        options["depth"] = None
    return graded.MEASURES[name], options
