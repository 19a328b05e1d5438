"""TREC text: what is understood, what is refused, and where it is said to be."""

import random

import numpy as np
import pytest

import tare
from tare import _kernels as kernels
from tare.errors import FormatError

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}


def pieces(data: bytes, size: int) -> list[np.ndarray]:
    return [np.frombuffer(data[i : i + size], np.uint8) for i in range(0, len(data), size)]


def read(data: bytes, layout: str, size: int = 1 << 30, threads: int = 1):
    """What the reader of rows gives, as plain values."""
    rows, reading = kernels.read_trec(pieces(data, size), layout, threads=threads)
    table = {q: rows.documents(i) for i, q in enumerate(rows.queries)}
    found = {q: (docs, values.tolist()) for q, (docs, values) in table.items()}
    return found, reading, rows.duplicates(threads, 20, False)


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n",
        "q1\t0\ta\t1\nq1\t0\tb\t0\nq2\t0\ta\t2\n",
        "q1 \t 0\t\ta   1\n  q1 0 b 0\n\tq2 0 a 2\n",
        "q1 0 a 1\r\nq1 0 b 0\r\nq2 0 a 2\r\n",
        "\ufeffq1 0 a 1\nq1 0 b 0\nq2 0 a 2\n",
        "q1 0 a 1   \nq1 0 b 0\t\t\nq2 0 a 2 \r\n",
        "\n\nq1 0 a 1\n   \n\r\nq1 0 b 0\n\t\nq2 0 a 2\n\n",
        "# a comment\nq1 0 a 1\n#\nq1 0 b 0\n  # another\nq2 0 a 2\n# the end",
        "q1 0 a 1\nq1 0 b 0\nq2 0 a 2",
        "q1 0 a 1.0\nq1 0 b -0\nq2 0 a +2\n",
        "q1 0 a 1e0\nq1 0 b 0.0e5\nq2 0 a 2.\n",
        "q2 0 a 2\nq1 0 a 1\nq1 0 b 0\n",
        "q1 0 a 1\nq2 0 a 2\nq1 0 b 0\n",
        "q1 0\va\f1\nq1 0 b 0\nq2 0 a 2\n",
    ],
)
def test_many_ways_to_write_the_same_qrels(text, tmp_path):
    (tmp_path / "qrels").write_bytes(text.encode())
    assert tare.read_qrels(tmp_path / "qrels").to_dict() == QRELS


def test_a_sharp_within_an_id_is_part_of_it(tmp_path):
    (tmp_path / "run").write_text("q#1 Q0 #a 1 2.5 t\nq#1 Q0 b# 2 1.5 #tag\n")
    run = tare.read_run(tmp_path / "run", system_names="tag")
    assert run.to_dict() == {"q#1": {"#a": 2.5, "b#": 1.5}}
    assert run.system == "#tag"


def test_ids_may_be_of_any_letters(tmp_path):
    (tmp_path / "qrels").write_text("запрос 0 文書 1\nq 0 d\u00a0é😀 2\n", encoding="utf-8")
    assert tare.read_qrels(tmp_path / "qrels").to_dict() == {
        "запрос": {"文書": 1},
        "q": {"d\u00a0é😀": 2},
    }


