"""Inputs without an end or of absurd width are refused early, in little memory."""

import resource
import subprocess

import pytest

MEMORY = 2 << 30


def bounded(tare, *arguments):
    """The command with 2 GiB of memory."""
    return subprocess.run(
        tare.command(*arguments),
        cwd=tare.folder,
        env={**tare.environment, "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        input=b"",
        capture_output=True,
        timeout=600,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


CALLS = {
    "run": ("score", "qrels.txt", "/dev/zero"),
    "qrels": ("score", "/dev/zero", "bm25.run"),
    "both": ("check", "/dev/zero", "/dev/zero"),
    "csv": ("score", "qrels.txt", "zero.csv"),
    "jsonl": ("score", "qrels.txt", "zero.jsonl"),
    "parquet": ("score", "qrels.txt", "zero.parquet"),
    "packed": ("score", "qrels.txt", "zero.gz"),
    "trec_eval": ("trec_eval", "qrels.txt", "/dev/zero"),
    "trec_eval qrels": ("trec_eval", "/dev/zero", "bm25.run"),
    "ndeval": ("ndeval", "/dev/zero", "bm25.run"),
    "letor": ("rank", "/dev/zero", "l.txt", "--ranker", "feature"),
    "text": ("text", "/dev/zero"),
    "engine": ("score", "qrels.txt", "/dev/zero", "--engine", "local"),
    "compare": ("compare", "zero.csv"),
    "agree": ("agree", "/dev/zero"),
    "model": ("rank", "zero.json", "l.txt"),
    "plan": ("judge", "create", "zero.toml"),
    "journal": ("study", "discrimination", "s.csv", "--journal", "/dev/zero"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_line_without_an_end_is_refused(tare, name):
    for suffix in ("csv", "jsonl", "parquet", "gz", "json", "toml"):
        (tare.folder / f"zero.{suffix}").symlink_to("/dev/zero")
    (tare.folder / "s.csv").write_text(
        "system,item,measure,value\n"
        + "".join(f"{s},{q},AP,0.{s}{q}\n" for s in range(3) for q in range(9))
    )
    (tare.folder / "l.txt").write_text("1 qid:1 1:1\n0 qid:1 1:0\n")
    done = bounded(tare, *CALLS[name])
    said = done.stderr.decode()
    assert done.returncode in (2, 3), said
    assert "bug in tare" not in said
    assert "not enough memory" not in said
    assert "zero" in said


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_table_of_a_million_columns_is_refused_before_it_is_read(tare, suffix):
    sign = "," if suffix == "csv" else "\t"
    header = sign.join(["query", "document", "score", *(f"x{i}" for i in range(10**6))])
    row = sign.join(["q1", "a", "1", *("0" for _ in range(10**6))])
    path = tare.folder / f"wide.{suffix}"
    path.write_text(f"{header}\n{row}\n")
    done = bounded(tare, "score", "qrels.txt", f"wide.{suffix}")
    assert done.returncode == 3
    assert (
        f"wide.{suffix}, line 1: 1,000,003 columns; at most 10,000 are accepted"
        in done.stderr.decode()
    )
