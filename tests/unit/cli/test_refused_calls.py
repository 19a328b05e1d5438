"""Calls that are refused before any work is done: inputs that a verb cannot read, outputs of one name."""

import pytest

from tare._cli.main import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("q1 0 a 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 a 1 1 a\n")


@pytest.mark.parametrize(
    "call",
    [
        "part q.txt - --index 0 --of 1 -o parts",
        "part - a.run --index 0 --of 1 -o parts",
        "join q.txt -",
        "compare q.txt -",
        "compare -",
        "gate --baseline b.parquet q.txt -",
        "report q.txt - -o r.html",
    ],
)
def test_a_verb_that_needs_files_says_so_of_standard_input(call, capsys):
    assert main(call.split()) == 2
    verb = call.split()[0]
    told = capsys.readouterr().err
    assert told.startswith(f"tare: tare {verb} cannot read standard input (-)")
    assert "Name a file" in told
    assert ("cannot be divided" in told) == (verb == "part")


@pytest.mark.parametrize(
    "options",
    [
        "--save x.html --report x.html",
        "--save=x.html --report ./x.html",
        "--report s3://b/x.html --save s3://b/x.html",
    ],
)
def test_two_outputs_in_one_file_are_refused(options, tmp_path, capsys):
    before = sorted(tmp_path.iterdir())
    assert main(["score", "q.txt", "a.run", *options.split()]) == 2
    told = capsys.readouterr().err
    assert "--save and --report" in told or "--report and --save" in told
    assert "Name two files" in told
    assert sorted(tmp_path.iterdir()) == before


def test_outputs_of_several_files_are_written(tmp_path):
    call = "score q.txt a.run --save x.parquet --report x.html"
    assert main(call.split()) == 0
    assert {"x.parquet", "x.html"} <= {path.name for path in tmp_path.iterdir()}


def test_a_part_may_have_the_number_of_its_folder(tmp_path):
    assert main(["part", "q.txt", "a.run", "--index", "0", "--of", "1", "-o", "0"]) == 0


@pytest.mark.parametrize("content", [b"", b"not a part"])
def test_files_of_parts_are_counted_as_files(content, tmp_path, capsys):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "part-00000-of-00001.npz").write_bytes(content)
    main(["score", "q.txt", "a.run", "--resume", "kept"])
    told = capsys.readouterr().err
    assert "kept: found 1 file of a finished part; it is used if complete and of this job." in told
    assert "continuing" not in told