def test_further_fields_are_passed_over_and_noted(tmp_path):
    (tmp_path / "run").write_text("q1 Q0 a 1 2 tag more\nq1 Q0 b 2 1 tag\n")
    assert [f.kind for f in tare.read_run(tmp_path / "run").findings] == ["extra fields"]
    scores = tare.evaluate(QRELS, tmp_path / "run", "AP")
    assert "extra fields" in [f.kind for f in scores.findings]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q1 Q0 a 1 2", "expected 6 fields, found 5. .* Is the tag missing?"),
        (b"q1 Q0 a", "expected 6 fields, found 3. .* Is the rank missing?"),
        (b"q1", "expected 6 fields, found 1. .* Is the Q0 missing?"),
        (b"q1 Q0 a 1 nan t", "the score 'nan' is not finite"),
        (b"q1 Q0 a 1 -inf t", "the score '-inf' is not finite"),
        (b"q1 Q0 a 1 1e400 t", "the score '1e400' is not finite"),
        (b"q1 Q0 a 1 1" + b"0" * 400 + b"e-50 t", "is not finite"),
        (b"q1 Q0 a 1 abc t", "the score 'abc' is not a number"),
        (b"q1 Q0 a 1 0x10 t", "the score '0x10' is not a number"),
        (b"q1 Q0 a 1 1,5 t", "the score '1,5' is not a number"),
        (b"q1 Q0 a 1 1.5.2 t", "the score '1.5.2' is not a number"),
        (b"q1 Q0 a 1 +-1 t", "is not a number"),
        (b"q1 Q0 a 1 . t", "is not a number"),
        (b"q1 Q0 a 1 1e t", "is not a number"),
        (b"q1 Q0 a\x00 1 2 t", "the control character U\\+0000 .null. found"),
        (b"\x1e\x01\x02", "the control character U\\+001E .record separator. found"),
        (b"q1 Q0 caf\xe9 1 2 t", "not valid UTF-8"),
        (b"q1 Q0 \xed\xa0\x80 1 2 t", "not valid UTF-8"),
        (b"q1 Q0 " + b"x" * (1 << 20) + b" 1 2 t", "longer than 1 MiB"),
        (b"q1 Q0 a 1 2 t\rq1 Q0 b 2 1 t", "the line contains a carriage return"),
    ],
)
@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("after", [b"", b"\nq9 Q0 " + b"d" * 80 + b" 1 2 t\n"])
def test_a_bad_line_of_a_run_is_told_with_its_number(line, message, before, after, tmp_path):
    good = b"".join(b"q0 Q0 d%d 1 %d t\n" % (i, -i) for i in range(before))
    (tmp_path / "run").write_bytes(good + line + after)
    for how in (tare.read_run, lambda path: tare.evaluate(QRELS, path, "AP")):
        with pytest.raises(FormatError, match=f"run, line {before + 1}: .*{message}"):
            how(tmp_path / "run")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1 0 a", "expected 4 fields, found 3. .* Is the grade missing?"),
        ("q1 0 a one", "the grade 'one' is not a number"),
        ("q1 0 a nan", "the grade 'nan' is not finite"),
    ],
)
def test_a_bad_line_of_qrels(line, message, tmp_path):
    (tmp_path / "qrels").write_text(f"# first\n\nq1 0 b 1\n{line}\n")
    with pytest.raises(FormatError, match=f"qrels, line 4: {message}"):
        tare.read_qrels(tmp_path / "qrels")


def test_fractional_grades_are_accepted(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 0.5\nq1 0 b 1e-400\n")
    assert tare.read_qrels(tmp_path / "qrels").to_dict() == {"q1": {"a": 0.5, "b": 0.0}}


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n", "\ufeff", "   "])
def test_a_file_without_rows_is_refused(text, tmp_path):
    (tmp_path / "empty").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="empty: no judgements found"):
        tare.read_qrels(tmp_path / "empty")
    with pytest.raises(FormatError, match="empty: no ranked documents found"):
        tare.read_run(tmp_path / "empty")
    with pytest.raises(FormatError, match="empty: no ranked documents found"):
        tare.evaluate(QRELS, tmp_path / "empty", "AP")


def test_the_longest_line_is_a_mebibyte_for_any_block(tmp_path):
    rest = b"q1 Q0 b 2 1 t\n" * 10
    for extra, fits in ((0, True), (1, False)):
        name = b"x" * ((1 << 20) - len(b"q1 Q0  1 2 t") + extra)
        data = b"q1 Q0 " + name + b" 1 2 t\n" + rest
        for size in (1 << 30, 1 << 20, 65_537):
            _, reading, _ = read(data, "run", size)
            assert [p[1] for p in reading.problems] == ([] if fits else ["line_too_long"])


