"""The words that CONTRIBUTING replaces are not in the code, the templates and the docs."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from tests.house.sources import SOURCE, relative, text_of

KINDS = {".py", ".pyi", ".html", ".j2", ".js", ".mako", ".md"}
FILES = [
    path
    for folder in (SOURCE, ROOT / "docs")
    for path in sorted(folder.rglob("*"))
    if path.suffix in KINDS and "__pycache__" not in path.parts
] + [ROOT / "README.md", ROOT / "benchmarks" / "explanations.toml"]


def phrases() -> dict[str, str]:
    """The phrases of the table in CONTRIBUTING that are wrong in every sense, with what to write."""
    table = text_of(ROOT / "CONTRIBUTING.md").split("| instead of | write |\n| --- | --- |\n")[1]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    return {
        phrase.rstrip("?"): write
        for old, write in rows
        if "(" not in old
        for phrase in old.lower().split(", ")
    }


def plain(text: str) -> str:
    """The text in one line of small letters, without the marks of comments and strings."""
    return re.sub(r"\W*\n\W*", " ", text.lower())


def found_in(text: str, pattern: re.Pattern[str]) -> set[str]:
    """The phrases that are in a text, also across the end of a line."""
    return set(pattern.findall(text.lower())) | set(pattern.findall(plain(text)))


@pytest.fixture(scope="module")
def pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases()))})\b")


def test_no_old_word_is_used(pattern):
    assert len(FILES) > 900
    wrong = {relative(path): found_in(text_of(path), pattern) for path in FILES}
    assert {path: words for path, words in wrong.items() if words} == {}, (
        "see Words in CONTRIBUTING"
    )


def test_old_words_are_seen(pattern):
    assert len(phrases()) > 45
    assert phrases()["mended"] == "fixed, corrected"
    assert "he" not in phrases()
    lines = "    # An error is told\n    # without a\n    # word, and besides"
    assert found_in(lines, pattern) == {"told", "without a word", "besides"}
    assert found_in("It is untold, and a word was given", pattern) == set()
