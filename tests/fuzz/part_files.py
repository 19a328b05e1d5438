"""Fuzzing of the parts of batch jobs and of kept systems of text evaluations: damaged bytes, and for parts changed arrays and facts with a correct checksum."""

from __future__ import annotations

import hashlib
import io
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tare._files.finished_parts import DAMAGES
from tare.errors import FormatError
from tests.fuzz.models import members
from tests.fuzz.targets import Target

QRELS = {"q1": {"a": 2, "b": 0, "c": -1}, "q2": {"a": 1, "d": 3}, "q3": {"e": 1}}
RUN = "q1 Q0 a 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 c 3 2 t\nq2 Q0 d 1 9 t\nq9 Q0 d 1 9 t\n"


def _made() -> bytes:
    from tare.engines import judge_part

    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "a.run"
        run.write_text(RUN)
        return judge_part(QRELS, [run], index=0, of=1, output=folder).read_bytes()


def rearranged(data: bytes, random: Random) -> bytes:
    """Change a value, a length or a type of an array, or a fact, and correct the checksum."""
    try:
        with np.load(io.BytesIO(data[:-32]), allow_pickle=False) as held:
            arrays: dict[str, Any] = {key: held[key].copy() for key in held.files}
    except DAMAGES:
        return data
    try:
        return _resealed(arrays, random)
    except (
        IndexError,
        KeyError,
        OverflowError,
        ValueError,
    ):  # changed before, so that nothing fits
        return data


def _resealed(arrays: dict[str, Any], random: Random) -> bytes:
    name = random.choice(list(arrays))
    column = arrays[name]
    how = random.random()
    if name == "facts" or how < 0.2:
        text = members(arrays["facts"].tobytes(), random)
        arrays["facts"] = np.frombuffer(text, dtype=np.uint8)
    elif how < 0.7 and len(column):
        chosen = [0, 1, 2, 7]
        if column.dtype.kind in "iu":
            info = np.iinfo(column.dtype)
            chosen += [info.min, info.max]
        column[random.randrange(len(column))] = random.choice(chosen)
    elif how < 0.85:
        arrays[name] = np.concatenate([column, column])[: random.randrange(2 * len(column) + 1)]
    elif how < 0.95:
        with np.errstate(invalid="ignore"):
            arrays[name] = column.astype(random.choice([np.float64, np.int8, np.bool_, "U3"]))
    else:
        del arrays[name]
    content = io.BytesIO()
    np.savez(content, **arrays)
    whole = content.getvalue()
    return whole + hashlib.blake2b(whole, digest_size=32).digest()


def _join(path: Path) -> Any:
    import tare

    return tare.evaluate(QRELS, [path], ["nDCG@10", "AP", "bpref"], engine=tare.engines.Parts())


def _finite(path: Path, scores: Any) -> str | None:
    return None if np.isfinite(scores.values).all() else f"values {scores.values.tolist()}"


TEXTS = [
    {
        "system": s,
        "item": f"{k}",
        "text": f"the {s} cat {k}" * k,
        "references": ["the cat sat"] * k,
        "source": f"The cat {s} sat on {k} mats.",
    }
    for s in "ab"
    for k in range(4)
]
TEXT_MEASURES = ["ROUGE-1", "BLEU", "Net(ROUGE-1)"]


def _scored(folder: Path) -> Any:
    import tare

    engine = tare.engines.Local(resume=folder, threads=1)
    return tare.evaluate_texts(TEXTS, TEXT_MEASURES, engine=engine)


def _made_texts() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        _scored(Path(folder))
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def part_targets() -> list[Target]:
    """Return the readers of parts."""
    judged = ((".npz", _made()),)
    texts = _made_texts()
    (name, seed), *others = texts.items()

    def resumed(path: Path) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            for other, data in others:
                (Path(folder) / other).write_bytes(data)
            kept = Path(folder) / name
            kept.write_bytes(path.read_bytes())
            made = _scored(Path(folder))
            if kept.read_bytes() != path.read_bytes():
                raise FormatError(f"{path}: damaged, so that it was scored again.")
            return made

    return [
        Target("part of a batch job", judged, _join, _finite, suits=(rearranged,) * 6, packs=False),
        Target("system of a text evaluation", ((".npz", seed),), resumed, packs=False),
    ]