def test_duplicates_are_told_by_their_lines(tmp_path):
    lines = ["# head", "q1 Q0 a 1 9 t", "q1 Q0 b 2 8 t", "", "q1 Q0 a 3 7 t"]
    (tmp_path / "run").write_text("\n".join(lines))
    for how in (tare.read_run, lambda path: tare.evaluate(QRELS, path, "AP")):
        with pytest.raises(
            FormatError, match=r"line 5: duplicate document 'a' of query 'q1' .first seen on line 2"
        ):
            how(tmp_path / "run")


def test_duplicates_of_interleaved_queries_are_told_by_their_lines(tmp_path):
    lines = ["q1 Q0 a 1 9 t", "q2 Q0 a 1 9 t", "q1 Q0 b 2 8 t", "q2 Q0 b 2 8 t", "q1 Q0 a 3 7 t"]
    (tmp_path / "run").write_text("\n".join(lines))
    for how in (tare.read_run, lambda path: tare.evaluate(QRELS, path, "AP")):
        with pytest.raises(
            FormatError, match=r"line 5: duplicate document 'a' of query 'q1' .first seen on line 1"
        ):
            how(tmp_path / "run")


def test_duplicates_far_into_a_file_are_told_by_their_lines(tmp_path):
    """Beyond the first block and the first share of a block, in the middle of both."""
    lines = [f"q{i // 50} Q0 document-{i:06d} {i} {-i} t" for i in range(300_000)]
    for place in (60_010, 150_020, 290_030):
        lines[place] = lines[place - 5]
    (tmp_path / "run").write_text("\n".join(lines))
    messages = []
    for how in (tare.read_run, lambda path: tare.evaluate(QRELS, path, "AP")):
        with pytest.raises(FormatError) as error:
            how(tmp_path / "run")
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    for told, place in zip(messages[0].splitlines(), (60_010, 150_020, 290_030), strict=True):
        assert f"line {place + 1}: duplicate document" in told
        assert f"(first seen on line {place - 4})" in told


def test_a_duplicate_with_a_very_long_name(tmp_path):
    name = "n" * 5000
    (tmp_path / "run").write_text(f"q1 Q0 {name} 1 2 t\nq1 Q0 {name} 2 1 t\n")
    with pytest.raises(FormatError, match="line 2: duplicate document 'nnn.*first seen on line 1"):
        tare.evaluate(QRELS, tmp_path / "run", "AP")


def test_judgements_that_conflict_are_refused_and_equal_ones_noted(tmp_path):
    (tmp_path / "same").write_text("q1 0 a 1\nq1 0 a 1\nq1 0 b 0\n")
    qrels = tare.read_qrels(tmp_path / "same")
    assert [(f.kind, f.count, f.examples) for f in qrels.findings] == [
        ("duplicate judgements", 1, ("q1 a",))
    ]
    (tmp_path / "other").write_text("q1 0 a 1\n\nq1 0 a 2\nq1 0 a 1\n")
    with pytest.raises(FormatError, match="line 3: document 'a' .* a different grade on line 1"):
        tare.read_qrels(tmp_path / "other")


def test_three_problems_of_a_kind_are_shown_and_all_are_counted(tmp_path):
    good, bad = "q1 Q0 d{} 1 2 t", "q1 Q0 d{} 1 x t"
    (tmp_path / "run").write_text("\n".join((bad if i % 2 else good).format(i) for i in range(100)))
    for how in (tare.read_run, lambda path: tare.evaluate(QRELS, path, "AP")):
        with pytest.raises(FormatError) as error:
            how(tmp_path / "run")
        told = str(error.value).splitlines()
        assert [line.split(":")[0].split(", ")[-1] for line in told[:-1]] == [
            "line 2",
            "line 4",
            "line 6",
        ]
        assert told[-1] == "… 50 problems in total; at most 3 of a kind are shown."


def test_conflicting_judgements_are_counted(tmp_path):
    lines = [f"q1 0 d{i} {grade}" for i in range(30) for grade in (0, 1)]
    (tmp_path / "qrels").write_text("\n".join(lines))
    with pytest.raises(
        FormatError, match=r"… 30 problems in total; at most 3 of a kind are shown\.$"
    ):
        tare.read_qrels(tmp_path / "qrels")


