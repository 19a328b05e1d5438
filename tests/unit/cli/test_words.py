"""Calls as people type them: lists of measures before files, other verbs."""

import json

import pytest

from tare._cli.main import main, spread

QRELS = "".join(f"q{q} 0 d{d} {int(d <= q % 3)}\n" for q in range(8) for d in range(4))
ORDERS = {"bm25": (0, 1, 2, 3), "dense": (1, 0, 3, 2), "AP": (3, 2, 1, 0)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Qrels and runs; the tag of a run differs from the name of its file."""
    monkeypatch.chdir(tmp_path)
    for name in ("qrels", "qrels.txt"):
        (tmp_path / name).write_text(QRELS)
    for name in ("run", "bm25.run", "dense.run"):
        order = ORDERS.get(name.removesuffix(".run"), ORDERS["bm25"])
        lines = [
            f"q{q} Q0 d{(d + q) % 4} {r} {9 - r} tag-{name[:2]}"
            for q in range(8)
            for r, d in enumerate(order, 1)
        ]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path


def printed(capsys, *words):
    """Return the rows that a call prints as JSON lines."""
    assert main([*words, "--format", "jsonl"]) == 0, capsys.readouterr().err
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def asked(capsys, *words):
    return list(dict.fromkeys(row["measure"] for row in printed(capsys, *words)))


@pytest.mark.parametrize(
    "words",
    [
        ("-m", "nDCG@10", "AP", "qrels", "run"),
        ("-m", "nDCG@10", "-m", "AP", "qrels", "run"),
        ("-m", "nDCG@10 AP", "qrels", "run"),
        ("-m", "nDCG@10,AP", "qrels", "run"),
        ("-m", "ndcg@10, map", "qrels", "run"),
        ("qrels", "run", "-m", "nDCG@10", "AP"),
        ("qrels", "-m", "nDCG@10", "AP", "run"),
        ("--measures", "nDCG@10,AP", "qrels", "run"),
        ("--measures=nDCG@10,AP", "qrels", "run"),
        ("--measure", "nDCG@10", "AP", "qrels", "run"),
        ("-m", "nDCG@10", "AP", "-q", "qrels", "run"),
    ],
    ids=" ".join,
)
def test_files_are_never_taken_as_measures(folder, capsys, words):
    assert asked(capsys, "score", *words) == ["nDCG@10", "AP"]


def test_a_file_with_the_name_of_a_measure_stays_a_file(folder, capsys):
    (folder / "AP").write_text((folder / "run").read_text())
    found = printed(capsys, "score", "qrels", "-m", "nDCG@10", "AP", "bm25.run")
    assert [(row["system"], row["measure"]) for row in found] == [
        ("AP", "nDCG@10"),
        ("bm25", "nDCG@10"),
    ]


def test_commas_in_brackets_do_not_split(folder, capsys):
    words = ("-m", "V2(nDCG@10,pool=judged),P(rel=1)@5", "qrels", "run")
    assert asked(capsys, "score", *words) == ["V2(nDCG@10,pool=judged)", "P@5"]


@pytest.mark.parametrize("verb", ["score", "compare", "floor"])
def test_measures_may_come_first_in_other_verbs(folder, capsys, verb):
    runs = {"floor": []}.get(verb, ["bm25.run", "dense.run"])
    more = ["--pool", "judged"] if verb == "floor" else []
    assert asked(capsys, verb, "-m", "ndcg_cut.2,3", *more, "qrels", *runs) == ["nDCG@2", "nDCG@3"]


def test_a_missing_run_is_reported_as_a_file(folder, capsys):
    assert main(["score", "-m", "nDCG@10", "qrels", "none.run"]) == 3
    assert "none.run: no such file" in capsys.readouterr().err


def test_columns_of_a_table_may_have_free_names(folder, capsys):
    rows = ["system,item,fluency,AP,big words"]
    rows += [f"{s},{i},{i + (s == 'a')},{i},{i * i}" for s in "ab" for i in range(4)]
    (folder / "t.csv").write_text("\n".join(rows) + "\n")
    assert asked(capsys, "compare", "t.csv", "-m", "fluency", "AP") == ["fluency", "AP"]
    assert asked(capsys, "compare", "t.csv", "-m", "AP", "fluency") == ["AP", "fluency"]
    assert asked(capsys, "compare", "-m", "fluency,big words", "t.csv") == ["fluency", "big words"]


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (["score", "-m"], ["score", "-m"]),
        (["score", "-m", "-q"], ["score", "-m", "-q"]),
        (["score", "--", "-m", "AP,RR"], ["score", "--", "-m", "AP,RR"]),
        (["score", "--measures=AP", "RR"], ["score", "--measures=AP", "--measures", "RR"]),
        (["score", "-m", "AP", "-", "RR"], ["score", "-m", "AP", "-", "RR"]),
        (["score", "-m", "AP", "a/b", "c*"], ["score", "-m", "AP", "a/b", "c*"]),
        (["score", "-m", "AP", "P.5", "a.run"], ["score", "-m", "AP", "-m", "P.5", "a.run"]),
        (["score", "--feature", "1", "2"], ["score", "--feature", "1", "--feature", "2"]),
        (
            ["compare", "-b", "a", "b", "--format", "csv"],
            ["compare", "-b", "a", "-b", "b", "--format", "csv"],
        ),
        ([], []),
    ],
)
def test_words_of_a_call(words, made):
    assert spread(words) == made


@pytest.mark.parametrize("verb", ["evaluate", "eval", "Evaluate", "scor"])
def test_score_is_suggested(capsys, verb):
    assert main([verb, "qrels.txt", "bm25.run"]) == 2
    assert f"there is no verb '{verb}'. Did you mean" in (err := capsys.readouterr().err)
    assert "score'?" in err


def test_systems_are_named_by_their_files_or_tags(folder, capsys):
    call = ("score", "qrels", "bm25.run", "dense.run", "-m", "AP")
    assert [row["system"] for row in printed(capsys, *call)] == ["bm25", "dense"]
    tagged = printed(capsys, *call, "--system-names", "tag")
    assert [row["system"] for row in tagged] == ["tag-bm", "tag-de"]


def test_files_with_one_name_are_told_apart_by_their_folders(folder, capsys):
    for name in ("v1", "v2"):
        (folder / name).mkdir()
        (folder / name / "bm25.run").write_text((folder / "bm25.run").read_text())
    found = printed(capsys, "score", "qrels", "v1/bm25.run", "v2/bm25.run", "-m", "AP")
    assert [row["system"] for row in found] == ["v1/bm25", "v2/bm25"]


@pytest.mark.parametrize("names", ["file", "tag"])
@pytest.mark.parametrize("baseline", ["bm25", "bm25.run", "./bm25.run", "tag-bm"])
def test_a_baseline_is_a_system_a_file_or_a_tag(folder, capsys, baseline, names):
    runs = ("./bm25.run" if baseline.startswith(".") else "bm25.run", "dense.run")
    call = ("compare", "qrels", *runs, "-m", "AP", "-b", baseline, "--system-names", names)
    found = printed(capsys, *call)
    expected = {"file": ("dense", "bm25"), "tag": ("tag-de", "tag-bm")}[names]
    assert [(row["system"], row["against"]) for row in found] == [expected]


def test_files_after_a_baseline_stay_files(folder, capsys):
    found = printed(capsys, "compare", "-m", "AP", "-b", "bm25", "qrels", "bm25.run", "dense.run")
    assert [(row["system"], row["against"]) for row in found] == [("dense", "bm25")]


def test_a_tag_of_two_runs_is_no_baseline(folder, capsys):
    (folder / "copy.run").write_text((folder / "dense.run").read_text())
    call = ["compare", "qrels", "dense.run", "copy.run", "bm25.run", "-m", "AP", "-b", "tag-de"]
    assert main(call) == 2
    assert "--baseline tag-de can be dense or copy; write the name" in capsys.readouterr().err


def test_learn_does_not_write_a_measure_as_rows(folder, capsys):
    assert main(["learn", "a.csv", "b.csv", "--save", "model.json"]) == 2
    assert "to keep the learned measure, write -o model.json" in capsys.readouterr().err
