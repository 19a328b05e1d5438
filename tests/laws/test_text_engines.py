"""Texts on engines: the same scores, findings and errors in any parts."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tare
from tare._kernels.threads_and_blocks import Seams, cut, drawn_seams
from tare._measures.scores import Scores
from tare.engines import Local
from tare.errors import TareError
from tests.laws.test_engines import assert_same

CHEAP = [
    "ROUGE-1",
    "ROUGE-2.r(refs=mean)",
    "ROUGE-Lsum",
    "ROUGE-W(refs=jackknife)",
    "ROUGE-SU4(profile=lin2004,refs=jackknife-micro)",
    "TokenF1",
    "ExactMatch(refs=mean)",
    "Feature-cohesion-1",
    "Feature-coverage",
    "NovelNgrams",
    "Std(ROUGE-1)",
]
CHANCE = [
    "Net(ROUGE-1)",
    "E(ROUGE-2,length=candidate)",
    "Net(ROUGE-L,upper=human)",
    "V2(ROUGE-1.r,upper=oracle)",
    "pValue(ROUGE-1)",
    "Z(TokenF1)",
]
WORDS = ["the", "cat", "sat", "on", "mats.", "The", "rain", "fell.", "It", "fell"]


@dataclass(frozen=True)
class Texts:
    """Rows of texts with what real tables lack: texts, references, sources, ids, authors."""

    rows: list[dict[str, Any]]

    def write(self, folder: Path, form: str) -> Path:
        """Write the rows as a file."""
        path = folder / f"texts.{form}"
        if form == "jsonl":
            lines = [json.dumps(row, ensure_ascii=False) for row in self.rows]
            path.write_text("\n".join(lines) + "\n" * (len(lines) % 2), encoding="utf-8")
        else:
            import polars as pl

            frame = pl.DataFrame(self.rows, infer_schema_length=None)
            frame.write_parquet(path, row_group_size=7)
        return path


@st.composite
def tables(draw: st.DrawFn) -> Texts:
    """Tables of one to four systems, in any order, with and without ids and authors."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    named, authored = draw(st.booleans()), draw(st.booleans())
    wide = draw(st.sampled_from([1, 3, 9]))

    def text(most: int = 12) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(0, most)))

    rows = []
    for system in [f"s{k}" for k in range(draw(st.integers(1, 4)))]:
        for item in range(draw(st.integers(1, 12))):
            if chance.random() < 0.15:
                continue
            references = [text() for _ in range(chance.randint(0, wide))]
            row: dict[str, Any] = {"system": system, "text": text(), "references": references}
            if named:
                row["item"] = f"{item}" if wide > 1 else f"d{item}"
            if authored:
                row["authors"] = [chance.choice(["s0", "s1", "A", ""]) for _ in references]
            row["source"] = text(30) if chance.random() < 0.9 else None
            rows.append(row)
    if not rows:
        rows = [{"system": "s0", "text": "", "references": [], "source": None}]
    if chance.random() < 0.5:
        chance.shuffle(rows)
    return Texts(rows)


def outcome(texts: Any, measures: list[str], sizes: Seams, **options: Any) -> Scores | str:
    """The scores, or the words of the error."""
    with cut(sizes):
        try:
            return tare.evaluate_texts(texts, measures, samples=10, **options)
        except TareError as error:
            return f"{type(error).__name__}: {error}"


def assert_same_outcome(made: Scores | str, expected: Scores | str) -> None:
    if isinstance(made, str) or isinstance(expected, str):
        assert made == expected
        return
    assert_same(made, expected)
    one, other = made.errors, expected.errors
    assert (one is None) == (other is None)
    assert one is None or other is None or np.array_equal(one, other, equal_nan=True)
    assert repr(made.means()) == repr(expected.means())  # ratios and sums of statistics, too


@settings(max_examples=30)
@given(
    table=tables(),
    form=st.sampled_from(["jsonl", "parquet", "memory"]),
    threads=st.integers(1, 4),
    missing=st.sampled_from([None, "zero", "skip", "error"]),
    sizes=st.integers(0, 2**32),
    chance=st.booleans(),
)
def test_texts_in_parts(tmp_path_factory, table, form, threads, missing, sizes, chance) -> None:
    folder = tmp_path_factory.mktemp("texts")
    source: Any = table.rows if form == "memory" else table.write(folder, form)
    measures = CHANCE if chance else CHEAP
    engine = Local(threads=threads)
    usual = outcome(source, measures, Seams(threads=1), missing=missing)
    made = outcome(source, measures, drawn_seams(sizes), missing=missing, engine=engine)
    assert_same_outcome(made, usual)
    engine.resume = folder / "kept"
    for _ in range(2):  # scored and kept, then read again
        made = outcome(source, measures, drawn_seams(sizes), missing=missing, engine=engine)
        assert_same_outcome(made, usual)


@pytest.mark.parametrize("measures", [["BLEU", "chrF"], ["TER(mean=items)", "ROUGE-1"]])
def test_statistics_that_are_summed(tmp_path, measures) -> None:
    pytest.importorskip("sacrebleu", reason="the extra mt is not installed")
    chance = random.Random(3)

    def text() -> str:
        return " ".join(chance.choices(WORDS, k=6))

    for counts in ([1], [2], [0, 1, 3]):  # the number of references is in the signature
        rows = [
            {
                "item": f"{k}",
                "text": text(),
                "references": [text() for _ in range(chance.choice(counts))],
            }
            for k in range(20)
        ]
        path = Texts([*rows, {**rows[0], "item": "x", "references": [text()]}]).write(
            tmp_path, "jsonl"
        )
        expected = outcome(path, measures, Seams())
        assert isinstance(expected, Scores)
        for most in (1, 4, 10**6):
            made = outcome(path, measures, Seams(part_texts=most), engine="local")
            assert_same_outcome(made, expected)


def test_a_measure_that_needs_what_the_texts_lack(tmp_path) -> None:
    table = Texts([{"item": f"{k}", "text": "a b", "references": ["b"]} for k in range(9)])
    path = table.write(tmp_path, "jsonl")
    for measure in ("Net(ROUGE-1)", "Compression", "Feature-coverage(against=base)", "Pyramid"):
        expected = outcome(path, [measure, "ROUGE-1"], Seams())
        assert isinstance(expected, str)
        assert "MismatchError" in expected
        made = outcome(path, [measure, "ROUGE-1"], Seams(part_texts=2), engine="local")
        assert made == expected


def test_measures_of_all_texts_are_computed_together_with_others(tmp_path) -> None:
    units = [{"scu": "u", "weight": 2, "present": True, "contributors": ["the cat"]}]
    rows = [
        {"system": s, "item": f"{k}", "text": "the cat sat", "references": ["a cat"], "scus": units}
        for s in "ab"
        for k in range(6)
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    measures = ["ROUGE-1", "Pyramid", "AutoPyramid", "ROUGE-2"]
    expected = outcome(path, measures, Seams())
    assert isinstance(expected, Scores)
    for source in (path, tare.read_summaries(path)):
        made = outcome(source, measures, Seams(part_texts=2), engine="local")
        assert_same_outcome(made, expected)
    assert re.match(
        "OptionError: Pyramid: not computed on an engine",
        str(outcome(path, ["Pyramid"], Seams(), engine="local")),
    )
