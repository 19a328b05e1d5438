"""The front page of the docs shows a report, with or without a browser."""

import importlib.util
import shutil

import pytest

from tests.conftest import ROOT


@pytest.fixture
def pictures():
    pytest.importorskip("altair")
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "docs" / "pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_charts_are_shown_without_a_browser(pictures, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("TARE_CHROMIUM", raising=False)
    made = pictures.make_pictures(tmp_path / "made")
    assert [path.suffix for path in made] == [".svg"] * len(pictures.CHARTS)
    page = (tmp_path / "made" / "report.md").read_text()
    assert all(f"_pictures/{path.name}" in page for path in made)
    assert "chromium is not installed" in capsys.readouterr().err


def test_a_browser_that_fails_leaves_the_charts(pictures, monkeypatch, tmp_path):
    monkeypatch.setenv("TARE_CHROMIUM", "/bin/false")
    made = pictures.make_pictures(tmp_path / "made")
    assert [path.suffix for path in made] == [".svg"] * len(pictures.CHARTS)
