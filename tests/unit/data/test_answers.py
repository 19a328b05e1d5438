"""Readers of answers: nuggetizer's files, tables, content units, citations, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tare
from tare.errors import FormatError, MismatchError, OptionError

RECORD: dict[str, Any] = {
    "query": "capital of france",
    "qid": "7",
    "answer_text": "Paris on the Seine",
    "response_length": 4,
    "run_id": "a",
    "nuggets": [
        {"text": "Paris", "importance": "vital", "assignment": "support"},
        {"text": "Seine", "importance": "okay", "assignment": "partial_support"},
    ],
}
LONG: list[dict[str, Any]] = [
    {
        "system": "a",
        "item": "7",
        "nugget": "Paris",
        "importance": "vital",
        "assignment": "support",
        "words": 4,
    },
    {
        "system": "a",
        "item": "7",
        "nugget": "Seine",
        "importance": "okay",
        "assignment": "partial_support",
        "words": 4,
    },
]
MEASURES = ["NuggetVital", "NuggetAll", "NuggetWeighted", "NuggetDensity"]


def scored(*given: Any, **more: Any) -> list[float]:
    return tare.evaluate_answers(tare.read_answers(*given, **more), MEASURES).values[0, 0].tolist()


def test_every_source_gives_the_same(tmp_path: Path) -> None:
    expected = [1.0, 0.75, (1 + 0.25) / 1.5, 37.5]
    lines = tmp_path / "a.jsonl"
    lines.write_text(json.dumps(RECORD) + "\n", encoding="utf-8")
    frame = pl.DataFrame(LONG)
    frame.write_csv(tmp_path / "a.csv")
    frame.write_csv(tmp_path / "a.tsv", separator="\t")
    frame.write_parquet(tmp_path / "a.parquet")
    nested = tmp_path / "nested.csv"
    cells = pl.DataFrame(
        {"qid": ["7"], "run_id": ["a"], "nuggets": [json.dumps(RECORD["nuggets"])], "words": [4]}
    )
    cells.write_csv(nested)
    lists = [
        {
            "qid": "7",
            "nuggets": [{k: n[k] for k in ("text", "importance")} for n in RECORD["nuggets"]],
        }
    ]
    plain = [{k: v for k, v in row.items() if k != "importance"} for row in LONG]
    for source in (
        lines,
        tmp_path / "a.csv",
        tmp_path / "a.tsv",
        tmp_path / "a.parquet",
        nested,
        [RECORD],
        RECORD,
        LONG,
        frame,
        frame.to_pandas(),
    ):
        assert scored(source) == pytest.approx(expected), source
    assert scored(plain, nuggets=lists) == pytest.approx(expected)
    assert scored([lines], nuggets=lists) == pytest.approx(expected)


def test_lists_of_tables_and_chosen_columns() -> None:
    lists = pl.DataFrame({"turn": ["7", "7"], "id": ["1", "2"], "passage_grade": [4, 1]})
    rows = [{"turn": "7", "nugget": k, "system": "a", "hit": h} for k, h in ((1, 1), (2, 0))]
    given = tare.read_answers(
        rows, nuggets=lists, columns={"importance": "passage_grade", "assignment": "hit"}
    )
    assert given.importance == "weights"
    scores = tare.evaluate_answers(given, ["NuggetWeighted", "NuggetVital(min_weight=2)"])
    assert scores.values[0, 0].tolist() == [0.8, 1.0]
    with pytest.raises(
        OptionError, match="there is no field 'importanse'. Fields: .*Did you mean 'importance'"
    ):
        tare.read_answers(rows, columns={"importanse": "x"})


def test_content_units_are_nuggets(tmp_path: Path) -> None:
    """The same annotations give LitePyramid and NuggetAllStrict, and the weights of the pyramid."""
    presence = pl.DataFrame(
        {
            "system": list("aaabbb"),
            "item": ["d"] * 6,
            "scu": list("123123"),
            "present": [1, 0, 1, 0, 0, 1],
        }
    )
    ours = tare.evaluate_answers(tare.read_answers(presence), "NuggetAllStrict")
    texts = [{"system": s, "item": "d", "text": "x", "references": ["y"]} for s in "ab"]
    lite = tare.evaluate_texts(tare.read_summaries(texts, scus=presence), "LitePyramid")
    assert ours.matrix().tolist() == lite.matrix().tolist() == [[2 / 3], [1 / 3]]
    peer = tmp_path / "d.M.13.pan"
    part = "<contributor label='c'><part label='c' start='0' end='1'/></contributor>"
    peer.write_text(
        f"<peer><pyramid><text><line>c</line></text><scu uid='1' label='one'>{part}{part}</scu><scu uid='2' label='two'>{part}</scu>"
        f"</pyramid><annotation><text><line>c</line></text><peerscu uid='1' label='one'>{part}</peerscu></annotation></peer>",
        encoding="utf-8",
    )
    given = tare.read_answers(peer)
    assert [(n.id, n.text, n.weight) for n in given.nuggets["d"]] == [
        ("1", "one", 2.0),
        ("2", "two", 1.0),
    ]
    assert tare.evaluate_answers(given, "NuggetWeighted").means() == {
        "13": {"NuggetWeighted": 2 / 3}
    }


def test_a_repeated_text_counts_twice() -> None:
    nugget = {"text": "Paris", "importance": "vital"}
    row = {
        "qid": "7",
        "run_id": "a",
        "nuggets": [{**nugget, "assignment": a} for a in ("support", "not_support")],
    }
    assert tare.evaluate_answers([row], "NuggetAll").mean == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"importance": None},
            r"nugget 'Paris' of topic '7' has no importance. Each nugget is vital or okay",
        ),
        (
            {"importance": "failed"},
            r"the importance 'failed' is not known. Accepted: vital, okay, or a weight",
        ),
        ({"importance": -1}, r"the weight -1 is negative"),
        (
            {"importance": 2},
            r"'Seine' of topic '7' is okay, and nugget 'Paris' of topic '7' has a weight",
        ),
        ({"assignment": "maybe"}, r"the assignment 'maybe' is not known. Accepted: support \(1\)"),
        ({"assignment": 2}, r"the assignment 2 is not known"),
        ({"item": None}, r"no topic \(such as qid\) found"),
        ({"words": "many"}, r"the number of words 'many' is not a whole number"),
        ({"refused": "perhaps"}, r"refused must be true or false"),
        ({"nugget": None}, r"the answer of 'a' to topic '7' has no assignments"),
    ],
)
def test_rows_that_cannot_be_read(change: dict, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        tare.read_answers([{**LONG[0], **change}, LONG[1]])


def test_contradictions() -> None:
    other = {**LONG[0], "assignment": "not_support"}
    with pytest.raises(
        FormatError, match=r"list, row 3: nugget 'Paris' of topic '7' has two assignments"
    ):
        tare.read_answers([*LONG, other])
    with pytest.raises(FormatError, match="has the importance okay, and vital elsewhere"):
        tare.read_answers([*LONG, {**LONG[0], "system": "b", "importance": "okay"}])
    with pytest.raises(FormatError, match="a second answer of 'a' to topic '7'"):
        tare.read_answers([RECORD, RECORD])
    with pytest.raises(FormatError, match="topic '7' has no nugget 'Rhine' in list"):
        tare.read_answers(
            [{**LONG[0], "nugget": "Rhine"}],
            nuggets=[{"qid": "7", "nuggets": [{"text": "Paris", "importance": "vital"}]}],
        )
    with pytest.raises(FormatError, match="duplicate nugget 'Paris' of topic '7'"):
        tare.read_answers(LONG, nuggets=[{"item": "7", "nugget": "Paris"}] * 2)
    several = tare.read_answers([*LONG, *[{**row, "assigner": "llm"} for row in [other, LONG[1]]]])
    assert several.assigners == ("", "llm")
    assert tare.evaluate_answers(several, "NuggetAll").mean == pytest.approx((0.75 + 0.25) / 2)


def test_an_answer_without_assignments() -> None:
    bare = {**RECORD, "nuggets": [{"text": "Paris", "importance": "vital"}]}
    with pytest.raises(FormatError, match="the answer of 'a' to topic '7' has no assignments"):
        tare.read_answers([bare])
    refused = tare.read_answers([{**bare, "refused": True}, {**RECORD, "run_id": "b"}])
    assert refused.refused == {("a", "7"): True}
    scores = tare.evaluate_answers(refused, ["NuggetAll", "Refusal"], unassigned="skip")
    assert scores.means()["a"]["NuggetAll"] == 0.0
    assert [f.kind for f in scores.findings] == ["refusals"]


def test_a_topic_without_nuggets_is_reported() -> None:
    """nuggetizer scores it 0; an empty list of a topic that has nuggets is an answer without assignments."""
    empty = {**RECORD, "qid": "8", "nuggets": []}
    scores = tare.evaluate_answers([RECORD, empty], ["NuggetAll", "NuggetAll(empty=zero)"])
    assert scores.means()["a"] == {"NuggetAll": 0.75, "NuggetAll(empty=zero)": 0.375}
    assert {f.kind for f in scores.findings} == {"no nuggets", "undefined"}
    with pytest.raises(MismatchError, match="'b' to topic '7', where 'Paris', 'Seine' have none"):
        tare.evaluate_answers([RECORD, {**RECORD, "run_id": "b", "nuggets": []}], "NuggetAll")


def test_unassigned_nuggets_are_not_zeros() -> None:
    rows = [*LONG, {**LONG[0], "system": "b"}]
    with pytest.raises(
        MismatchError,
        match="1 answers have nuggets without assignment; the first is that of 'b' to topic '7', where 'Seine'",
    ):
        tare.evaluate_answers(rows, "NuggetAll")
    assert (
        tare.evaluate_answers(rows, "NuggetAll", unassigned="skip").means()["b"]["NuggetAll"] == 1.0
    )
    zero = tare.evaluate_answers(rows, "NuggetAll", unassigned="zero")
    assert zero.means()["b"]["NuggetAll"] == 0.5
    assert "unassigned:zero" in str(zero.signatures[0])


def test_missing_answers_are_left_out_and_reported() -> None:
    rows = [*LONG, {**LONG[0], "system": "b", "item": "8"}]
    skipped = tare.evaluate_answers(rows, "NuggetAll")
    assert skipped.means() == {"a": {"NuggetAll": 0.75}, "b": {"NuggetAll": 1.0}}
    assert [f.kind for f in skipped.findings] == ["missing answers"]
    zero = tare.evaluate_answers(rows, "NuggetAll", missing="zero")
    assert zero.means() == {"a": {"NuggetAll": 0.375}, "b": {"NuggetAll": 0.5}}
    with pytest.raises(
        MismatchError, match="2 answers are missing; the first is that of 'a' to topic '8'"
    ):
        tare.evaluate_answers(rows, "NuggetAll", missing="error")
    known = tare.read_answers(rows, texts=[{"system": "a", "item": "8", "text": "words"}])
    assert (
        tare.evaluate_answers(known, "NuggetAll", missing="zero").means()["a"]["NuggetAll"] == 0.75
    )


def test_chance_needs_answers_to_other_topics() -> None:
    with pytest.raises(
        MismatchError, match="mean score of answers to other topics.* has no such assignments"
    ):
        tare.evaluate_answers(LONG, "Net(NuggetAll)")
    for name, reason in (("NuggetDensity", "it has no upper bound"), ("Refusal", "it counts")):
        with pytest.raises(tare.errors.MeasureError, match=reason):
            tare.evaluate_answers([{**LONG[0], "refused": False}], f"Net({name})")
    with pytest.raises(FormatError, match="this answer is to topic '7' itself"):
        tare.read_answers(LONG, elsewhere=[{**LONG[0], "answer_to": "7"}])
    both = tare.read_answers(LONG, elsewhere=[{**row, "assignment": "not_support"} for row in LONG])
    scores = tare.evaluate_answers(both, ["Net(NuggetAll)", "E(NuggetAll)"])
    assert scores.means()["a"] == {"Net(NuggetAll)": 0.75, "E(NuggetAll)": 0.0}
    full = tare.read_answers(LONG, elsewhere=[{**row, "assignment": "support"} for row in LONG])
    undefined = tare.evaluate_answers(full, "Net(NuggetAll)")
    assert math.isnan(undefined.means()["a"]["Net(NuggetAll)"])
    assert "is undefined: on every topic the answers" in str(undefined.findings[-1])
    assert "Net(NuggetAll)" not in tare.studies.answers(full).scores.measure_names
    assert "Net(NuggetAll)" in tare.studies.answers(both).scores.measure_names
    with pytest.raises(tare.errors.MeasureError, match="pool does not apply to answers"):
        tare.evaluate_answers(both, "Net(NuggetAll,pool=judged)")
    with pytest.raises(FormatError, match=r"'a' to topic '7'.*Name the topic .* \(answer_to\)"):
        tare.read_answers(LONG, elsewhere=[RECORD, RECORD])
    with pytest.raises(MismatchError, match="all assigned answers are to other topics"):
        tare.read_answers([{**row, "answer_to": "9"} for row in LONG])


def test_citations() -> None:
    rows: list[dict[str, Any]] = [
        {"system": "a", "item": "7", "statement": "1", "citation": "d1", "support": "FS"},
        {"system": "a", "item": "7", "statement": "1", "citation": "d2", "support": "no support"},
        {"system": "a", "item": "7", "statement": "2", "citation": "d1", "support": "PS"},
        {"system": "a", "item": "7", "statement": "3", "citation": None, "support": None},
    ]
    nested = [
        {
            "run_id": "a",
            "qid": "7",
            "answer": [
                {
                    "text": "x",
                    "citations": [
                        {"citation": "d1", "support": "support"},
                        {"citation": "d2", "support": 0},
                    ],
                },
                {"text": "y", "citations": [{"citation": "d1", "support": 0.5}]},
                {"text": "z", "citations": []},
            ],
        }
    ]
    for source in (rows, nested, pl.DataFrame(rows)):
        scores = tare.evaluate_answers(tare.read_answers(citations=source))
        assert scores.means()["a"] == {
            "Support": 0.75,
            "CitationPrecision": 0.5,
            "CitationRecall": 0.5,
        }
    strict = tare.evaluate_answers(
        tare.read_answers(citations=rows), ["Support(strict=true)", "CitationRecall(strict=true)"]
    )
    assert strict.values[0, 0].tolist() == [0.5, 1 / 3]
    with pytest.raises(FormatError, match="citation 'd1' of statement '1' has no support"):
        tare.read_answers(citations=[{**rows[0], "support": ""}])
    with pytest.raises(FormatError, match="has support, but no citation"):
        tare.read_answers(citations=[{**rows[0], "citation": None}])
    with pytest.raises(FormatError, match="no statement found"):
        tare.read_answers(citations=[{**rows[0], "statement": None}])
    none = tare.read_answers(citations=[rows[3], {**rows[0], "item": "8"}])
    assert [f.kind for f in tare.evaluate_answers(none, "Support").findings] == ["no citations"]
    with pytest.raises(MismatchError, match="NuggetAll needs assignments of nuggets"):
        tare.evaluate_answers(none, "NuggetAll")
    with pytest.raises(MismatchError, match="Support needs citations with their support"):
        tare.evaluate_answers(LONG, "Support")


def test_refusals_are_counted_apart() -> None:
    texts = [
        {
            "system": "a",
            "item": "7",
            "text": "Paris on the Seine",
            "refused": False,
            "answerable": True,
        },
        {
            "system": "a",
            "item": "8",
            "text": "I do not know.",
            "refused": True,
            "answerable": False,
        },
        {"system": "b", "item": "7", "text": "No idea.", "refused": True},
        {"system": "b", "item": "8", "text": "Rome", "refused": False},
    ]
    rows = [*LONG, {**LONG[0], "item": "8", "system": "b", "assignment": "not_support", "words": 1}]
    given = tare.read_answers(rows, texts=texts)
    scores = tare.evaluate_answers(given, ["NuggetAll", "Refusal", "Abstention", "NuggetDensity"])
    assert scores.means()["a"] == {
        "NuggetAll": 0.375,
        "Refusal": 0.5,
        "Abstention": 1.0,
        "NuggetDensity": 18.75,
    }
    assert scores.means()["b"] == {
        "NuggetAll": 0.0,
        "Refusal": 0.5,
        "Abstention": 0.0,
        "NuggetDensity": 0.0,
    }
    skipped = tare.evaluate_answers(given, "NuggetAll", refusals="skip")
    assert skipped.means()["a"] == {"NuggetAll": 0.75}
    assert "2 of 4 answers are refusals; they are left out." in [
        f.message for f in skipped.findings
    ]
    with pytest.raises(MismatchError, match="Refusal needs to know which answers are refusals"):
        tare.evaluate_answers(LONG, "Refusal")
    with pytest.raises(MismatchError, match="Abstention needs to know which topics have an answer"):
        tare.evaluate_answers([{**LONG[0], "refused": False}], "Abstention")
    with pytest.raises(FormatError, match="a second answer of 'a' to topic '7'"):
        tare.read_answers(rows, texts=[texts[0], texts[0]])


def test_importance_that_a_measure_needs() -> None:
    bare = [{k: v for k, v in row.items() if k != "importance"} for row in LONG]
    assert tare.evaluate_answers(bare).measure_names == ("NuggetAll", "NuggetAllStrict")
    with pytest.raises(MismatchError, match="NuggetVital needs the importance of each nugget"):
        tare.evaluate_answers(bare, "NuggetVital")
    with pytest.raises(MismatchError, match="min_weight applies to nuggets with weights"):
        tare.evaluate_answers(LONG, "NuggetVital(min_weight=1)")
    weights = [{**row, "importance": 1.5} for row in LONG]
    with pytest.raises(MismatchError, match="these have weights. Say which are vital"):
        tare.evaluate_answers(weights, "NuggetVital")
    with pytest.raises(MismatchError, match="okay applies to nuggets that are vital or okay"):
        tare.evaluate_answers(weights, "NuggetWeighted(okay=1)")
    okay = [{**row, "importance": "okay"} for row in LONG]
    scores = tare.evaluate_answers(okay, ["NuggetVital", "NuggetVital(empty=zero)"])
    assert scores.means()["a"]["NuggetVital(empty=zero)"] == 0.0
    assert scores.counts().tolist() == [[0, 1]]
    assert [f.kind for f in scores.findings] == ["undefined"]


def test_lengths() -> None:
    bare = [{k: v for k, v in row.items() if k != "words"} for row in LONG]
    with pytest.raises(MismatchError, match="'a' to topic '7' has no known length"):
        tare.evaluate_answers(bare, "NuggetDensity")
    with pytest.raises(MismatchError, match="has no words, but supports nuggets"):
        tare.evaluate_answers([{**row, "words": 0} for row in LONG], "NuggetDensity")
    with pytest.raises(FormatError, match="has 5 words, and 4 elsewhere"):
        tare.read_answers([LONG[0], {**LONG[1], "words": 5}])
    texts = [
        {
            "run_id": "a",
            "topic_id": "7",
            "topic": "?",
            "answer": [{"text": "Paris on"}, {"text": "the Seine"}],
        }
    ]
    assert tare.evaluate_answers(tare.read_answers(bare, texts=texts), "NuggetDensity").mean == 37.5


def test_other_calls() -> None:
    with pytest.raises(OptionError, match="no answers given"):
        tare.read_answers()
    with pytest.raises(OptionError, match="nobody of that name assigned"):
        tare.read_answers(LONG, assigner="ann")
    with pytest.raises(tare.errors.MeasureError, match="AP does not measure answers"):
        tare.evaluate_answers(LONG, "AP")
    with pytest.raises(tare.errors.MeasureError, match="NuggetAll measures answers, not rankings"):
        tare.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "NuggetAll")
    with pytest.raises(tare.errors.MeasureError, match="NuggetAll measures assigned answers"):
        tare.evaluate_texts(["a"], ["b"], "NuggetAll")
    given = tare.read_answers(LONG)
    assert repr(given) == "Answers(1 systems, 1 topics, 1 answers, 2 nuggets)"
    scores = tare.evaluate_answers(given, "NuggetAll").also("NuggetVital")
    assert scores.means() == {"a": {"NuggetAll": 0.75, "NuggetVital": 1.0}}
