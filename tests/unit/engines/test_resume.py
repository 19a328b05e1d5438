"""Jobs that are stopped and continue: the same bits, no part judged twice, no part of another job."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tare
from tare._kernels.threads_and_blocks import Seams, cut
from tare._measures.scores import Scores
from tare.engines import Local, Parts
from tare.engines._judged_runs import judge_piece
from tare.errors import MismatchError, OptionError, UnreadableError

MEASURES = ["AP", "nDCG@5", "Net(AP,pool=judged)", "E(RR,pool=corpus=1000)", "NumRet"]
SMALL = Seams(least_piece=1_500)


@pytest.fixture
def collection(tmp_path: Path) -> tuple[dict[str, dict[str, int]], list[Path]]:
    chance = random.Random(7)
    qrels = {f"q{q}": {f"d{d}": chance.choice([0, 1, 2]) for d in range(9)} for q in range(40)}
    runs = []
    for name in "ab":
        runs.append(tmp_path / f"{name}.run")
        rows = [(q, d, chance.choice([0.5, 1, 2])) for q in range(2, 42) for d in range(12)]
        runs[-1].write_text("".join(f"q{q} Q0 d{d} 1 {s} t\n" for q, d, s in rows))
    return qrels, runs


def evaluated(qrels: object, runs: object, folder: Path, **options: object) -> Scores:
    engine = Local(resume=folder, threads=2, memory=options.pop("memory", None))  # type: ignore[arg-type]
    with cut(SMALL):
        return tare.evaluate(qrels, runs, MEASURES, engine=engine, **options)  # type: ignore[arg-type]


def same(made: Scores, expected: Scores) -> None:
    assert made.systems == expected.systems
    assert made.signatures == expected.signatures
    assert made.findings == expected.findings
    assert np.array_equal(made.values, expected.values, equal_nan=True)


def test_finished_parts_are_not_judged_again(collection, tmp_path, monkeypatch) -> None:
    qrels, runs = collection
    expected = tare.evaluate(qrels, runs, MEASURES)
    folder = tmp_path / "kept"
    same(evaluated(qrels, runs, folder), expected)
    files = sorted(folder.iterdir())
    assert len(files) > 9
    same(tare.evaluate(qrels, folder, MEASURES, engine=Parts()), expected)  # for other measures
    judged = []

    def counted(judging, piece):
        judged.append(piece)
        return judge_piece(judging, piece)

    monkeypatch.setattr("tare.engines._batch_jobs.judge_piece", counted)
    for lost in ([], files[::3], files[1:]):
        judged.clear()
        for file in lost:
            file.unlink()
        # The number of parts stays that of the first call, whatever the memory is now.
        same(evaluated(qrels, runs, folder, memory=2_000), expected)
        assert len(judged) == len(lost) * len(runs)
    files[0].write_bytes(files[0].read_bytes()[:-40])  # damaged: judged again
    judged.clear()
    same(evaluated(qrels, runs, folder), expected)
    assert len(judged) == len(runs)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ties": "order"}, "ties was trec and is order"),
        ({"depth": 3}, "depth was None and is 3"),
        ({"unjudged": "condensed"}, "unjudged was nonrelevant and is condensed"),
    ],
)
def test_other_options_are_another_job(collection, tmp_path, options, words) -> None:
    qrels, runs = collection
    evaluated(qrels, runs, tmp_path / "kept")
    with pytest.raises(MismatchError, match=words):
        evaluated(qrels, runs, tmp_path / "kept", **options)


def change_in_place(run: Path) -> None:
    """Change the last document of a run; keep the size and the time of change."""
    about, text = run.stat(), run.read_bytes()
    place = text.rindex(b" d", 0, text.rindex(b" d"))
    digit = place + 2
    run.write_bytes(
        text[:digit] + (b"9" if text[digit : digit + 1] != b"9" else b"8") + text[digit + 1 :]
    )
    os.utime(run, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert (run.stat().st_size, run.stat().st_mtime_ns) == (about.st_size, about.st_mtime_ns)


def test_other_data_are_another_job(collection, tmp_path) -> None:
    qrels, runs = collection
    folder = tmp_path / "kept"
    evaluated(qrels, runs, folder)
    kept = {file: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(MismatchError, match="the judgements changed"):
        evaluated({**qrels, "q0": {"d0": 1}}, runs, folder)
    with pytest.raises(MismatchError, match=r"run 1 was .*a\.run and is .*b\.run"):
        evaluated(qrels, runs[::-1], folder)
    with pytest.raises(MismatchError, match="it has pieces of 2 runs, and there are 1 now"):
        evaluated(qrels, runs[:1], folder)
    os.utime(runs[1], ns=(1, 1))  # another time is no other run
    evaluated(qrels, runs, folder)
    change_in_place(runs[1])
    with pytest.raises(MismatchError, match=r"b\.run changed after this part was judged"):
        evaluated(qrels, runs, folder)
    assert {file: file.read_bytes() for file in folder.iterdir()} == kept
    (folder / "part-00000-of-00003.npz").write_bytes(b"")
    with pytest.raises(MismatchError, match="parts of several jobs are here"):
        evaluated(qrels, runs, folder)
    (folder / "part-x.npz").write_bytes(b"")
    with pytest.raises(MismatchError, match="this is not the name of a part"):
        evaluated(qrels, runs, folder)


def test_what_cannot_be_divided(collection, tmp_path) -> None:
    qrels, runs = collection
    with pytest.raises(OptionError, match="cannot be divided into parts"):
        evaluated(qrels, {"q1": {"a": 1.0}}, tmp_path / "kept")
    lines = runs[0].read_text().splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    runs[0].write_text("".join(lines))
    with pytest.raises(MismatchError, match="grouped by query"):
        evaluated(qrels, runs, tmp_path / "kept")


def test_candidates_are_checked_without_parts(collection, tmp_path) -> None:
    qrels, runs = collection
    lists = {f"q{q}": [f"d{d}" for d in range(12)] for q in range(42)}
    measures = ["Net(AP)"]
    expected = tare.evaluate(qrels, runs, measures, candidates=lists)
    for _ in range(2):
        engine = Local(resume=tmp_path / "kept")
        with cut(SMALL):
            same(tare.evaluate(qrels, runs, measures, candidates=lists, engine=engine), expected)


def test_an_engine_that_is_used_again_is_as_a_new_one(collection, tmp_path) -> None:
    qrels, runs = collection
    others = {**qrels, "q0": {"d0": 1}}
    lists = {f"q{q}": [f"d{d}" for d in range(12)] for q in range(42)}
    engine = Local(resume=tmp_path / "kept", threads=2)
    with cut(SMALL):
        tare.evaluate(qrels, runs, ["Net(AP)"], candidates=lists, engine=engine)
        kept = {file: file.read_bytes() for file in (tmp_path / "kept").iterdir()}
        with pytest.raises(
            MismatchError, match=r"the judgements changed .*another folder \(resume="
        ):
            tare.evaluate(others, runs, MEASURES, engine=engine)
        with pytest.raises(MismatchError, match="it has pieces of 2 runs, and there are 1 now"):
            tare.evaluate(qrels, runs[:1], MEASURES, engine=engine)
        with pytest.raises(MismatchError, match="depth was None and is 3"):
            tare.evaluate(qrels, runs, MEASURES, depth=3, engine=engine)
        # Parts serve every measure of the same job.
        same(
            tare.evaluate(qrels, runs, MEASURES, engine=engine),
            tare.evaluate(qrels, runs, MEASURES),
        )
        assert {file: file.read_bytes() for file in (tmp_path / "kept").iterdir()} == kept
        engine.resume = tmp_path / "other"
        made = tare.evaluate(others, runs, MEASURES, engine=engine)
        same(made, tare.evaluate(others, runs, MEASURES))
        assert len(list((tmp_path / "other").iterdir())) == len(kept)


SLOW = """
import sys, time, tare
from pathlib import Path
from tare._kernels.threads_and_blocks import Seams, set_seams
from tare.engines import Local, _batch_jobs as _judge_part

