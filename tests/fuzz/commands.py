"""Fuzzing of the verbs: their examples with damaged files, changed options, and words removed or inserted."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.mutators import broken, objects

WORDS = (
    "",
    "-",
    "--",
    "-1",
    "0",
    "1",
    "2",
    "3.5",
    "nan",
    "inf",
    "1e309",
    "99999999999999999999",
    "abc",
    "--bogus",
    "-m",
    "-q",
    "--help",
    "--format",
    "json",
    "csv",
    "latex",
    "xml",
    "--seed",
    "--strict",
    "--by-query",
    "nDCG@10",
    "AP",
    "V2(AP)",
    "nDCG@",
    "P(rel=)@5",
    "ROUGE-1",
    "qrels.txt",
    "bm25.run",
    "dense.run",
    "scores.csv",
    "ratings.csv",
    "summaries.jsonl",
    "nowhere.txt",
    ".",
    "é",
    "\udcff",
    "runs/*.run",
    "[",
    "a\nb",
    "{}",
    "%s",
    "--ties",
    "--missing",
    "refuse",
    "expected",
    "--depth",
    "--cutoff",
    "A",
    "B",
    "--baseline",
)
QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\nq2 0 d 0\nq3 0 e 1\n"
BM25 = "q1 Q0 a 1 3 bm25\nq1 Q0 b 2 2 bm25\nq1 Q0 c 3 1 bm25\nq2 Q0 d 1 2 bm25\nq2 Q0 a 2 1 bm25\n"
DENSE = "q1 Q0 c 1 .9 dense\nq1 Q0 a 2 .8 dense\nq2 Q0 d 1 .7 dense\nq3 Q0 e 1 .5 dense\n"
LETOR = "".join(f"{i % 3} qid:{i // 4} 1:{i % 5} 2:{i % 7}\n" for i in range(16))
RANDOM = Random(5)
FILES = {
    "qrels.txt": QRELS,
    "bm25.run": BM25,
    "dense.run": DENSE,
    "qrels.diversity": "q1 1 a 1\nq1 2 b 1\nq1 2 c 0\nq2 1 a 1\nq2 2 d 1\nq3 1 e 1\n",
    "letor.txt": LETOR,
    "plan.toml": 'kind = "preference"\n[data]\nqueries = "queries.tsv"\ndocuments = "documents.jsonl"\n',
    "queries.tsv": "q1\twhat\n",
    "documents.jsonl": '{"id": "a", "text": "A."}\n{"id": "b", "text": "B."}\n',
    "scores.csv": "system,item,measure,value\n"
    + "".join(
        f"{s},q{i},nDCG@10,{RANDOM.random():.3f}\n" for s in ("A", "B", "C") for i in range(12)
    ),
    "human.csv": "system,item,measure,value\n"
    + "".join(
        f"{s},q{i},relevance,{RANDOM.randrange(1, 6)}\n" for s in ("A", "B", "C") for i in range(12)
    ),
    "rated.jsonl": "".join(
        json.dumps(
            {
                "system": s,
                "item": f"i{i}",
                "text": f"The cat {i} sat {s}.",
                "references": [f"The cat {i} sat down."],
                "source": "A cat sat down here.",
                "scores": {"fluency": RANDOM.randrange(1, 6)},
            }
        )
        + "\n"
        for s in "ABC"
        for i in range(4)
    ),
    "system.txt": "The cat sat.\nA dog ran away.\n",
    "reference.txt": "The cat sat down.\nThe dog ran.\n",
    "summaries.jsonl": "".join(
        json.dumps(
            {
                "system": s,
                "item": f"i{i}",
                "text": "The cat sat.",
                "references": ["The cat sat down."],
                "source": "A cat.",
            }
        )
        + "\n"
        for s in "AB"
        for i in range(3)
    ),
    "assignments.jsonl": "".join(
        json.dumps(
            {
                "qid": f"q{q}",
                "run_id": s,
                "response_length": 9,
                "nuggets": [
                    {
                        "text": f"f{k}",
                        "importance": "vital" if k else "okay",
                        "assignment": ("support", "not_support")[(q + k) % 2],
                    }
                    for k in range(2)
                ],
            }
        )
        + "\n"
        for s in "AB"
        for q in range(3)
    ),
    "matches.csv": "system,item,nugget,assignment,answer_to\n"
    + "".join(
        f"{s},q{q},f{k},{(q + k) % 2},q{a}\n"
        for s in "AB"
        for q in range(3)
        for k in range(2)
        for a in range(3)
    ),
    "repeated.csv": "unit,coder,value\n"
    + "".join(
        f"u{u % 6},{c},{RANDOM.randrange(1, 6)}\n" for u in range(12) for c in ("ann", "bob")
    ),
    "llm.jsonl": "".join(
        json.dumps({"qid": q, "docid": d, "judgment": RANDOM.randrange(3), "explanation": "x"})
        + "\n"
        for q, d in zip(["q1", "q1", "q1", "q2", "q2", "q3"], "abcade", strict=True)
    ),
    "battles.csv": "prompt,system_a,system_b,winner,length_a,length_b\n"
    + "".join(
        f"p{k % 5},{'xyz'[k % 3]},{'yzx'[k % 3]},{RANDOM.choice(['a', 'b', 'tie'])},{RANDOM.randrange(50)},{RANDOM.randrange(50)}\n"
        for k in range(30)
    ),
    "labels.csv": "topic,doc,human,llm,other\n"
    + "".join(
        f"q{q},d{d},{RANDOM.randrange(4)},{RANDOM.randrange(4)},{RANDOM.random():.2f}\n"
        for q in range(4)
        for d in range(5)
    ),
    "ratings.csv": "unit,coder,value\n"
    + "".join(f"u{u},{c},{RANDOM.randrange(1, 6)}\n" for u in range(6) for c in ("ann", "bob")),
}
CALLS = {
    "score": (
        "score qrels.txt bm25.run dense.run -m nDCG@10 AP",
        "score qrels.txt bm25.run --ties expected --by-query --format json -m RR",
        "score letor.txt --feature 1 2 -m nDCG@5",
        "score qrels.txt bm25.run --pool judged --kinds --kind-size 1",
        "score qrels.diversity bm25.run -m alpha_nDCG@20",
    ),
    "text": (
        "text system.txt reference.txt -m ROUGE-1",
        "text summaries.jsonl -m ROUGE-2 ROUGE-L --by-item",
    ),
    "answers": (
        "answers assignments.jsonl -m NuggetVital NuggetAll",
        "answers matches.csv -m NuggetAll Net(NuggetAll) --format json",
        "answers assignments.jsonl --show nuggets --format csv",
    ),
    "compare": (
        "compare scores.csv --test t",
        "compare scores.csv --baseline A --correction holm --format csv",
    ),
    "gate": (
        "gate qrels.txt bm25.run --baseline dense.run -m nDCG@10:1 --certify",
        "gate scores.csv --baseline scores.csv --system A --baseline-system B --format json",
    ),
    "agree": ("agree ratings.csv", "agree ratings.csv --level ordinal --format json"),
    "power": (
        "power scores.csv -m nDCG@10 --simulations 100",
        "power scores.csv --first A --second B C --test t --simulations 100",
    ),
    "design": (
        "design t --difference 0.05 --deviation 0.2",
        "design pilot scores.csv A B --test wilcoxon --simulations 200",
    ),
    "check": (
        "check qrels.txt bm25.run dense.run",
        "check qrels.txt bm25.run --strict --format json --cutoff 5",
    ),
    "rank": (
        "rank letor.txt letor.txt --ranker rankboost --option rounds=5 -o run.txt",
        "rank letor.txt letor.txt --ranker random --save model.json",
    ),
    "study": (
        "study consistency scores.csv scores.csv --names a b",
        "study items scores.csv --method ranks",
        "study discrimination scores.csv --draws 100 --test t",
        "study diversity qrels.diversity --systems 3 --format csv",
        "study people scores.csv human.csv --draws 100 --chance 2",
        "study assessors repeated.csv --level ordinal --draws 100",
        "study power scores.csv --first A --second B --test t --simulations 20",
        "study judges qrels.txt llm.jsonl bm25.run dense.run --draws 100 --splits 3",
        "study judges labels.csv --rel 2 --cut 0.5 --draws 100 --format json",
        "study summaries rated.jsonl -m ROUGE-1 --samples 20 --draws 100",
        "study letor letor.txt letor.txt --ranker rankboost adarank --draws 100",
    ),
    "arena": (
        "arena battles.csv --covariates length --draws 100",
        "arena battles.csv --draws 100 --ties half",
    ),
    "learn": (
        "learn scores.csv human.csv --method ridge --draws 100 -o model.json",
        "learn scores.csv human.csv --protocol systems --folds 3 --method nnls --draws 100 --format json",
    ),
    "judge": ("judge create plan.toml --output study.db --invite 2", "judge status study.db"),
    "report": (
        "report scores.csv --title x -o r.html",
        "report qrels.txt bm25.run -m AP -o r.html",
    ),
    "list": ("list measures nDCG", "list formats --format json"),
    "cite": ("cite nDCG ERR@20 map", "cite V2"),
    "trec_eval": (
        "trec_eval -q -m all_trec qrels.txt bm25.run",
        "trec_eval -m ndcg_cut.5,10 -l 2 -c qrels.txt dense.run",
    ),
    "ndeval": ("ndeval qrels.diversity bm25.run", "ndeval -alpha 0.3 qrels.diversity dense.run"),
}
CODES = (0, 1, 2, 3, 255)
# Codes that some verbs have beside: cannot be calculated, nothing to score; not certified.
MORE_CODES = {"tare trec_eval": (4, 7), "tare gate": (4,)}


@dataclass(frozen=True)
class Verb:
    """A verb, called in this process; its input is a folder of files and a list of arguments."""

    name: str
    calls: tuple[str, ...]
    share: float = 0.02

    @property
    def bounded(self) -> bool:
        """Return whether memory is limited; V8, which draws charts, reserves too much for a limit."""
        return self.name not in ("tare report", "tare study", "tare arena")

    def input(self, random: Random) -> tuple[str, bytes]:
        """Return the arguments and the changed files as JSON."""
        words = shlex.split(random.choice(self.calls))
        named = [w for w in words if w in FILES]
        changed: dict[str, str] = {}
        if named and random.random() < 0.6:
            name = random.choice(named)
            more = (objects,) if name.endswith(".jsonl") else ()
            changed[name] = broken(FILES[name].encode(), random, more).decode("latin-1")
        if not changed or random.random() < 0.4:
            for _ in range(random.choice((1, 1, 2, 3))):
                words = _changed(words, random)
        if random.random() < 0.3:
            words += [random.choice(_options(tuple(words[:2]))), random.choice(WORDS)]
        return ".json", json.dumps({"words": words, "files": changed}).encode()

    def call(self, path: Path) -> int:
        """Return the exit code; an exception that reaches the top is a defect."""
        from tare._cli.main import main

        given = json.loads(path.read_text())
        folder = path.parent / "where"
        folder.mkdir(exist_ok=True)
        for name, text in FILES.items():
            data = given["files"].get(name)
            (folder / name).write_bytes(text.encode() if data is None else data.encode("latin-1"))
        if "create" in given["words"]:  # what an earlier trial made is in the way
            (folder / "study.db").unlink(missing_ok=True)
        before = Path.cwd()
        debug = os.environ.get("TARE_DEBUG")
        os.environ["TARE_DEBUG"] = "1"
        os.chdir(folder)
        out = io.TextIOWrapper(
            io.BytesIO(), encoding="utf-8", errors="surrogateescape", write_through=True
        )
        said = io.TextIOWrapper(
            io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True
        )
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
                try:
                    code: Any = main(given["words"])
                except SystemExit as end:
                    code = end.code
        finally:
            os.chdir(before)
            os.environ.pop("TARE_DEBUG")
            if debug is not None:
                os.environ["TARE_DEBUG"] = debug
        return int(code or 0)

    def holds(self, path: Path, code: int) -> str | None:
        """Check that the exit code is a documented one."""
        codes = CODES + MORE_CODES.get(self.name, ())
        return None if code in codes else f"exit code {code}"


@lru_cache
def _options(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options in the help of a verb or a study."""
    from tare._cli.main import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        for call in (words, words[:1]):
            with contextlib.suppress(SystemExit):
                main([*call, "--help"])
    found = {"--help", *re.findall(r"--[a-z][a-z-]+", out.getvalue())}
    return tuple(sorted(found - {"--report"}))  # drawn by V8, which cannot do with bounded memory


def _changed(words: list[str], random: Random) -> list[str]:
    words = list(words)
    at = random.randrange(1, len(words) + 1)
    how = random.randrange(4)
    if how == 0 and at < len(words):
        del words[at]
    elif how == 1 and at < len(words):
        words[at] = random.choice(WORDS)
    elif how == 2 and at < len(words):
        # Never another folder: what is written stays in the trial's own.
        text = broken(words[at].encode("utf-8", "surrogateescape"), random).decode(
            "utf-8", "surrogateescape"
        )[:5000]
        words[at] = text.replace("/", "_").replace("..", "_").replace("\0", "")
    else:
        words.insert(at, random.choice(WORDS))
    return words


def verbs() -> tuple[Verb, ...]:
    """Return every verb except the demo, which writes the files that it reads."""
    return tuple(Verb(f"tare {name}", calls) for name, calls in CALLS.items())
