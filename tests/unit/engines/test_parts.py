"""Parts of a batch job: the same numbers as in one process, and clear errors for parts that do not fit."""

import gzip
import hashlib
import io
import json
import os
import random
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import tare
from tare._cli.main import main
from tare._kernels.threads_and_blocks import Seams, cut
from tare.engines import Local, Parts, judge_part
from tare.engines._pieces import TablePiece
from tare.errors import FormatError, MismatchError, OptionError, TareError

MEASURES = ["nDCG@10", "AP", "bpref", "Net(nDCG@10)", "NumRet"]


def collection(seed: int = 1) -> dict[str, dict[str, int]]:
    random_ = random.Random(seed)
    return {
        f"q{q}": {f"d{i}": random_.randrange(-1, 4) for i in random_.sample(range(40), 15)}
        for q in range(12)
    }


def rows(seed: int, queries: int = 14) -> list[tuple[str, str, int]]:
    """Rows grouped by query, with ties, unjudged queries and queries that are missing."""
    random_ = random.Random(seed)
    return [
        (f"q{q}", f"d{i}", random_.randrange(6))
        for q in range(1, queries)
        for i in random_.sample(range(40), 9)
    ]


def text(found) -> str:
    return "".join(f"{q} Q0 {d} 0 {s} tag\n" for q, d, s in found)


@pytest.fixture
def runs(tmp_path):
    paths = [tmp_path / "a.run", tmp_path / "b.run", tmp_path / "c.run.gz", tmp_path / "d.parquet"]
    paths[0].write_text(text(rows(1)))
    paths[1].write_text(text(rows(2, 4)))
    paths[2].write_bytes(gzip.compress(text(rows(3)).encode()))
    columns = {
        name: [row[k] for row in rows(4)] for k, name in enumerate(("query", "document", "score"))
    }
    pl.DataFrame(columns).write_parquet(paths[3])
    return paths


def parts(folder, qrels, runs, of, **options):
    return [
        judge_part(qrels, runs, index=i, of=of, output=folder / f"parts{of}", **options)
        for i in range(of)
    ]


