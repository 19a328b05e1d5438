"""Every measure of diversity, with variants to try and an obvious version to hold each against."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.reference import diversity as plain

Reference = Callable[[list[plain.Document], list[plain.Document]], float]

VARIANTS: dict[str, dict[str, Reference]] = {
    "StRecall": {
        "StRecall@1": partial(plain.strecall, k=1),
        "StRecall@3": partial(plain.strecall, k=3),
        "StRecall(rel=2)@20": partial(plain.strecall, k=20, rel=2),
    },
    "alpha_DCG": {
        "alpha_DCG@1": partial(plain.alpha_dcg, k=1),
        "alpha_DCG@3": partial(plain.alpha_dcg, k=3),
        "alpha_DCG(alpha=0.2,normalize=false)@5": partial(
            plain.alpha_dcg, k=5, alpha=0.2, normalize=False
        ),
        "alpha_DCG(alpha=1)@4": partial(plain.alpha_dcg, k=4, alpha=1),
    },
    "alpha_nDCG": {
        "alpha_nDCG@3": partial(plain.alpha_ndcg, k=3),
        "alpha_nDCG@20": partial(plain.alpha_ndcg, k=20),
        "alpha_nDCG(alpha=0.75,rel=2)@2": partial(plain.alpha_ndcg, k=2, alpha=0.75, rel=2),
    },
    "ERR_IA": {
        "ERR_IA@3": partial(plain.err_ia, k=3),
        "ERR_IA(alpha=0.25,normalize=false)@5": partial(
            plain.err_ia, k=5, alpha=0.25, normalize=False
        ),
    },
    "nERR_IA": {
        "nERR_IA@3": partial(plain.nerr_ia, k=3),
        "nERR_IA(alpha=0.75)@20": partial(plain.nerr_ia, k=20, alpha=0.75),
    },
    "NRBP": {
        "NRBP": plain.nrbp,
        "NRBP(alpha=0.25,beta=0.8)": partial(plain.nrbp, alpha=0.25, beta=0.8),
    },
    "nNRBP": {"nNRBP": plain.nnrbp, "nNRBP(beta=0.75)": partial(plain.nnrbp, beta=0.75)},
    "P_IA": {"P_IA@1": partial(plain.p_ia, k=1), "P_IA@20": partial(plain.p_ia, k=20)},
    "AP_IA": {"AP_IA": plain.ap_ia, "AP_IA(rel=2)@3": partial(plain.ap_ia, k=3, rel=2)},
    "RR_IA": {"RR_IA": plain.rr_ia, "RR_IA@2": partial(plain.rr_ia, k=2)},
    "nDCG_IA": {
        "nDCG_IA": plain.ndcg_ia,
        "nDCG_IA(gain=exp2)@3": partial(plain.ndcg_ia, k=3, exp=True),
    },
    "D_nDCG": {
        "D_nDCG": plain.d_ndcg,
        "D_nDCG(gain=exp2)@3": partial(plain.d_ndcg, k=3, exp=True),
    },
    "Dsharp_nDCG": {
        "Dsharp_nDCG@3": partial(plain.dsharp_ndcg, k=3),
        "Dsharp_nDCG(gamma=0.2)@5": partial(plain.dsharp_ndcg, k=5, gamma=0.2),
    },
}