folder, log = sys.argv[1], Path(sys.argv[2])
judge = _judge_part.judge_piece

def slow(judging, piece):
    with log.open("a") as file:
        file.write(f"{piece}\\n")
    time.sleep(0.02)
    return judge(judging, piece)

_judge_part.judge_piece = slow
set_seams(Seams(least_piece=1_500))
print("ready", flush=True)
scores = tare.evaluate(folder + "/qrels.txt", [folder + "/a.run", folder + "/b.run"],
                       ["AP", "nDCG@5"], engine=Local(resume=folder + "/kept", threads=2))
print(scores.values.tobytes().hex())
"""


def test_a_job_that_is_killed_at_random_moments(collection, tmp_path) -> None:
    qrels, runs = collection
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, judged in qrels.items() for d, g in judged.items())
    )
    log = tmp_path / "log"
    chance = random.Random(11)
    kills = 0
    for _ in range(40):
        process = subprocess.Popen(
            [sys.executable, "-c", SLOW, str(tmp_path), str(log)],
            stdout=subprocess.PIPE,
            text=True,
            env={k: v for k, v in os.environ.items() if k != "TARE_SEAMS"},
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        if kills < 4:
            before = len(list((tmp_path / "kept").glob("part-*")))
            wanted = before + chance.randint(1, 3)
            while process.poll() is None:  # a moment after some more parts are finished
                if len(list((tmp_path / "kept").glob("part-*"))) >= wanted:
                    break
                time.sleep(0.001)
            time.sleep(chance.random() * 0.03)
            process.send_signal(chance.choice([signal.SIGKILL, signal.SIGINT]))
            process.communicate()
            kills += 1
            continue
        made = process.communicate()[0].strip()
        assert process.returncode == 0
        break
    expected = tare.evaluate(tmp_path / "qrels.txt", runs, ["AP", "nDCG@5"])
    assert made == expected.values.tobytes().hex()
    begun = log.read_text().splitlines()
    assert kills == 4
    # Only what was under way when the process ended, at most one part per thread, is repeated.
    assert len(set(begun)) <= len(begun) <= len(set(begun)) + kills * 2 * len(runs)


def test_a_place_that_cannot_keep_parts_is_refused(collection, tmp_path) -> None:
    qrels, runs = collection
    (tmp_path / "file").write_text("x")
    for place in ("file", "file/kept"):
        with pytest.raises(UnreadableError, match="finished parts cannot be kept in this folder"):
            evaluated(qrels, runs, tmp_path / place)
    assert (tmp_path / "file").read_text() == "x"
