"""Fuzzing of measure names: an accepted name must be read the same way again."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.mutators import Mutator, broken
from tests.fuzz.targets import Target

TEXTS = (
    "nDCG@10",
    "P(rel=2)@5",
    "ERR@20",
    "RBP(p=0.8)",
    "alpha_nDCG(alpha=0.5)@20",
    "ROUGE-2",
    "ROUGE-L(stem=true)",
    "V2(AP)",
    "nPrf(stop=rbp,theta=0.8,combine=mean)@20",
    "E(nDCG@10)",
    "V1(U(DCG@10))",
    "V2(SP@10, pool=judged, expected=independent)",
    "ndcg_cut_10",
    "recip_rank",
    "map",
    "Rprec_mult_1.5",
    "iprec_at_recall_0.1",
    "nDCG(dcg='exp-log2')@10",
    "ROUGE-SU4.r",
    "nDCG(gain={0:0,1:1,2:3})@10",
    "V2(nDCG@10,pool=corpus=1000)",
    "set_F",
    "Z(nDCG(gain=exp2)@10)",
    "ROUGE-1.p",
    "Success@5",
    "Judged@10",
    "GMAP",
    "pValue(AP)",
    "MinMax(AP)",
    "setF(beta=2)",
    "D♯_nDCG@10",
    "iPrec@0.1",
    "Std(AP)",
)
WORDS = (
    b"(",
    b")",
    b"@",
    b",",
    b"=",
    b"{",
    b"}",
    b":",
    b"'",
    b'"',
    b".",
    b"rel=",
    b"gain=exp2",
    b"@10",
    b"@1e3",
    b"@-1",
    b"@0",
    b"@1e400",
    b"@nan",
    b"V2(",
    b"E(",
    b"U(",
    b"pool=corpus=",
    b"stem=true",
    b"p=0.5",
    b"_cut_",
    b"alpha",
    b".f",
    b"rel=1e999",
)


def word(data: bytes, random: Random) -> bytes:
    """Insert a piece of the grammar."""
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(WORDS) + data[at + random.choice((0, 0, 1, 3)) :]


def wrapped(data: bytes, random: Random) -> bytes:
    """Put the measure into another one."""
    return (
        random.choice((b"V2(", b"E(", b"Z(", b"Std(", b"P("))
        + data
        + random.choice((b")", b")", b"", b",rel=1)"))
    )


def _call(path: Path) -> Any:
    from tare._measures.names import parse

    return parse(path.read_bytes().decode("utf-8", "surrogateescape"))


def _holds(path: Path, result: Any) -> str | None:
    from tare._measures.names import parse

    again = parse(str(result))
    return (
        None if again == result and str(again) == str(result) else f"{result!s} reads as {again!s}"
    )


MORE: tuple[Mutator, ...] = (word, word, word, wrapped)
GRAMMAR = Target(
    "measure grammar",
    tuple((".txt", t.encode()) for t in TEXTS),
    _call,
    _holds,
    suits=MORE,
    packs=False,
)


def several(data: bytes, random: Random) -> bytes:
    """Return a damaged measure name for a command."""
    return broken(data, random, MORE)
