"""Several runs: globs, lists, dictionaries, tables with a column for the system."""

import polars as pl
import pytest

import tare
from tare._data.table_files import TableFile
from tare.errors import FormatError, OptionError, UnreadableError

RUN = {"q1": {"a": 2.0, "b": 1.0}}
LONG = {
    "system": ["x", "y", "x", "y"],
    "qid": ["q1"] * 4,
    "docno": ["a", "a", "b", "b"],
    "score": [2.0, 1.0, 1.0, 2.0],
}


@pytest.fixture
def folder(tmp_path):
    for name in ("b", "a", "c"):
        tare.read_run(RUN, system=f"tag-{name}").write(tmp_path / f"{name}.run")
    pl.DataFrame(LONG).write_csv(tmp_path / "long.csv")
    return tmp_path


def names(runs):
    return [run.system for run in runs]


def test_a_glob_is_read_in_order(folder):
    assert names(tare.read_runs(f"{folder}/*.run")) == ["a", "b", "c"]
    assert names(tare.read_runs(f"{folder}/[ac].run")) == ["a", "c"]
    tagged = tare.read_runs(f"{folder}/*.run", system_names="tag")
    assert names(tagged) == ["tag-a", "tag-b", "tag-c"]
    assert names(tare.read_runs([folder / "c.run"], system_names="tag")) == ["tag-c"]
    with pytest.raises(OptionError, match="system_names='tags' is not known"):
        tare.read_run(folder / "a.run", system_names="tags")
    for engine in (None, "local"):
        scores = tare.evaluate({"q1": {"a": 1}}, f"{folder}/*.run", "RR", engine=engine)
        assert scores.systems == ("a", "b", "c")
        options = {"engine": engine, "system_names": "tag"}
        scores = tare.evaluate({"q1": {"a": 1}}, f"{folder}/*.run", "RR", **options)
        assert scores.systems == ("tag-a", "tag-b", "tag-c")


def test_a_glob_without_files_is_told(folder):
    with pytest.raises(UnreadableError, match=r"\*\.none: no file matches"):
        tare.read_runs(f"{folder}/*.none")


def test_a_name_with_brackets_is_itself_where_it_exists(folder):
    (folder / "run[1].txt").write_text("q1 Q0 a 1 1 odd\n")
    assert names(tare.read_runs(str(folder / "run[1].txt"))) == ["run[1]"]


def test_lists_may_mix_sources(folder):
    sources = [folder / "a.run", RUN, pl.DataFrame(LONG), tare.read_run(RUN, system="z")]
    assert names(tare.read_runs(sources)) == ["a", "run", "x", "y", "z"]


def test_dictionaries_name_their_systems(folder):
    given = {"one": folder / "a.run", "two": RUN, "three": tare.read_run(RUN, system="other")}
    assert names(tare.read_runs(given)) == ["one", "two", "three"]
    assert names(tare.read_runs({"s": RUN, "t": RUN})) == ["s", "t"]
    assert tare.evaluate({"q1": {"a": 1}}, given, "RR").systems == ("one", "two", "three")


def test_a_name_given_to_a_run_does_not_change_the_run():
    run = tare.read_run(RUN, system="before")
    assert tare.read_run(run, system="after").system == "after"
    assert tare.read_run(run).system == run.system == "before"


def test_a_nested_dictionary_is_one_run():
    assert names(tare.read_runs(RUN)) == ["run"]


def test_tables_with_a_system_column_hold_several_runs(folder):
    for source in (folder / "long.csv", str(folder / "*.csv"), pl.DataFrame(LONG)):
        runs = tare.read_runs(source)
        assert names(runs) == ["x", "y"]
        assert runs[1].to_dict() == {"q1": {"a": 1.0, "b": 2.0}}


def test_problems_of_such_tables_are_told_by_the_row_of_the_whole(folder):
    bad = pl.DataFrame({**LONG, "score": [2.0, 1.0, None, 2.0]})
    with pytest.raises(FormatError, match="row 3: the score None"):
        tare.read_runs(bad)
    twice = pl.DataFrame({**LONG, "docno": ["a", "a", "b", "a"]})
    with pytest.raises(
        FormatError, match="row 4: duplicate document 'a' of query 'q1' .first seen on row 2"
    ):
        tare.read_runs(twice)
    twice.write_csv(folder / "twice.csv")
    with pytest.raises(
        FormatError, match="row 5: duplicate document 'a' of query 'q1' .first seen on row 3"
    ):
        tare.read_runs(folder / "twice.csv")


def test_a_missing_system_is_told():
    with pytest.raises(FormatError, match="row 2: the system is missing"):
        tare.read_runs(pl.DataFrame({**LONG, "system": ["x", None, "x", "y"]}))


def test_systems_of_one_name_are_told_apart_by_their_files(tmp_path):
    for name in ("a.run", "b.run.gz"):
        tare.read_run(RUN, system="same").write(tmp_path / name)
    scores = tare.evaluate({"q1": {"a": 1}}, f"{tmp_path}/*", "RR")
    assert scores.systems == ("a", "b")
    scores = tare.evaluate({"q1": {"a": 1}}, [RUN, RUN], "RR")
    assert scores.systems == ("run", "run#2")


def test_no_run_at_all_is_told():
    with pytest.raises(OptionError, match="no run was given"):
        tare.evaluate({"q1": {"a": 1}}, [], "RR")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_a_table_is_read_once(suffix, tmp_path, monkeypatch):
    """With and without a column of systems."""
    plain, opened = TableFile.read_with_lines, []

    def counted(table, **options):
        opened.append(table)
        return plain(table, **options)

    rows = pl.DataFrame({"query": ["q1", "q1"], "document": ["a", "b"], "score": [2.0, 1.0]})
    monkeypatch.setattr(TableFile, "read_with_lines", counted)
    for frame in (rows, rows.with_columns(system=pl.lit("bm25"))):
        path = tmp_path / f"bm25.{suffix}"
        if suffix == "parquet":
            frame.write_parquet(path)
        elif suffix == "jsonl":
            frame.write_ndjson(path)
        else:
            frame.write_csv(path, separator="\t" if suffix == "tsv" else ",")
        opened.clear()
        (run,) = tare.read_runs(path)
        assert (run.system, run.to_dict()) == ("bm25", {"q1": {"a": 2.0, "b": 1.0}})
        assert len(opened) == 1
