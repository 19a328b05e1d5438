"""Score tables that are written in row groups: the same content as in one piece, or no file."""

from __future__ import annotations

import errno

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import tare
from tare._data.simulation import simulate
from tare._kernels.threads_and_blocks import Seams, cut
from tare._measures import evaluate_rankings, saved_scores


def ranked() -> tare.Scores:
    """Ratios, judged shares, gaps and attributes of several types."""
    data = simulate(queries=9, seed=1)
    runs = [*data.runs, {data.qrels.items[0]: {"none": 1.0}}]
    scores = tare.evaluate(
        data.qrels, runs, ["nDCG@10", "Net(AP)", "V2(P@5)", "NumRet"], pool="judged", missing="skip"
    )
    for name, values in {
        "kind": {q: f"kind {k % 2}" for k, q in enumerate(scores.items) if k != 3},
        "length": {q: k for k, q in enumerate(scores.items)},
        "late": {scores.items[-1]: 2.5},
    }.items():
        scores = scores.with_attribute(name, values)
    return scores


def summed() -> tare.Scores:
    """Statistics of texts, which are lists."""
    pytest.importorskip("sacrebleu", reason="the extra mt is not installed")
    systems = {"x": ["a b c d e", "b c d e f", "c"], "y": ["a b", "c d", "e f g"]}
    references = ["a b c d e", "b c e f", "c d"]
    return tare.evaluate_texts(systems, references, ["BLEU", "ROUGE-1"])


def content(path) -> tuple[pl.DataFrame, bytes, int]:
    with pq.ParquetFile(path) as file:
        return pl.read_parquet(path), file.metadata.metadata[b"tare"], file.num_row_groups


@pytest.mark.parametrize("rows", [1, 3, 7, 40, 150])
@pytest.mark.parametrize("make", [ranked, summed])
def test_row_groups_have_the_content_of_one(make, rows, tmp_path):
    scores = make()
    with cut(Seams()):
        scores.save(tmp_path / "whole.parquet")
    with cut(Seams(saved_rows=rows)):
        scores.save(tmp_path / "blocks.parquet")
    whole, about, one = content(tmp_path / "whole.parquet")
    blocks, same, groups = content(tmp_path / "blocks.parquet")
    assert (one, groups) == (1, -(-scores.values.size // rows))
    assert (blocks.schema, same) == (whole.schema, about)
    assert blocks.equals(whole)
    long = scores.to_frame()
    assert whole.select(long.columns).equals(long)
    loaded = tare.Scores.load(tmp_path / "blocks.parquet")
    assert np.array_equal(loaded.values, scores.values, equal_nan=True)
    assert (loaded.findings, loaded.signatures) == (scores.findings, scores.signatures)


@pytest.mark.parametrize("rows", [1, 20, 60, 1000])
def test_judged_shares_are_computed_for_a_few_systems_at_a_time(rows, tmp_path, monkeypatch):
    scores = ranked()
    cells = []
    whole = evaluate_rankings.score_judged

    def counted(rankings, measures, **options):
        cells.append((len(rankings), len(rankings) * len(scores.items) * len(measures)))
        return whole(rankings, measures, **options)

    monkeypatch.setattr(evaluate_rankings, "score_judged", counted)
    with cut(Seams(saved_rows=rows)):
        scores.save(tmp_path / "blocks.parquet")
    assert sum(systems for systems, _ in cells) == len(scores.systems)  # each once
    assert all(count <= rows or systems == 1 for systems, count in cells)
    assert (len(cells) == 1) == (rows == 1000)


def test_a_table_without_items(tmp_path):
    scores = ranked().select(items=[])
    scores.save(tmp_path / "none.parquet")
    found = pl.read_parquet(tmp_path / "none.parquet")
    assert (found.height, found.columns[:4]) == (0, ["system", "item", "measure", "value"])


@pytest.mark.parametrize("after", [0, 2])
def test_a_block_that_fails_leaves_the_old_file(tmp_path, monkeypatch, after):
    scores, path = ranked(), tmp_path / "scores.parquet"
    path.write_bytes(b"old")
    blocks = saved_scores.row_blocks

    def broken(*given):
        for k, block in enumerate(blocks(*given)):
            if k == after:
                raise OSError(errno.ENOSPC, "No space left on device")
            yield block

    monkeypatch.setattr(saved_scores, "row_blocks", broken)
    with cut(Seams(saved_rows=10)), pytest.raises(OSError, match="No space") as met:
        scores.save(path)
    assert met.value.errno == errno.ENOSPC
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["scores.parquet"]


def test_an_engine_writes_the_same_table(tmp_path):
    data = simulate(queries=9, seed=1)
    run = tmp_path / "made.run"
    data.runs[0].write(run)
    for name, engine in (("plain", None), ("engine", tare.engines.Local(memory=20_000, threads=2))):
        with cut(Seams(saved_rows=4, least_piece=100)):
            tare.evaluate(data.qrels, run, ["AP", "nDCG@5"], engine=engine).save(
                tmp_path / f"{name}.parquet"
            )
    plain, engine = (content(tmp_path / f"{name}.parquet") for name in ("plain", "engine"))
    assert plain[0].equals(engine[0])
    assert plain[1:] == engine[1:]