def test_problems_and_duplicates_are_told_together(tmp_path):
    lines = ["q1 Q0 a 1 9 t", "q1 Q0 a 2 8 t", "q1 Q0 b 3 x t", "q1 Q0 c", "q1 Q0 a 4 7 t"]
    (tmp_path / "run").write_text("\n".join(lines))
    messages = []
    for how in (tare.read_run, lambda path: tare.evaluate(QRELS, path, "AP")):
        with pytest.raises(FormatError) as error:
            how(tmp_path / "run")
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    numbers = [line.split("line ")[1].split(":")[0] for line in messages[0].splitlines()]
    assert numbers == ["2", "3", "4", "5"]


LINES = [
    *(b"q1 Q0 a 1 3.5 t", b"q1 Q0 b 2 2.5 t", b"q1  Q0\tc 3 1 t\r", b"q2 Q0 a 1 -1e3 last"),
    *(b"# c", b"", b"  ", b"q1 Q0 a 1 3.5", b"q2 Q0 \xff 1 2 t", b"q3 Q0 a 9 nan t", b"\x00"),
    *(b"q2 Q0 long-name-of-a-document-that-is-longer-than-one-look 2 99 t more", b"q3 Q0 z 2 1 t"),
]


@pytest.mark.parametrize("layout", ["run", "qrels"])
def test_blocks_of_any_size_give_the_same(layout):
    rng = random.Random(7)
    for _ in range(60):
        data = b"\n".join(rng.choice(LINES) for _ in range(rng.randint(1, 30)))
        data = rng.choice([b"", b"\xef\xbb\xbf", b"\xef\xbb"]) + data + rng.choice([b"", b"\n"])
        whole = read(data, layout)
        for size in (*range(1, 8), rng.randint(8, 64)):
            assert read(data, layout, size) == whole


@pytest.mark.parametrize("ties", ["trec", "expected"])
def test_judging_while_reading_is_the_same_for_any_block(ties):
    qrels = tare.read_qrels({"q1": {"a": 1, "b": 2}, "q2": {"a": 0, "zz": 1}})
    rng = random.Random(11)
    for _ in range(60):
        data = b"\n".join(sorted(rng.choice(LINES) for _ in range(rng.randint(1, 30))))

        def judged(size, data=data):
            text = kernels.judge_text(qrels.index, pieces(data, size), ties=ties, threads=1)
            arrays = (
                {k: v.tolist() for k, v in vars(text.rankings).items()} if text.rankings else {}
            )
            return arrays, text.reading, text.rows, text.unknown

        whole = judged(1 << 30)
        for size in (*range(1, 8), rng.randint(8, 64)):
            assert judged(size) == whole


def test_judging_while_reading_is_judging_what_was_read(tmp_path):
    """Both ways give the same numbers, the same findings and the same refusals."""
    rng = random.Random(5)
    for n in range(150):
        usual = LINES[:7] if n % 3 else LINES
        lines = [rng.choice(usual) for _ in range(rng.randint(1, 12))]
        (tmp_path / "run").write_bytes(b"\n".join(lines))
        answers = []
        for source in (lambda: tmp_path / "run", lambda: tare.read_run(tmp_path / "run")):
            try:
                scores = tare.evaluate(QRELS, source(), "AP")
                answers.append((scores.systems, scores.values.tolist(), scores.findings))
            except FormatError as error:
                answers.append(str(error))
        assert answers[0] == answers[1]


def test_ranks_that_contradict_scores_are_counted_across_blocks():
    data = b"".join(b"q1 Q0 d%d %d %d t\n" % (i, i, i) for i in range(50))
    for size in (1, 7, 64, 1 << 20):
        assert read(data, "run", size)[1].rank_conflicts == 49


def test_the_tag_is_that_of_the_last_line(tmp_path):
    (tmp_path / "x.run").write_text("q1 Q0 a 1 2 first\nq1 Q0 b 2 1 last\n# end\n")
    assert tare.read_run(tmp_path / "x.run", system_names="tag").system == "last"
    assert tare.read_run(tmp_path / "x.run", system="given").system == "given"
