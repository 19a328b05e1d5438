"""The rules for sentences against the sentences of SummEval and REALSumm.

The texts are tokenised, so a full stop, question or exclamation mark that is a word of its own ends
a sentence. The rules see each text as it is, with its marks attached, and without capitals.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tare._measures.text.sentences import split


def given(text: str) -> list[str]:
    """The sentences as the tokeniser left them; marks alone belong to the sentence before."""
    found: list[str] = []
    for piece in re.split(r"(?<=\s[.?!])\s+", text.strip()):
        if found and not re.search(r"\w", piece):
            found[-1] += f" {piece}"
        else:
            found.append(piece)
    return found


def summaries(folder: Path) -> list[str]:
    """All systems' summaries and all references: 5,200 texts."""
    found = []
    for path in ("summeval/summeval_100x16.jsonl.gz", "realsumm/realsumm_100x24.jsonl.gz"):
        with gzip.open(folder / "summ" / path, "rt", encoding="utf-8") as file:
            for row in map(json.loads, file):
                found += [summary["sys_summ"] for summary in row["sys_summs"].values()]
                found += row.get("ref_summs", [row["ref_summ"]])
    return found


def attached(sentence: str) -> str:
    return re.sub(r" ([.,!?;:])", r"\1", sentence)


@pytest.mark.parametrize(
    ("written", "least"),
    [
        (str, 0.998),
        (attached, 0.995),
        (str.lower, 0.99),
        (lambda sentence: attached(sentence.lower()), 0.985),
    ],
    ids=["tokenised", "attached", "small letters", "attached, small letters"],
)
def test_share_of_summaries_split_as_given(
    real_data: Path, written: Callable[[str], str], least: float
) -> None:
    texts = [[written(sentence) for sentence in given(text)] for text in summaries(real_data)]
    assert len(texts) == 5200
    same = sum(split(" ".join(sentences)) == sentences for sentences in texts)
    assert same / len(texts) >= least