@pytest.mark.parametrize("of", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("ties", ["trec", "expected"])
def test_the_numbers_are_those_of_one_process(tmp_path, runs, of, ties):
    qrels = collection()
    measures = [*MEASURES, "LRAP"] if ties == "trec" else MEASURES
    whole = tare.evaluate(qrels, runs, measures, pool="judged", ties=ties)
    with cut(Seams(line_window=5, row_window=3, block=17, trec_share=40, judging_share=40)):
        files = parts(tmp_path, qrels, runs, of, ties=ties)
    joined = tare.evaluate(qrels, [*reversed(files)], measures, pool="judged", engine=Parts())
    assert joined.systems == whole.systems
    assert (joined.values == whole.values).all()
    assert joined.findings == whole.findings
    assert joined.signatures == whole.signatures


@pytest.mark.parametrize("of", [1, 2, 3])
@pytest.mark.parametrize("duplicates", [0, 7])
def test_a_part_of_a_large_table_is_judged_in_small_pieces(tmp_path, of, duplicates, monkeypatch):
    """In the same file, byte for byte, as by a process that judges all rows of the part at once."""
    found, names = rows(4), ("query", "document", "score")
    found[::9] = [
        (q, found[k * 9 + 1][1] if k < duplicates else d, s)
        for k, (q, d, s) in enumerate(found[::9])
    ]
    table = tmp_path / "run.parquet"
    pl.DataFrame({name: [row[k] for row in found] for k, name in enumerate(names)}).write_parquet(
        table
    )
    counts = []
    read = TablePiece.rows
    monkeypatch.setattr(TablePiece, "rows", lambda self: counts.append(self.count) or read(self))
    with cut(Seams(table_rows=1000)):
        whole = [file.read_bytes() for file in parts(tmp_path, collection(), table, of)]
    assert len(counts) == of
    counts.clear()
    with cut(Seams(table_rows=10, row_window=3)):
        files = parts(tmp_path, collection(), table, of)
    assert max(counts) <= 10 + 9  # a piece ends with its last query
    assert len(counts) > 2 * of
    assert [file.read_bytes() for file in files] == whole


def test_a_part_of_a_table_that_is_not_grouped_is_judged_at_once(tmp_path, runs):
    found = sorted(rows(4), key=lambda row: row[1])
    table = tmp_path / "run.parquet"
    names = ("query", "document", "score")
    pl.DataFrame({name: [row[k] for row in found] for k, name in enumerate(names)}).write_parquet(
        table
    )
    whole = tare.evaluate(collection(), table, MEASURES, pool="judged")
    with cut(Seams(table_rows=10, row_window=3)):
        files = parts(tmp_path, collection(), table, 1)
    joined = tare.evaluate(collection(), files, MEASURES, pool="judged", engine=Parts())
    assert (joined.values == whole.values).all()


@pytest.mark.parametrize("grouped", [True, False])
def test_the_tables_of_a_part_are_judged_together(tmp_path, grouped, monkeypatch):
    """Threads wait for each other once per part, not at the end of each table."""
    table = tmp_path / "run"
    table.mkdir()
    names = ("query", "document", "score")
    found = rows(5)
    for number in range(6):
        some = found[18 * number : 18 * (number + 1)]
        ordered = some if grouped or number != 4 else sorted(some, key=lambda row: row[1])
        columns = {name: [row[k] for row in ordered] for k, name in enumerate(names)}
        pl.DataFrame(columns).write_parquet(table / f"{number}.parquet")
    whole = tare.evaluate(collection(), table, MEASURES, pool="judged", engine="local")
    calls = []
    mapped = Local.map_partitions
    monkeypatch.setattr(
        Local,
        "map_partitions",
        lambda self, *given, **how: calls.append(len(given[2])) or mapped(self, *given, **how),
    )
    with cut(Seams(table_rows=4, row_window=3)):
        files = parts(tmp_path, collection(), table, 2)
    assert len(calls) <= 2 * 2  # pieces that reveal rows that are not grouped, and the others
    assert not grouped or sum(calls) == 12  # two queries in each of the six tables
    joined = tare.evaluate(collection(), files, MEASURES, pool="judged", engine=Parts())
    assert (joined.values == whole.values).all()
    assert joined.findings == whole.findings


def test_rows_that_are_not_grouped_within_a_part_are_read(tmp_path):
    found = rows(5)
    random.Random(0).shuffle(found)
    path = tmp_path / "mixed.run"
    path.write_text(text(found))
    whole = tare.evaluate(collection(), path, "AP")
    one = parts(tmp_path, collection(), [path], 1)
    assert (tare.evaluate(collection(), one, "AP", engine=Parts()).values == whole.values).all()
    with pytest.raises(
        MismatchError, match=r"mixed\.run: the rows of a query are in several parts.*sort -s -k1,1"
    ):
        tare.evaluate(collection(), parts(tmp_path, collection(), [path], 3), "AP", engine=Parts())


def test_problems_name_their_lines_in_the_whole_file(tmp_path):
    path = tmp_path / "bad.run"
    lines = text(rows(1)).splitlines()
    path.write_text("\n".join([*lines[:90], "q9 Q0 d1 0 high tag", *lines[90:]]) + "\n")
    with pytest.raises(FormatError) as whole:
        tare.evaluate(collection(), path, "AP")
    with pytest.raises(FormatError) as joined:
        tare.evaluate(collection(), parts(tmp_path, collection(), [path], 4), "AP", engine=Parts())
    assert "line 91" in str(joined.value)
    assert str(joined.value) == str(whole.value)


def test_parts_that_do_not_fit_are_refused(tmp_path, runs):
    qrels = collection()
    files = parts(tmp_path, qrels, runs[:1], 3)

    def join(*given, labels=qrels):
        return tare.evaluate(labels, list(given), "AP", engine=Parts())

    with pytest.raises(MismatchError, match=r"1 of 3 parts are missing \(1\)"):
        join(files[0], files[2])
    with pytest.raises(MismatchError, match="part 0 is also in"):
        join(files[0], *files)
    with pytest.raises(MismatchError, match="judged with other judgements"):
        join(*files, labels=collection(2))
    other = parts(tmp_path / "other", qrels, runs[:1], 3, depth=5)
    with pytest.raises(
        MismatchError, match="part of another job than .*depth 5.* here, .*depth all.* there"
    ):
        join(files[0], other[1], files[2])
    runs[0].write_text(text(rows(9)))
    later = judge_part(qrels, runs[:1], index=1, of=3, output=tmp_path / "later")
    with pytest.raises(MismatchError, match="a.run changed between them"):
        join(files[0], later, files[2])
    (tmp_path / "empty").mkdir()
    with pytest.raises(MismatchError, match="no part files"):
        join(tmp_path / "empty")


@pytest.mark.parametrize(("index", "of"), [(-1, 3), (3, 3), (0, 0), (0, 10**9)])
def test_numbers_of_parts_are_checked(tmp_path, runs, index, of):
    with pytest.raises(OptionError, match="is not possible"):
        judge_part(collection(), runs, index=index, of=of, output=tmp_path)


def test_runs_that_are_not_files_are_refused(tmp_path):
    with pytest.raises(OptionError, match="cannot be divided into parts"):
        judge_part(collection(), {"q1": {"d1": 1.0}}, index=0, of=2, output=tmp_path)


def test_damaged_parts_are_refused(tmp_path, runs):
    (path,) = parts(tmp_path, collection(), runs[:2], 1)
    data = path.read_bytes()
    for broken in (b"", data[:-1], data[:500], data[:300] + b"x" + data[301:]):
        path.write_bytes(broken)
        with pytest.raises(
            FormatError, match="damaged, incomplete or no part. Run `tare part` again"
        ):
            tare.evaluate(collection(), [path], "AP", engine=Parts())


def sealed(arrays) -> bytes:
    """A part file with the right checksum, whatever it holds."""
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue() + hashlib.blake2b(content.getvalue(), digest_size=32).digest()


@pytest.mark.parametrize("seed", range(60))
def test_arrays_that_do_not_fit_never_reach_the_core(tmp_path, runs, seed):
    (path,) = parts(tmp_path, collection(), runs[:2], 1)
    with np.load(io.BytesIO(path.read_bytes()[:-32])) as held:
        arrays = {key: held[key].copy() for key in held.files}
    random_ = random.Random(seed)
    name = random_.choice([key for key in arrays if key != "facts"])
    column = arrays[name]
    match random_.randrange(4):
        case 0 if len(column):
            values = (0, 255) if column.itemsize == 1 else (-1, 0, 2**31 - 1)
            column[random_.randrange(len(column))] = random_.choice(values)
        case 1:
            arrays[name] = column[: len(column) // 2]
        case 2:
            arrays[name] = column.astype(np.float64)
        case _:
            facts = json.loads(arrays["facts"].tobytes())
            key = random_.choice(list(facts))
            facts[key] = random_.choice([None, -1, "x", [], {}])
            arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    path.write_bytes(sealed(arrays))
    try:
        found = tare.evaluate(collection(), [path], ["nDCG@10", "AP"], engine=Parts())
    except TareError:
        return
    assert np.isfinite(found.values).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [("count", "3"), ("count", -1), ("count", True), ("severity", "loud"), ("examples", 5)],
)
def test_findings_of_a_part_are_checked(tmp_path, name, value):
    run = tmp_path / "twice.run"
    run.write_text("q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n")
    (path,) = parts(tmp_path, {"q1": {"d1": 1}}, [run], 1)
    with np.load(io.BytesIO(path.read_bytes()[:-32])) as held:
        arrays = {key: held[key].copy() for key in held.files}
    facts = json.loads(arrays["facts"].tobytes())
    one = {"kind": "k", "message": "m", "count": 1, "severity": "note", "examples": []}
    facts["pieces"][0]["findings"] = [one | {name: value}]
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    path.write_bytes(sealed(arrays))
    with pytest.raises(FormatError, match="Run `tare part` again"):
        tare.evaluate({"q1": {"d1": 1}}, [path], "AP", engine=Parts())


@pytest.mark.parametrize("change", ["rows", "duplicates", "problem_count", "problems"])
def test_counts_of_a_part_fit_together(tmp_path, runs, change):
    (path,) = parts(tmp_path, collection(), runs[:1], 1)
    with np.load(io.BytesIO(path.read_bytes()[:-32])) as held:
        arrays = {key: held[key].copy() for key in held.files}
    facts = json.loads(arrays["facts"].tobytes())
    piece = facts["pieces"][0]
    if change in ("rows", "duplicates"):
        piece[change] = {"rows": 0, "duplicates": 2**63}[change]
    elif change == "problem_count":
        piece["reading"]["problem_count"] = 2**63
    else:
        piece["reading"]["problems"] = [[1, "fields", "x"]]
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    path.write_bytes(sealed(arrays))
    with pytest.raises(FormatError, match="Run `tare part` again"):
        tare.evaluate(collection(), [path], "AP", engine=Parts())


@pytest.mark.parametrize("fact", ["of", "pieces"])
def test_a_part_that_says_there_are_very_many_needs_no_memory_for_them(tmp_path, runs, fact):
    (path,) = parts(tmp_path, collection(), runs[:1], 1)
    with np.load(io.BytesIO(path.read_bytes()[:-32])) as held:
        arrays = {key: held[key].copy() for key in held.files}
    text = arrays["facts"].tobytes().decode()
    changed = re.sub(rf'"{fact}": 1\b', f'"{fact}": {10**15}', text)
    assert changed != text
    arrays["facts"] = np.frombuffer(changed.encode(), dtype=np.uint8)
    path.write_bytes(sealed(arrays))
    with pytest.raises(MismatchError, match=r"parts are missing|different files"):
        tare.evaluate(collection(), [path], "AP", engine=Parts())


def test_plain_processes_do_a_batch_job(tmp_path, runs, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, of in collection().items() for d, g in of.items())
    )
    command = [sys.executable, "-m", "tare._cli.main", "part", "qrels.txt", "a.run", "d.parquet"]
    started = [
        subprocess.Popen(
            [*command, "--index", str(i), "--of", "3", "-o", "parts"],
            env=os.environ | {"TARE_SEAMS": str(i)},
        )
        for i in range(3)
    ]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert main(["join", "qrels.txt", "parts", "-m", "nDCG@10", "AP", "--format", "csv"]) == 0
    joined = capsys.readouterr().out
    assert (
        main(["score", "qrels.txt", "a.run", "d.parquet", "-m", "nDCG@10", "AP", "--format", "csv"])
        == 0
    )
    assert joined == capsys.readouterr().out
    assert main(["join", "qrels.txt", "-m", "AP"]) == 2
    assert main(["part", "qrels.txt", "--index", "0", "--of", "2", "-o", "parts"]) == 2


