"""Finished parts in a store are used again, and not written over by the output of the command that joins them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tare._cli.main import main
from tare._files.cloud import addresses_like
from tare._files.finished_parts import Arrays
from tare._measures.text.scoring_in_parts import finished_systems_in, kept_system
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


def test_a_finished_system_of_texts_is_read_and_not_scored_again(store: Door) -> None:
    made = []

    def score() -> tuple[None, Arrays]:
        made.append(1)
        return None, {"values": np.arange(3.0)}

    folder = f"s3://{BUCKET}/texts"
    for count in (1, 1):
        _, found = kept_system(folder, ["a"], score)
        assert np.array_equal(found["values"], np.arange(3.0))
        assert (len(made), finished_systems_in(folder)) == (count, 1)
    (address,) = addresses_like(f"{folder}/texts-*.npz")
    key = address.removeprefix(f"s3://{BUCKET}/")
    store.put(key, store.get(key)[:-1])
    kept_system(folder, ["a"], score)
    assert len(made) == 2  # the damaged one was scored again
