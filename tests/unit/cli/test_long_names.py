"""A name that is too long for a file is reported as one that cannot be read."""

from __future__ import annotations

import pytest

from tare import read_qrels, read_runs
from tare._cli.main import main
from tare.errors import UnreadableError

LONG = "a" * 5000
PATTERN = "a[" * 2500


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "q").write_text("1 0 d 1\n1 0 e 0\n")
    (tmp_path / "r").write_text("1 Q0 d 1 2 x\n1 Q0 e 2 1 x\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", [LONG, PATTERN], ids=["plain", "pattern"])
@pytest.mark.parametrize(
    "words",
    [
        "score NAME r",
        "score q NAME",
        "score q NAME --engine local",
        "score -m AP q NAME",
        "trec_eval q NAME",
        "check NAME",
        "leaderboard NAME",
        "gate q r --baseline NAME -m AP:0.1",
        "estimate NAME NAME r",
        "study judges NAME NAME",
        "report q r --queries NAME",
        "report q r --documents NAME",
        "part q NAME --index 0 --of 2 -o p.npz",
        "view NAME r",
        "view q NAME",
        "judge create NAME -o x",
    ],
)
def test_verbs(folder, monkeypatch, capsys, words, name):
    monkeypatch.setattr("sys.argv", ["tare", *(name if w == "NAME" else w for w in words.split())])
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main())
    said = capsys.readouterr().err
    assert ended.value.code in (2, 3)
    assert name[:60] in said
    assert "cannot be written" not in said
    assert "bug in tare" not in said


@pytest.mark.parametrize("name", [LONG, PATTERN], ids=["plain", "pattern"])
@pytest.mark.parametrize("read", [read_qrels, read_runs])
def test_readers(read, name):
    with pytest.raises(UnreadableError, match=r"too long|no file matches"):
        read(name)
