"""Measures by their names in trec_eval, such as `ndcg_cut_10`."""

from __future__ import annotations

__all__ = ["CUT", "MULTIPLE", "PLAIN"]

# Names of trec_eval: without a parameter, with a cutoff, with a real number.
PLAIN: dict[str, str] = {
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
CUT = {
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
MULTIPLE = {"Rprec_mult": "Rprec", "Rprec_mult_avgjg": "Rprec_mult_avgjg"}
