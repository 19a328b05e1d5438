"""Finished parts in a store are used again, and not written over by the output of the command that joins them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tare._cli.main import main
from tare._measures.text.kept_columns import kept_array
from tests.unit.stores.conftest import BUCKET, Door


def test_a_part_that_was_joined_is_kept(store: Door, tmp_path: Path, capsys) -> None:
    (tmp_path / "q.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "r.run").write_text("q1 Q0 a 1 2 t\nq2 Q0 b 1 2 t\n")
    qrels, run, folder = str(tmp_path / "q.txt"), str(tmp_path / "r.run"), f"s3://{BUCKET}/kept"
    for index in "01":
        assert main(["part", qrels, run, "--index", index, "--of", "2", "-o", folder]) == 0
    name = "part-00000-of-00002.npz"
    before = store.get(f"kept/{name}")
    assert main(["join", qrels, folder, "-m", "AP", "--save", f"{folder}/{name}"]) == 3
    assert "the object is also an input" in capsys.readouterr().err
    assert store.get(f"kept/{name}") == before
    store.put(f"kept/{name}", before[:-1])  # damaged, so it is judged again and replaced
    assert main(["score", qrels, run, "-m", "AP", "--resume", folder]) == 0
    assert store.get(f"kept/{name}") == before


def test_a_finished_part_of_texts_is_read_and_not_scored_again(store: Door) -> None:
    made = []

    def score() -> np.ndarray:
        made.append(1)
        return np.arange(3.0)

    for expected in (1, 1):
        found = kept_array(f"s3://{BUCKET}/texts", "texts-1.npz", (3,), score)
        assert np.array_equal(found, np.arange(3.0))
        assert len(made) == expected
    store.put("texts/texts-1.npz", store.get("texts/texts-1.npz")[:-1])
    kept_array(f"s3://{BUCKET}/texts", "texts-1.npz", (3,), score)
    assert len(made) == 2  # the damaged part was scored again
