"""Sentences and names that were replaced do not come back; CONTRIBUTING has the list."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

FILES = [
    path
    for folder in ("src", "docs", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".md", ".html", ".js", ".css", ".toml")
] + [ROOT / "README.md"]
REPLACED = [
    "told beside its expected value", "a row a system", "A bar a query", "cannot be told from it",
    "not more than luck could do", "tell systems from chance", "How much each measure tells apart",
    "A heading sorts.", "half of it if not said", "numbers that are none", "says what people say",
    "gives 0 without a word", "Make a study of a TOML file", "the same for every system is wanted",
    "A document may stand once", "would end us when they shrink", "A pencil without lead",
    "The six of content.", "has before him", "halves of characters", "Go on elsewhere", "How it goes",
    "Came as", "a node of ray may use for rows",
]  # fmt: skip
PATTERNS = [
    re.compile(r"\b[Oo]ne (row|column|file|line|page|dictionary|bar|chart) an? (?!time\b)\w")
]
NAMES = ["Undrawn", "offer_place", "MOST_TOLD", "stop_or_go_on", "owner_comes_in"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_replaced_words_stay_away(path):
    text = " ".join(path.read_text(encoding="utf-8").split())
    assert [sentence for sentence in REPLACED if sentence in text] == []
    assert [found.group() for p in PATTERNS for found in p.finditer(text)] == []
    if path.suffix == ".py":
        assert [name for name in NAMES if re.search(rf"\b{name}\b", text)] == []