def listed(found, lists) -> dict[str, list[str]]:
    """The candidates of each query: what is retrieved, and some more."""
    for query, document, _ in found:
        lists.setdefault(query, []).append(document)
    return lists


@pytest.mark.parametrize("of", [1, 3])
def test_candidates_are_checked_against_the_runs(tmp_path, runs, of, monkeypatch, capsys):
    qrels = collection()
    lists = {q: list(judged) for q, judged in qrels.items()}
    for seed, queries in ((1, 14), (2, 4), (3, 14), (4, 14)):
        listed(rows(seed, queries), lists)
    lists = {q: list(dict.fromkeys(documents)) for q, documents in lists.items()}
    expected = tare.evaluate(qrels, runs, MEASURES, candidates=lists)
    made = parts(tmp_path, qrels, runs, of)
    scores = tare.evaluate(qrels, made, MEASURES, candidates=lists, engine=Parts())
    assert np.array_equal(scores.values, expected.values, equal_nan=True)
    assert scores.findings == expected.findings
    fewer = lists | {"q3": lists["q3"][:20]}
    with pytest.raises(MismatchError) as usual:
        tare.evaluate(qrels, runs, MEASURES, candidates=fewer)
    with pytest.raises(MismatchError, match=re.escape(str(usual.value))):
        tare.evaluate(qrels, made, MEASURES, candidates=fewer, engine=Parts())
    monkeypatch.chdir(tmp_path)
    tare.read_qrels(qrels).write("qrels.txt")
    (tmp_path / "candidates.txt").write_text(
        "".join(f"{q} {d}\n" for q, ds in lists.items() for d in ds)
    )
    assert (
        main(["join", "qrels.txt", f"parts{of}", "-m", "AP", "--candidates", "candidates.txt"]) == 0
    )
    assert "Net(AP)" in capsys.readouterr().out
    runs[1].write_text(text(rows(5, 4)))
    with pytest.raises(MismatchError, match=r"b\.run changed after its parts were judged"):
        tare.evaluate(qrels, made, MEASURES, candidates=lists, engine=Parts())
    runs[1].unlink()
    with pytest.raises(
        TareError, match=r"b\.run: .* is read again to compare it with the candidates"
    ):
        tare.evaluate(qrels, made, MEASURES, candidates=lists, engine=Parts())


def test_candidates_of_runs_with_several_systems(tmp_path):
    qrels = collection()
    table = pl.DataFrame(
        [(s, *row) for s in ("x", "y") for row in rows(1 if s == "x" else 2)],
        schema=["system", "query", "document", "score"],
        orient="row",
    )
    table.write_parquet(tmp_path / "both.parquet", row_group_size=20)
    lists = {q: [f"d{i}" for i in range(40)] for q in [*qrels, *(f"q{q}" for q in range(1, 14))]}
    paths = [tmp_path / "both.parquet"]
    expected = tare.evaluate(qrels, paths, MEASURES, candidates=lists)
    made = parts(tmp_path, qrels, paths, 2)
    scores = tare.evaluate(qrels, made, MEASURES, candidates=lists, engine=Parts())
    assert (scores.systems, scores.findings) == (expected.systems, expected.findings)
    assert np.array_equal(scores.values, expected.values, equal_nan=True)
