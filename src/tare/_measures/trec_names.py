"""Measures by their names in trec_eval, such as `ndcg_cut_10`."""

from __future__ import annotations

import re

from tare._measures.measure import Measure, make

__all__ = ["trec_name"]

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

# Names of trec_eval: without a parameter, with a cutoff, with a real number.
_TREC_PLAIN = {
    "map": "AP",
    "gm_map": "GMAP",
    "recip_rank": "RR",
    "bpref": "bpref",
    "gm_bpref": "GMbpref",
    "Rprec": "Rprec",
    "infAP": "infAP",
    "ndcg": "nDCG",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
    "dcg": "DCG",
    "11pt_avg": "iPrecMean",
    "set_P": "setP",
    "set_relative_P": "setRelP",
    "set_recall": "setR",
    "set_map": "setAP",
    "set_F": "setF",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelRet",
    "utility": "Utility",
    "yaap": "YAAP",
}
_TREC_CUT = {
    "P": "P",
    "recall": "Recall",
    "relative_P": "RelP",
    "success": "Success",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "unj": "Unjudged",
    "iprec_at_recall": "iPrec",
    "P_avgjg": "P_avgjg",
}
_TREC_MULTIPLE = {"Rprec_mult": "Rprec", "Rprec_mult_avgjg": "Rprec_mult_avgjg"}


def trec_name(text: str) -> Measure | None:
    """Return the measure with a trec_eval name, or None.

    >>> trec_name("ndcg_cut_10")
    nDCG@10
    """
    if text in _TREC_PLAIN:
        return make(_TREC_PLAIN[text])
    name, _, number = text.rpartition("_")
    if name in _TREC_MULTIPLE and _NUMBER.fullmatch(number):
        return make(_TREC_MULTIPLE[name], {"multiple": number})
    if name in _TREC_CUT and _NUMBER.fullmatch(number):
        return make(_TREC_CUT[name], cutoff=float(number))
    return None
