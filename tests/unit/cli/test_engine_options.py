"""What a command says about finished parts if its engine fails."""

from __future__ import annotations

import os

import pytest

from tare._cli.engines import EngineOptions
from tare.errors import EngineError


class Failing:
    """An engine of which the head may be lost."""

    def __init__(self, lost: bool) -> None:
        self.lost = lost

    def close(self) -> None:
        pass


class Ended(BaseException):
    """The end of the process."""


@pytest.fixture
def opened(monkeypatch):
    def end(code: int) -> None:
        assert code == 3
        raise Ended

    monkeypatch.setattr(os, "_exit", end)

    def make(lost, resume=None):
        monkeypatch.setattr(EngineOptions, "_engine", lambda self: Failing(lost))
        return EngineOptions("ray", resume=resume).opened()

    return make


@pytest.fixture
def kept(tmp_path):
    """Make a folder with some parts."""

    def make(count: int):
        for k in range(count):
            (tmp_path / f"part-{k:05d}-of-00009.npz").touch()
        return tmp_path

    return make


def test_a_lost_head_without_parts(opened, capsys):
    with pytest.raises(Ended), opened(True):
        raise ValueError
    assert capsys.readouterr().err == (
        "tare: the head of the cluster was lost. Nothing was written; start the cluster again, and run the "
        "command again.\n"
    )


def test_a_folder_without_parts_is_not_mentioned(opened, kept, capsys):
    with pytest.raises(Ended), opened(True, kept(0)):
        raise ValueError
    assert "Nothing was written; start" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("count", "words"), [(1, "1 finished part is"), (4, "4 finished parts are")]
)
def test_finished_parts_are_mentioned_if_the_head_is_lost(opened, kept, capsys, count, words):
    folder = kept(count)
    with pytest.raises(Ended), opened(True, folder):
        raise ValueError
    said = capsys.readouterr().err
    assert "Nothing was written" not in said
    assert said.endswith(
        f"No scores were written; start the cluster again, and run the command again. {words} kept in {folder}; "
        "the same command continues from there.\n"
    )


def test_an_error_that_was_noticed_mentions_them_once(opened, kept, capsys):
    folder = kept(2)
    with pytest.raises(Ended), opened(True, folder):
        raise EngineError("a.run: the head does not respond. Nothing was scored; try again.")
    assert capsys.readouterr().err.count("2 finished parts are kept") == 1


def test_other_errors_of_an_engine_mention_them_too(opened, kept):
    with (
        pytest.raises(EngineError, match=r"no place\. 2 finished parts are kept in .* continues"),
        opened(False, kept(2)),
    ):
        raise EngineError("no place.")
