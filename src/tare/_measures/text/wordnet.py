"""WordNet's lists of irregular forms, which ROUGE-1.5.5 uses before stemming."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from tare._data.findings import Finding
from tare._plain_text import lines_of
from tare.errors import UnreadableError

__all__ = ["FILES", "find_wordnet", "no_exceptions", "read_exceptions"]

FILES = ("adj.exc", "adv.exc", "noun.exc", "verb.exc")
"""In reading order: a later base form replaces an earlier one."""

NEWER = frozenset(("ashes", "cognosenti", "halfpence", "lisente", "morses", "staretsy"))
"""Irregular in WordNet 3.0, but not in 2.0, which ROUGE-1.5.5 uses."""

PLACES = ("/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/share/wordnet/dict")
NLTK_PLACES = ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")


def find_wordnet(folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder with the lists: the given one, an installed WordNet, or None.

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
