"""The chart script is made once, and a copy that others can change is not used."""

from __future__ import annotations

import hashlib
import os
import sys
from types import SimpleNamespace

import pytest

from tare.report import _page
from tare.report._page import cache_folder, vega_script

SCRIPT = "let chart = 'é\u2028';\r\n"


@pytest.fixture
def made(monkeypatch, tmp_path):
    """A converter that counts its bundles; its copy is in the folder `cache`."""
    calls = []
    fake = SimpleNamespace(__version__="9.9", javascript_bundle=lambda: calls.append(1) or SCRIPT)
    monkeypatch.setattr(_page, "converter", lambda: fake)
    monkeypatch.setenv("TARE_CACHE", str(tmp_path / "cache"))
    vega_script.cache_clear()
    yield calls
    vega_script.cache_clear()


def again():
    """Return the script as another process would."""
    vega_script.cache_clear()
    return vega_script()


def kept_in(folder):
    return folder / "cache" / "vega-9.9.js"


def test_it_is_made_once(made, tmp_path):
    assert [again(), again(), again()] == [SCRIPT] * 3
    assert len(made) == 1
    digest, _, script = kept_in(tmp_path).read_bytes().partition(b"\n")
    assert script == SCRIPT.encode()
    assert digest.decode() == hashlib.sha256(script).hexdigest()


@pytest.mark.parametrize("change", [b"", b"x", b"\n", b"\xff\xfe", None])
def test_a_damaged_copy_is_made_again(made, tmp_path, change):
    again()
    path = kept_in(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] if change is None else change)
    assert again() == SCRIPT
    assert len(made) == 2
    assert path.read_bytes() == whole


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o020, 0o002])
@pytest.mark.parametrize("part", ["file", "folder"])
def test_a_copy_that_others_can_change_is_not_used(made, tmp_path, part, mode):
    again()
    path = kept_in(tmp_path)
    foreign = b"alert(1)"
    path.write_bytes(hashlib.sha256(foreign).hexdigest().encode() + b"\n" + foreign)
    changed = path if part == "file" else path.parent
    changed.chmod(changed.stat().st_mode | mode)
    assert again() == SCRIPT
    assert len(made) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_the_copy_is_private_whatever_the_umask(made, tmp_path):
    before = os.umask(0)
    try:
        again()
    finally:
        os.umask(before)
    assert kept_in(tmp_path).stat().st_mode & 0o777 == 0o600
    assert kept_in(tmp_path).parent.stat().st_mode & 0o777 == 0o700
    again()
    assert len(made) == 1


def test_without_a_folder_it_is_made_each_time(made, tmp_path, monkeypatch):
    monkeypatch.setenv("TARE_CACHE", "")
    assert cache_folder() is None
    assert again() == again() == SCRIPT
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TARE_CACHE", str(tmp_path / "file" / "cache"))  # cannot be made
    assert again() == again() == SCRIPT
    assert len(made) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


@pytest.mark.skipif(sys.platform != "linux", reason="folders of Linux")
def test_the_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv("TARE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    assert cache_folder() == tmp_path / "there" / "tare"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "tare"
