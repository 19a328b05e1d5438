"""Means under flat names that experiment trackers accept: MLflow, Weights & Biases, TensorBoard."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.score_data import ScoreData

__all__ = ["flat_means", "flat_name"]

SEPARATORS = ("_", "/", ".", "-")


def flat_name(name: str) -> str:
    """Return a name of letters, digits and underscores that does not begin with a digit.

    >>> flat_name("nDCG@10"), flat_name("Net(P(rel=2)@5)"), flat_name("ROUGE-2.r"), flat_name("2bm")
    ('nDCG_at_10', 'Net_P_rel_2__at_5', 'ROUGE_2_r', '_2bm')
    """
    ascii_only = unicodedata.normalize("NFKD", name.replace("@", "_at_"))
    ascii_only = ascii_only.encode("ascii", "ignore").decode()
    made = re.sub(r"\W+", "_", ascii_only, flags=re.ASCII).strip("_") or "_"
    return f"_{made}" if made[0].isdigit() else made


def flat_means(scores: ScoreData, separator: str) -> dict[str, float]:
    """Return {name: mean}; with several systems, the name begins with the system."""
    if separator not in SEPARATORS:
        accepted = ", ".join(map(repr, SEPARATORS))
        raise OptionError(f"separator={separator!r} is not accepted. Accepted: {accepted}.")
    made: dict[str, float] = {}
    for system, means in scores.means().items():
        for measure, mean in means.items():
            base = flat_name(measure)
            if len(scores.systems) > 1:
                base = f"{flat_name(system)}{separator}{base}"
            name, count = base, 1
            while name in made:
                count += 1
                name = f"{base}_{count}"
            made[name] = float(mean)
    return made
