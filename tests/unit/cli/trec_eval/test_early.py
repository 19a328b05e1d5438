"""Judgements that are read while modules are loaded: nothing that is printed depends on it."""

from __future__ import annotations

import gzip
import subprocess
import sys
from dataclasses import replace

import pytest

from tare._cli.trec_eval import main
from tare._kernels.early import EarlyQrels
from tare._kernels.seams import cut, seams

RUN = "".join(f"q{q} Q0 d{d} {d + 1} {9 - d} t\n" for q in range(3) for d in range(9))
GOOD = "".join(f"q{q} 0 d{d} {(q + d) % 3}\n" for q in range(4) for d in range(0, 12, 2))
FILES = {
    "good": GOOD.encode(),
    "no line feed at the end": GOOD.encode().rstrip(),
    "windows": GOOD.replace("\n", "\r\n").encode(),
    "packed": gzip.compress(GOOD.encode()),
    "empty": b"",
    "a letter": b"q",
    "missing field": GOOD.encode() + b"q1 0 d77\n",
    "five fields": GOOD.encode() + b"q1 0 d77 1 x\n",
    "fraction": GOOD.encode() + b"q1 0 d77 0.5\n",
    "duplicate": GOOD.encode() + b"q1 0 d0 1\n",
    "two grades": GOOD.encode() + b"q1 0 d0 2\n",
    "not text": bytes(range(256)) * 8,
}


def printed(capfdbinary, words):
    code = main(words)
    return code, *capfdbinary.readouterr()


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
@pytest.mark.parametrize("kind", FILES)
def test_the_output_is_the_same(tmp_path, capfdbinary, kind, block):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "t.run"
    qrels.write_bytes(FILES[kind])
    run.write_text(RUN)
    words = ["-q", "-c", "-m", "all_trec", str(qrels), str(run)]
    found = []
    for least in (0, 1 << 40):
        with cut(replace(seams(), early_bytes=least, block=block)):
            found.append(printed(capfdbinary, words))
    assert found[0] == found[1]
    assert (found[0][0] == 0) == (kind in ("good", "no line feed at the end", "windows", "packed"))


def test_only_plain_files_of_some_size_are_read_early(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text(GOOD)
    with cut(replace(seams(), early_bytes=10)):
        early = EarlyQrels.of(str(path))
        assert early is not None
        result = early.result()
        assert result is not None
        reader, rows, index = result
        assert (reader.lines, len(rows), index.queries) == (24, 24, ["q0", "q1", "q2", "q3"])
        assert EarlyQrels.of(str(tmp_path)) is None
        assert EarlyQrels.of(str(tmp_path / "none")) is None
        assert EarlyQrels.of("a\0b") is None
        path.write_bytes(gzip.compress(GOOD.encode()))
        packed = EarlyQrels.of(str(path))
        assert packed is not None
        assert packed.result() is None
    with cut(replace(seams(), early_bytes=1 << 20)):
        assert EarlyQrels.of(str(path)) is None


def test_an_invalid_call_does_not_wait_for_the_judgements(tmp_path, capfdbinary, monkeypatch):
    path = tmp_path / "qrels.txt"
    path.write_text(GOOD)
    cancelled = []
    monkeypatch.setattr(EarlyQrels, "cancel", lambda self: cancelled.append(self.path))
    with cut(replace(seams(), early_bytes=0)):
        assert main(["-m", "no_such_measure", str(path), str(path)]) == 1
    assert cancelled == [str(path)]


def test_reading_early_loads_no_numpy():
    code = "import sys, tare._kernels.early, tare._cli.trec_eval.options; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
