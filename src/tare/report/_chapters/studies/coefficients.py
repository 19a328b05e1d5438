"""Names of correlation coefficients for readers."""

from __future__ import annotations

__all__ = ["coefficient_name"]

NAMES = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "tau_a": "Kendall's τ-a",
    "tau_b": "Kendall's τ-b",
    "tau_ap": "τ-AP",
    "tau_ap_b": "τ-AP-b",
    "rbo": "Rank-biased overlap",
}


def coefficient_name(kind: str) -> str:
    """Return the name of a coefficient as papers write it.

    >>> coefficient_name("tau_b")
    "Kendall's τ-b"
    """
    return NAMES.get(kind, kind)
