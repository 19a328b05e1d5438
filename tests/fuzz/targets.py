"""Targets: each reader with valid files, its call, and the check of its result."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tare.errors import OptionError
from tests.fuzz import oracles
from tests.fuzz.mutators import Mutator, bombs, broken, damaged, objects, packed

QRELS = b"q1 0 a 2\nq1 0 b 0\nq1 0 \xc3\xa9t\xc3\xa9 1\nq2 0 a -1\n# note\nq10\t0\tdoc-long-name.html 3\n"
RUN = b"q1 Q0 a 1 3.5 tag\nq1 Q0 b 2 2e-1 tag\nq2 Q0 a 1 -7 tag\nq2 Q0 c 2 -8.25 tag\nq10 Q0 d 1 0 tag\n"
MIXED = b"".join(b"q%d Q0 d%d 1 %d tag\n" % (i % 3, i, 24 - i) for i in range(24))
"""Interleaved queries, so that several shares contain rows of each."""
SUBTOPICS = b"1 1 a 1\n1 2 a 1\n1 2 b 0\n2 1 c 2\n2 9 d 1\n"
MORE_SUBTOPICS = b"".join(b"%d %d d%d %d\n" % (i % 3, i % 4, i, i % 2) for i in range(24))
GROUPS = b"q1 j1 a 2\nq1 j1 b 1\nq1 j2 a 0\nq2 j1 c 1\n"
PREFS = b"q1 j1 s1 a 2\nq1 j1 s1 b 1\nq1 j2 s1 a 0.5\nq2 j1 s2 c -1\n"
SIZES = b"3\n2\n# note\n1\n"
LETOR = b"2 qid:1 1:0.5 2:1e-3 3:-7 #docid = GX1 inc = 1\n0 qid:1 1:0 3:2.25 #docid = GX2\n1 qid:10 2:5 7:1\n3 qid:q-x 1:1\n"
PREFERENCES = b"q1 a b a\nq1 b c equal ann\nq1 c a right bob\nq1 b d d ann a c\nq2 x y left\n"
ZSCORES = b"q1 map 0.5 0.1\nq2 map 0.25 0\nall P_5 1 2\n"
PYRAMID = b"""<?xml version="1.0"?>
<!DOCTYPE pyramid [ <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)> ]>
<pyramid><startDocumentRegEx>^D\\d+ begin</startDocumentRegEx>
<text><line>D1 begin</line><line>A cat sat.</line><line>D2 begin</line><line>The cat.</line></text>
<scu uid="1" label="(2) a cat"><contributor label="A cat"><part label="A cat" start="9" end="14"/></contributor>
<contributor label="The cat"><part label="The cat" start="28" end="35"/></contributor></scu>
<scu uid="2" label="sat"><contributor label="sat"><part label="sat" start="15" end="18"/></contributor></scu>
</pyramid>
"""
PEER = (
    b"<peer><pyramid><startDocumentRegEx/><text><line>A cat.</line></text><scu uid='1' label='cat'><contributor label='c'>"
    b"<part label='c' start='0' end='1'/></contributor></scu></pyramid><annotation><text><line>A cat.</line></text>"
    b"<peerscu uid='1' label='x'><contributor label='cat'><part label='cat' start='2' end='5'/></contributor></peerscu>"
    b"<peerscu uid='9' label='none'><contributor label='A'><part label='A' start='0' end='1'/></contributor></peerscu>"
    b"</annotation></peer>"
)
MTEB = b"""{"task_name": "STS17", "mteb_version": "1.20.0", "scores": {"test": [
{"hf_subset": "en-en", "languages": ["eng-Latn"], "main_score": 0.86}, {"languages": [], "main_score": -0.5}],
"dev": [{"main_score": 1}]}, "evaluation_time": 3}"""
TEXTS = b"The cat sat.\nA dog ran \xc3\xa0 way.\n\nLast one."
SEE = b'<html><body>\n<a name="1">[1]</a> <a href="#1" id=1>The cat sat.</a>\n</body></html>\n'
ISI = b"<DOC><TEXT>\n<S DOCNO='D1'>The cat sat.</S>\n<S>It slept.</S>\n</TEXT></DOC>\n"


def _jsonl(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _csv(rows: list[dict[str, Any]], separator: str = ",") -> bytes:
    out = [separator.join(rows[0])]
    out += [separator.join("" if v is None else str(v) for v in row.values()) for row in rows]
    return ("\n".join(out) + "\n").encode()


def _tables(rows: list[dict[str, Any]]) -> tuple[tuple[str, bytes], ...]:
    return (
        (".jsonl", _jsonl(rows)),
        (".csv", _csv(rows)),
        (".tsv", _csv(rows, "\t")),
        (".parquet", b""),
    )


QREL_ROWS = [{"query": f"q{i // 2}", "document": f"d{i}", "grade": i % 3} for i in range(4)]
RUN_ROWS = [
    {"system": "s", "qid": f"q{i // 2}", "docno": f"d{i}", "score": i / 4, "rank": 4 - i}
    for i in range(4)
]
SUBTOPIC_ROWS = [
    {"query": "1", "subtopic": i % 2, "document": f"d{i}", "grade": 1} for i in range(4)
]
PREFERENCE_ROWS = [
    {
        "query": "q",
        "left": "a",
        "right": f"d{i}",
        "preferred": "left",
        "assessor": "ann",
        "given": "x y" if i else "",
    }
    for i in range(3)
]
SUMMARY_ROWS = [
    {
        "system": "A",
        "item": f"i{i}",
        "text": "The cat sat.",
        "references": ["A cat sat.", "Cats sit."],
        "source": "Long.",
        "scus": [
            {
                "scu": "1",
                "weight": 2,
                "present": [True, False, True],
                "contributors": ["cat", ["a", "b"]],
            }
        ],
    }
    for i in range(3)
]
FLAT_SUMMARIES = [
    {
        "system": "A",
        "item": f"i{i}",
        "text": "The cat sat.",
        "reference_1": "A cat sat.",
        "reference_2": '["a"]',
    }
    for i in range(3)
]
SCU_ROWS = [{"scu": f"s{i}", "weight": i + 1, "label": "cat"} for i in range(3)]
OWNER_ROWS = [{"scu": f"s{i // 2}", "reference": f"r{i}"} for i in range(4)]
PRESENCE_ROWS = [
    {"system": "A", "item": "d", "scu": f"s{i}", "present": "yes" if i else "no"} for i in range(3)
]
RATING_ROWS = [
    {"unit": f"u{i // 2}", "coder": "ab"[i % 2], "value": i, "kind": "x"} for i in range(6)
]
LABEL_ROWS = [
    {
        "qid": f"q{i // 3}",
        "docid": f"d{i}",
        "judgment": i % 4,
        "explanation": "because",
        "result_status": 1,
    }
    for i in range(6)
]
WIDE_LABELS = [
    {"topic": f"q{i // 3}", "doc": f"d{i}", "human": i % 4, "llm": i % 3} for i in range(6)
]
BATTLE_ROWS = [
    {
        "prompt": f"p{i // 2}",
        "system_a": "xyz"[i % 3],
        "system_b": "yzx"[i % 3],
        "winner": ("a", "b", "tie", "both bad")[i % 4],
        "judge": "ann",
        "first": "ab"[i % 2],
        "length_a": 10 + i,
        "length_b": 12,
    }
    for i in range(6)
]
WIDE_BATTLES = [
    {
        "idx": i,
        "model_1": "xyz"[i % 3],
        "model_2": "yzx"[i % 3],
        "annotator1": i % 3,
        "gpt": ("1", "2", "Tie")[i % 3],
        "len_1": i,
        "len_2": 3,
    }
    for i in range(6)
]
MODEL_QRELS = b"q1 0 a 2 gpt because\nq1 0 b -1 gpt\nq2 0 c null\nq2 0 d I-cannot\nq2 0 e 3 x y z\n"
MATRIX = b"1,2,*,3\n1,2,3,NA\n,2,3,3\n"
WIDE = b"unit,ann,bob\nu1,1,2\nu2,3,3\nu3,,1\n"
SCORE_ROWS = [
    {"system": s, "item": f"q{i}", "measure": "AP", "value": i / 7, "kind": "easy"}
    for s in "AB"
    for i in range(3)
]
SCORES_WIDE = [{"run": s, "qid": f"q{i}", "AP": i / 7, "P@5": 0.5} for s in "AB" for i in range(3)]


@dataclass(frozen=True)
class Target:
    """A reader: valid files, the call, and the check of the result."""

    name: str
    seeds: tuple[tuple[str, bytes], ...]
    call: Callable[[Path], Any]
    holds: Callable[[Path, Any], str | None] = lambda path, result: None
    rows: tuple[dict[str, Any], ...] = ()
    suits: tuple[Mutator, ...] = ()
    packs: bool = True
    share: float = 1.0
    """Of the inputs: all for readers, fewer for what is computed from the data that were read."""

    def input(self, random: Random) -> tuple[str, bytes]:
        """Return the suffix and the bytes of one input."""
        if self.packs and random.random() < 0.0001:
            suffix, data = random.choice(bombs())
            return random.choice(self.seeds)[0].replace(".parquet", ".csv") + suffix, data
        suffix, data = random.choice(self.seeds)
        if suffix == ".parquet":
            return suffix, strange_parquet([dict(row) for row in self.rows], random)
        more = self.suits + ((objects,) if suffix == ".jsonl" else ())
        data = broken(data, random, more, random.choice(self.seeds)[1])
        if self.packs and random.random() < 0.08:
            ending, data = packed(data, random)
            return suffix + ending, data
        return suffix, data


def strange_parquet(rows: list[dict[str, Any]], random: Random) -> bytes:
    """Return a Parquet file with unexpected types, names, missing values or no rows, or with damaged bytes."""
    columns = list(rows[0])
    how = random.random()
    change: tuple[Any, ...] = ("none",)
    if how < 0.55:
        change = ("type", random.choice(columns), random.randrange(STRANGE_COLUMNS))
    elif how < 0.65:
        names = [n for n in ("", "x", "value", "É", "a.b") if n not in columns]
        change = ("name", random.choice(columns), random.choice(names))
    elif how < 0.7:
        change = ("some", *random.sample(columns, random.randrange(1, len(columns) + 1)))
    elif how < 0.75:
        change = ("empty",) if random.random() < 0.5 else ("twice",)
    about = random.choice(ABOUTS) if random.random() < 0.3 else None
    data = _changed_parquet(json.dumps(rows), change, about)
    return damaged(data, random) if how > 0.75 else data


STRANGE_COLUMNS = 20


@lru_cache(maxsize=20_000)
def _changed_parquet(rows: str, change: tuple[Any, ...], about: str | None) -> bytes:
    """Return the Parquet file of rows in JSON with a column, a name or the number of rows changed."""
    import polars as pl

    frame = pl.DataFrame(json.loads(rows), strict=False)
    how, *of = change
    if how == "type":
        column = of[0]
        kinds: list[Any] = [
            pl.lit(None),
            pl.col(column).cast(pl.Binary, strict=False),
            pl.lit(True),
            pl.lit(1.5),
            pl.lit(float("nan")),
            pl.lit("text"),
            pl.lit(2**62),
            pl.lit(b"\xff\x00"),
            pl.struct(pl.all()),
            pl.concat_list(pl.lit(1), pl.lit(2)),
            pl.date(2020, 1, 1),
            pl.lit("1e400"),
            pl.lit("x").cast(pl.Categorical),
            pl.lit(-(2**31)),
            pl.lit(""),
            pl.duration(days=1),
            pl.lit("1.5").cast(pl.Decimal(10, 2)),
            pl.when(pl.int_range(pl.len()) > 0).then(pl.col(column)),
            pl.lit("é\x00"),
            pl.lit(float("inf")),
        ]
        assert len(kinds) == STRANGE_COLUMNS
        frame = frame.with_columns(kinds[of[1]].alias(column))
    elif how == "name":
        frame = frame.rename({of[0]: of[1]})
    elif how == "some":
        frame = frame.select(of)
    elif how == "empty":
        frame = frame.clear()
    elif how == "twice":
        frame = pl.concat([frame, frame])
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata=None if about is None else {"tare": about})
    return buffer.getvalue()


ABOUTS = (
    "",
    "[]",
    "{",
    "null",
    '{"systems": 3}',
    '{"systems": [1, null]}',
    '{"items": {"a": 1}}',
    '{"measures": [["AP"]]}',
    '{"attributes": ["no such"]}',
    '{"attributes": 5}',
    '{"signatures": [3]}',
    '{"signatures": ["x"]}',
    '{"findings": [[1]]}',
    '{"findings": 1}',
    '{"findings": [["a","b","c","d","e"]]}',
    '{"seed": "x"}',
    '{"seed": null}',
    '{"measures": ["P@5","AP"]}',
    "[" * 5000,
    '{"systems": ["A","A"]}',
    '{"signatures": ["AP|n:3|tare:0.1.0"]}',
)


def _qrels(path: Path) -> Any:
    from tare import read_qrels

    return read_qrels(path)


def _passages(path: Path) -> Any:
    from tare._data.passages import StoredTexts, read_passages
    from tare._files.opening import is_compressed

    found = list(read_passages(path))
    if not is_compressed(path):  # what is read again at its place is the same text
        for passage in found:
            again = StoredTexts(path).at("", passage.start, passage.length)
            assert again is not None
            assert (again.id, again.text, again.attributes) == (
                passage.id,
                passage.text,
                passage.attributes,
            )
    return [(p.id, p.text) for p in found]


def _run(path: Path) -> Any:
    from tare import read_run

    return read_run(path, system_names="tag")


def _ranks(path: Path) -> Any:
    from tare import read_runs

    return read_runs(path, order="rank")


@cache
def _few_judgements() -> Any:
    from tare import read_qrels

    return read_qrels({"q1": {"a": 2, "b": 1, "x": 0}, "q2": {"c": 1}, "q10": {"z": 0}})


def _evaluate(path: Path) -> Any:
    from tare import evaluate

    return evaluate(
        _few_judgements(), path, ["nDCG@10", "AP", "V2(RR,pool=judged)", "Net(AP,pool=judged)"]
    )


JUDGED = {"q0": {"d0": 1, "d1": 2}, "q1": {"a": 2, "b": 1, "d2": 1}, "q2": {"a": 1}}


def _by_an_engine(path: Path) -> Any:
    from tare import evaluate
    from tare.engines import Local

    return evaluate(JUDGED, path, ["nDCG@10", "NumRet"], engine=Local(memory=3000, threads=2))


def _as_without_engine(path: Path, result: Any) -> str | None:
    from tare import evaluate
    from tare.errors import MismatchError

    try:
        whole = evaluate(JUDGED, path, ["nDCG@10", "NumRet"])
    except MismatchError:  # an engine does not look at the ids of tables
        return None if not result["nDCG@10"].values.any() else "ids of different kinds, but scores"
    if not np.array_equal(result.values, whole.values, equal_nan=True):
        return f"values {result.values.tolist()}, read whole {whole.values.tolist()}"
    if (result.systems, result.findings) != (whole.systems, whole.findings):
        return f"{result.systems} {result.findings}, read whole {whole.systems} {whole.findings}"
    return None


def _judge(path: Path) -> Any:
    from tare import evaluate

    run = {
        "q1": {"a": 2.0, "b": 1.0, "x": 0.5},
        "q2": {"a": 1.0},
        "q10": {"doc-long-name.html": 1.0},
    }
    names = [
        "nDCG@10",
        "AP",
        "ERR@5",
        "nDCG(gain=exp2)",
        "V2(nDCG@10,pool=judged)",
        "nERR",
        "RBP",
        "Q",
        "binG",
        "INSQ",
    ]
    return evaluate(path, {"s": run}, names)


def _finite(path: Path, result: Any) -> str | None:
    values = [v for v in result.values.ravel().tolist() if v == v]
    return None if all(math.isfinite(v) and v <= 1 + 1e-9 for v in values) else f"values {values}"


def _letor(path: Path) -> Any:
    from tare import read_letor

    return read_letor(path, documents=True)


def _letor_groups(path: Path) -> Any:
    from tare import read_letor

    return read_letor(path, groups=[2, 2])


def _groups(path: Path) -> Any:
    from tare._data.letor import read_groups

    return read_groups(path)


def _assessors(path: Path) -> Any:
    from tare import read_assessor_groups

    found = read_assessor_groups(path)
    repr(found), found.digest, found.documents
    return found


def _subtopics(path: Path) -> Any:
    from tare import read_subtopics

    found = read_subtopics(path)
    repr(found)
    return found


def _preferences(path: Path) -> Any:
    from tare import read_preferences

    found = read_preferences(path)
    repr(found), found.digest, found.to_frame()
    return found


def _summaries(path: Path) -> Any:
    from tare import read_summaries

    found = read_summaries(path)
    repr(found), found.digest, found.to_frame()
    return found


def _score_summaries(path: Path) -> Any:
    from tare import evaluate_texts, read_summaries

    return evaluate_texts(read_summaries(path), ["ROUGE-1", "ROUGE-L", "ROUGE-SU4"])


def _parallel(path: Path) -> Any:
    from tare import read_summaries

    return read_summaries(path, references=path)


def _folder(path: Path) -> Any:
    from tare import read_summaries

    for part in ("peers", "models"):
        (path.parent / part).mkdir(exist_ok=True)
    data = path.read_bytes()
    (path.parent / "peers" / "D1.input.html").write_bytes(data)
    (path.parent / "models" / "D1.A").write_bytes(data)
    return read_summaries(path.parent)


def _mteb(path: Path) -> Any:
    from tare._data.mteb_results import read_mteb_results

    folder = path.parent / "results" / "org__model" / "rev"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "STS17.json").write_bytes(path.read_bytes())
    return read_mteb_results(path.parent / "results")


def _mteb_is_finite(path: Path, result: Any) -> str | None:
    return None if all(map(math.isfinite, result.scores.values())) else "a score is not finite"


def _pyramid(path: Path) -> Any:
    from tare._data.pyramids import read_pyramid

    return read_pyramid(path)


def _peer(path: Path) -> Any:
    from tare._data.pyramids import read_peer

    return read_peer(path)


def _presence(path: Path) -> Any:
    from tare._data.pyramids import read_scus

    return read_scus(path)


def _ratings(path: Path) -> Any:
    from tare._data.ratings import read_ratings

    found = read_ratings(path)
    repr(found), found.to_frame(), found.matrix()
    return found


def _battles(path: Path) -> Any:
    from tare._data.battles import read_battles

    found = read_battles(path, unknown="drop")
    repr(found), found.judges, found.systems
    return found


def _arena(path: Path) -> Any:
    from tare import arena

    try:
        return arena(path, covariates=["length"], unknown="drop", draws=100)
    except OptionError:  # without a covariate
        return arena(path, unknown="drop", draws=100)


def _ratings_are_numbers(path: Path, result: Any) -> str | None:
    ratings = [s.rating for s in result.systems]
    if not all(map(math.isfinite, ratings)):
        return f"ratings {ratings}"
    for s in result.systems:
        if not 1 <= s.rank_low <= s.rank <= s.rank_high <= len(ratings):
            return f"ranks {s.rank_low} {s.rank} {s.rank_high} of {s.system!r}"
    return None


def _labels(path: Path) -> Any:
    from tare._data.labels import read_labels

    found = read_labels(path)
    for one in found:
        repr(one), one.levels, one.findings()
    return found


def _labels_are_numbers(path: Path, result: Any) -> str | None:
    """Check that grades are not negative, labels finite, and failed labels not 0."""
    for one in result:
        if any(
            not math.isfinite(v) or (v < 0 and one.kind == "grades") for v in one.values.values()
        ):
            return f"labels {one.levels}"
        if not one.values:
            return "an empty set of labels"
    return None


def _scores(path: Path) -> Any:
    from tare import Scores

    found = Scores.load(path)
    repr(found)
    found.to_frame()
    return found


def _zscores(path: Path) -> Any:
    from tare._cli.dropin.trec_eval import read_zscores

    return read_zscores(str(path))


def readers() -> tuple[Target, ...]:
    """Return every reader."""
    texts = ((".txt", QRELS),)
    return (
        Target("qrels, TREC text", texts, _qrels, oracles.same_qrels),
        Target("qrels, tables", _tables(QREL_ROWS), _qrels, oracles.same_table, tuple(QREL_ROWS)),
        Target(
            "texts of a view",
            (
                (".jsonl", b'{"id": "a", "text": "x", "title": "y"}\n{"_id": 2, "contents": ""}\n'),
                (
                    ".jsonl",
                    b'{"id": "a", "text": "x", "level": 1.5, "metadata": {"category": "how-to", "hard": true}}\n',
                ),
                (".tsv", b"a\tb\nc\td\n"),
                (".tsv", b"category\tqid\ttext\nfact\tq1\tblue whales\n\tq2\tx\n"),
            ),
            _passages,
        ),
        Target("run, TREC text", ((".run", RUN), (".run", MIXED)), _run, oracles.same_run),
        Target("runs, tables", _tables(RUN_ROWS), _ranks, rows=tuple(RUN_ROWS)),
        Target("qrels, scored", texts, _judge, _finite),
        Target("run, scored", ((".run", RUN), (".run", MIXED)), _evaluate, _finite),
        Target(
            "runs, by an engine",
            ((".run", RUN), (".run", MIXED), *_tables(RUN_ROWS), (".parquet", b"")),
            _by_an_engine,
            _as_without_engine,
            tuple(RUN_ROWS),
        ),
        Target(
            "prefs and jg", ((".txt", GROUPS), (".txt", PREFS)), _assessors, oracles.same_levels
        ),
        Target("LETOR", ((".txt", LETOR),), _letor, oracles.same_letor),
        Target("LETOR with groups", ((".txt", re.sub(rb"qid:\S+ ", b"", LETOR)),), _letor_groups),
        Target("group sizes", ((".query", SIZES),), _groups, oracles.same_sizes),
        Target(
            "subtopics",
            ((".txt", SUBTOPICS), *[(".txt", MORE_SUBTOPICS)] * 5, *_tables(SUBTOPIC_ROWS)),
            _subtopics,
            oracles.same_subtopics,
            tuple(SUBTOPIC_ROWS),
        ),
        Target(
            "preferences",
            ((".txt", PREFERENCES), *_tables(PREFERENCE_ROWS)),
            _preferences,
            rows=tuple(PREFERENCE_ROWS),
        ),
        Target(
            "summaries, tables",
            ((".jsonl", _jsonl(SUMMARY_ROWS)), *_tables(FLAT_SUMMARIES)),
            _summaries,
            rows=tuple(FLAT_SUMMARIES),
        ),
        Target("summaries, scored", ((".jsonl", _jsonl(SUMMARY_ROWS)),), _score_summaries, _finite),
        Target("summaries, a text a line", ((".txt", TEXTS),), _parallel, oracles.same_lines),
        Target("summaries, folder", ((".html", SEE), (".txt", ISI), (".txt", TEXTS)), _folder),
        Target(
            "pyramid",
            ((".pyr", PYRAMID), (".pyr", PYRAMID), *_tables(SCU_ROWS), *_tables(OWNER_ROWS)),
            _pyramid,
            rows=tuple(SCU_ROWS),
        ),
        Target("peer", ((".pan", PEER),), _peer),
        Target("SCU presence", _tables(PRESENCE_ROWS), _presence, rows=tuple(PRESENCE_ROWS)),
        Target(
            "ratings",
            ((".csv", MATRIX), (".csv", WIDE), *_tables(RATING_ROWS)),
            _ratings,
            rows=tuple(RATING_ROWS),
        ),
        Target(
            "battles",
            (*_tables(BATTLE_ROWS), *_tables(WIDE_BATTLES)),
            _battles,
            rows=tuple(BATTLE_ROWS),
        ),
        Target(
            "battles, rated",
            (*_tables(BATTLE_ROWS), *_tables(WIDE_BATTLES)),
            _arena,
            _ratings_are_numbers,
            tuple(BATTLE_ROWS),
            share=0.2,
        ),
        Target(
            "labels",
            (
                (".txt", QRELS),
                (".txt", MODEL_QRELS),
                (".txt", PREFERENCES),
                *_tables(LABEL_ROWS),
                *_tables(WIDE_LABELS),
                *_tables(RATING_ROWS),
                *_tables(PREFERENCE_ROWS),
                *_tables(PRESENCE_ROWS),
            ),
            _labels,
            _labels_are_numbers,
            tuple(LABEL_ROWS),
        ),
        Target(
            "score table",
            (*_tables(SCORE_ROWS), *_tables(SCORES_WIDE)),
            _scores,
            rows=tuple(SCORE_ROWS),
        ),
        Target("z-scores", ((".txt", ZSCORES),), _zscores),
        Target("MTEB results", ((".json", MTEB),), _mteb, _mteb_is_finite, packs=False),
    )
