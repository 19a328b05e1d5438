"""What a command says about finished parts if its engine fails."""

from __future__ import annotations

import pytest

from tare._cli.engines import EngineOfScores
from tare.engines import Local
from tare.errors import EngineError


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, ""),
        (1, " 1 finished part is kept in {}; the same command continues from there."),
        (4, " 4 finished parts are kept in {}; the same command continues from there."),
    ],
)
def test_an_error_of_an_engine_mentions_finished_parts(tmp_path, monkeypatch, count, words):
    for k in range(count):
        (tmp_path / f"part-{k:05d}-of-00009.npz").touch()
    monkeypatch.setattr(EngineOfScores, "_engine", lambda self: Local(threads=1))
    with pytest.raises(EngineError) as error, EngineOfScores("ray", resume=tmp_path).opened():
        raise EngineError("no place.")
    assert str(error.value) == "no place." + words.format(tmp_path)
