"""The contract of results: tables, frames, files, notebooks."""

import builtins
import json
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from tare._result import MultiTableResult, Result
from tare._tables import Column, Table
from tare.errors import MissingExtraError, OptionError
from tare.report._blocks import Figure
from tare.report._figures import drawn

ROWS = [
    {"system": "a", "mean": 0.5, "n": 3, "better": True},
    {"system": "=b", "mean": float("nan"), "n": None, "better": None, "note": "new"},
]


@dataclass(frozen=True, repr=False)
class Single(Result):
    seed: int = 7

    def answer(self):
        return "A is best."

    def rows(self):
        return ROWS

    def facts(self):
        return {"seed": np.int64(self.seed), "band": np.array([0.1, np.inf]), "who": ("x", None)}

    def details(self):
        return {"cells": {"a": np.array([[1, 2]])}}

    def table(self):
        rows = [(row["system"], row["mean"]) for row in ROWS]
        return Table.of(["system", Column("mean")], rows, title="Means")


class Several(MultiTableResult):
    def answer(self):
        return "X is first."

    def tables(self):
        return {"first": Table.of(["a"], [["x"]]), "a/b": Table.of(["b"], [["y"]], title="Second")}

    def all_rows(self):
        return {"first": [{"a": "x"}], "a/b": [{"b": "y", "v": float("inf")}], "more": [{"c": 1}]}


def test_rows_become_a_frame_with_all_keys():
    frame = Single().to_frame()
    assert frame.columns == ["system", "mean", "n", "better", "note"]
    assert frame["n"].to_list() == [3, None]
    assert frame["note"].to_list() == [None, "new"]
    assert Several().to_frame().rows() == [("x",)]
    assert list(Several().frames()) == ["first", "a/b", "more"]


def test_pandas_needs_no_pyarrow(monkeypatch):
    real = builtins.__import__

    def without_pyarrow(name, *rest):
        if name.split(".")[0] == "pyarrow":
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_pyarrow)
    frame = Single().to_pandas()
    assert list(frame.columns) == ["system", "mean", "n", "better", "note"]
    assert frame["mean"].dtype == float
    assert list(frame["system"]) == ["a", "=b"]
    assert frame["n"].isna().tolist() == [False, True]
    assert list(Several().to_pandas()["a"]) == ["x"]


def test_a_missing_pandas_is_named(monkeypatch):
    real = builtins.__import__

    def without_pandas(name, *rest):
        if name == "pandas":
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(MissingExtraError, match="pip install pandas$"):
        Single().to_pandas()


def test_dictionaries_hold_plain_json_values():
    made = Single().to_dict()
    assert made["rows"][1]["mean"] is None
    assert (made["seed"], made["band"], made["who"]) == (7, [0.1, None], ["x", None])
    assert made["cells"] == {"a": [[1, 2]]}
    assert json.loads(Single().to_json()) == made
    assert (made["answer"], Several().to_dict()["answer"]) == ("A is best.", "X is first.")
    assert Several().to_dict()["a/b"] == [{"b": "y", "v": None}]
    json.dumps(Several().to_dict(), allow_nan=False)


def test_latex_holds_every_table(tmp_path):
    text = Several().to_latex(tmp_path / "t.tex")
    assert text.count(r"\toprule") == 2
    assert (tmp_path / "t.tex").read_text() == text


def test_text_and_notebooks_show_every_table():
    found = Several()
    assert repr(found) == str(found) == "\n\n".join(str(t) for t in found.tables().values())
    bundle = found._repr_mimebundle_()
    assert list(bundle) == ["text/plain", "text/html", "text/markdown", "text/latex"]
    assert bundle["text/html"] == found._repr_html_()
    assert bundle["text/html"].count("<table") == 2
    assert bundle["text/markdown"].count("|---") + bundle["text/markdown"].count("| ---") == 2
    assert list(found._repr_mimebundle_(include=["text/html"])) == ["text/html"]
    assert "text/latex" not in found._repr_mimebundle_(exclude=["text/latex"])
    assert "Means" in repr(Single())  # not the fields of the dataclass


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_frames_are_saved(tmp_path, suffix):
    path = Single().save(tmp_path / f"rows{suffix}")
    if suffix == ".parquet":
        assert pl.read_parquet(path).equals(Single().to_frame())
    else:
        first, *_ = path.read_text().splitlines()
        assert first.split("\t" if suffix == ".tsv" else ",")[:2] == ["system", "mean"]
        assert "'=b" in path.read_text()  # a spreadsheet must not run it


@pytest.mark.parametrize(
    ("suffix", "has"),
    [
        (".md", "| b"),
        (".tex", r"\toprule"),
        (".html", "<table"),
        (".txt", "Second"),
        (".json", '"more"'),
    ],
)
def test_tables_are_saved(tmp_path, suffix, has):
    assert has in Several().save(tmp_path / f"t{suffix}").read_text()


def test_a_folder_gets_all_rows_and_tables(tmp_path):
    folder = Several().save(tmp_path / "kept")
    assert {path.name for path in folder.iterdir()} == {
        *("first.csv", "a-b.csv", "more.csv", "first.md", "a-b.md"),
    }


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(OptionError, match=r"unknown suffix '.docx'. Accepted: .json, .csv"):
        Several().save(tmp_path / "t.docx")
    assert not list(tmp_path.iterdir())


def test_figures_are_drawn_by_the_function_of_the_class_or_of_a_base():
    class Drawn(Several):
        pass

    figures_of_several = {"first": [Figure("f", None, "")]}
    drawn.register(Drawn, lambda result: figures_of_several)
    assert Drawn().figures() == figures_of_several
    assert type("Derived", (Drawn,), {})().figures() == figures_of_several
    assert Several().figures() == {}


def test_a_result_without_rows_cannot_be_made():
    class Half(Result):
        def answer(self):
            return "Nothing is known."

        def table(self):
            return Table.of(["a"], [])

    with pytest.raises(TypeError, match="rows"):
        Half()
