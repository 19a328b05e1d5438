"""Real nuggets: human assignments of iKAT 2024, lists of TREC RAG 2025, and the crowd of REALSumm."""

from __future__ import annotations

from pathlib import Path

import pytest

import tare
from tare.errors import FormatError

# Counted from the file with awk: nuggets matched and nuggets assigned, by system.
MATCHED = {
    "nii-1": (45, 195),
    "uva-3": (40, 186),
    "rali-3": (26, 161),
    "infos-2": (22, 166),
    "iires-1": (14, 190),
    "ksu-1": (7, 188),
}


@pytest.fixture(scope="module")
def ikat(real_data: Path) -> tare.Answers:
    folder = real_data / "nuggets" / "ikat24"
    return tare.read_answers(
        folder / "human_matching_labels.csv",
        nuggets=folder / "gold_nuggets_human.jsonl.gz",
        columns={"importance": "passage_grade"},
    )


def test_the_human_labels_are_read(ikat: tare.Answers) -> None:
    counted: dict[str, list[float]] = {}
    for key, own in ikat.credits.items():
        counted.setdefault(key.system, []).extend(c for c in own.values() if c is not None)
    assert {s: (sum(own), len(own)) for s, own in counted.items()} == MATCHED
    assert (len(ikat.items), len(ikat), sum(map(len, ikat.nuggets.values()))) == (25, 144, 2279)


def test_unassigned_nuggets_change_the_order(ikat: tare.Answers) -> None:
    """Cells that are missing are not zeros: as zeros they would change who is first."""
    best = {}
    for policy in ("skip", "zero"):
        means = tare.evaluate_answers(ikat, "NuggetAll", unassigned=policy).means()  # type: ignore[arg-type]
        best[policy] = max(means, key=lambda s, m=means: m[s]["NuggetAll"])  # type: ignore[misc]
    assert best == {"skip": "uva-3", "zero": "nii-1"}
    with pytest.raises(
        tare.errors.MismatchError, match="71 answers have nuggets without assignment"
    ):
        tare.evaluate_answers(ikat, "NuggetAll")


def test_lists_of_trec_rag(real_data: Path) -> None:
    folder = real_data / "nuggets" / "rag25dev"
    row = {
        "qid": "none",
        "run_id": "a",
        "nuggets": [{"text": "x", "importance": "vital", "assignment": 0}],
    }
    given = tare.read_answers([row], nuggets=folder / "rag25-dev-nuggets.jsonl.gz")
    every = [n for item, own in given.nuggets.items() if item != "none" for n in own]
    assert (len(given.nuggets) - 1, len(every), sum(bool(n.vital) for n in every)) == (
        22,
        1255,
        925,
    )
    with pytest.raises(FormatError, match="row 1: the weight -3 is negative"):
        tare.read_answers([row], nuggets=folder / "research-rubrics-dev-rubrics.jsonl.gz")
