"""Trials of one target: numbered inputs, each a function of the seed, and counts of their outcomes."""

from __future__ import annotations

import argparse
import gc
import json
import mmap
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from tare import _core
from tare._files import opening
from tare._kernels.threads_and_blocks import Seams, cut, drawn_seams
from tare.errors import DataError, MismatchError, MissingExtraError, TareError
from tests.fuzz.mutators import bombs

MEMORY = 1 << 30
"""Memory that a process may use for hostile files, in bytes."""
SLOW = 5.0


def outcome_of(target: Any, path: Path, sizes: Seams | None = None) -> tuple[str, str]:
    """Return the kind and the message of one outcome; kinds that begin with '!' are forbidden.

    The expected result of an accepted file is computed at the usual sizes, so different sizes are compared too.
    """
    try:
        with cut(sizes or Seams()):
            result = target.call(path)
    except MissingExtraError as error:
        return "!extra missing", str(error)
    except TareError as error:
        words = str(error)
        about_values = isinstance(error, MismatchError) and "the grade" in words
        if (
            isinstance(error, DataError)
            and not about_values
            and not ("input" in words or str(path.parent) in words)
        ):
            return "!place not named", words
        return f"refused: {type(error).__name__}", words
    except MemoryError:
        return "!memory", traceback.format_exc()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"!{type(error).__name__}", traceback.format_exc()
    try:
        wrong = target.holds(path, result)
    except Exception as error:
        return f"!oracle {type(error).__name__}", traceback.format_exc()
    return ("!changed value", wrong) if wrong else ("read", "")


def one(target: Any, seed: int, number: int, folder: Path) -> tuple[Path, str, str]:
    """Make the input of this number and try it, with drawn block and share sizes."""
    random = Random(f"{seed}/{target.name}/{number}")
    suffix, data = target.input(random)
    path = folder / f"input{suffix}"
    path.write_bytes(data)
    bomb = any(data == known for _, known in bombs())  # 90 MB in tiny blocks would take too long
    sizes = Seams() if bomb else sizes_for(f"{seed}/{target.name}/{number}", unpacked_size(data))
    kind, words = outcome_of(target, path, sizes)
    return path, kind, words if kind == "read" else f"{words}\nsizes: {sizes}"


HANDED_OVER = ("block", "packed_block", "gzip_block", "unpacked_block")
"""Sizes of what one thread hands to another; every piece costs two changes of threads."""
SEAMS = 1_000
"""Seams of an input are enough at this number: kilobytes need not be read byte by byte."""
HAND_OVERS = 30


def sizes_for(seed: str, size: int) -> Seams:
    """Draw block and share sizes for an input of this size, with a limited number of seams."""
    drawn = drawn_seams(seed, 1 + size // SEAMS)
    least = size // HAND_OVERS
    return replace(drawn, **{name: max(least, getattr(drawn, name)) for name in HANDED_OVER})


def unpacked_size(data: bytes) -> int:
    """Return the size of data, or of what they expand to, up to 4 MiB; damaged gzip data up to the damage."""
    if not data.startswith(b"\x1f\x8b"):
        return len(data)
    unpacker, size = zlib.decompressobj(31), 0
    with suppress(zlib.error):
        while data and size < 4 << 20:
            size += len(unpacker.decompress(data[:64]))
            data = data[64:]
    return size


class Crossed:
    """Counts of inputs that the core split into several shares, and of those read in several blocks."""

    def __init__(self) -> None:
        self.shares = self.blocks = 0
        self._most = self._before = 0
        read_into = opening._read_into

        def counted(file: Any, block: int) -> Any:
            for number, part in enumerate(read_into(file, block), 1):
                self._most = max(self._most, number)
                yield part

        opening._read_into = counted

    def __enter__(self) -> None:
        self._most, self._before = 0, _core.texts_cut()

    def __exit__(self, *_: object) -> None:
        self.shares += _core.texts_cut() > self._before
        self.blocks += self._most > 1


def limit_memory() -> None:
    """Limit memory to MEMORY above the present use."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    if pages:
        most = pages * resource.getpagesize() + MEMORY
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def run(
    target: Any, seed: int, first: int, count: int, kept: Path, counter: Path
) -> dict[str, Any]:
    """Try inputs first … first + count - 1, and keep forbidden ones with their messages."""
    counts: Counter[str] = Counter()
    several = Crossed()
    forbidden: Counter[str] = Counter()
    slowest = 0.0
    home = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=home) as name, counter.open("r+b") as file:
        folder = Path(name)
        (folder / "where").mkdir()
        shared = mmap.mmap(file.fileno(), 16)
        for warm in range(20):  # imports on first use do not count as memory of an input
            one(target, seed + 1, warm, folder)
        gc.collect()
        gc.freeze()  # modules are not searched again and again
        if getattr(target, "bounded", True):
            limit_memory()
        for number in range(first, first + count):
            shared[:8] = number.to_bytes(8, "little")
            began, written = time.process_time(), os.fstat(2).st_size
            with several:
                path, kind, words = one(target, seed, number, folder)
            took = time.process_time() - began
            said = os.pread(2, os.fstat(2).st_size - written, written)
            if said and kind.startswith("refused") and b"panicked at crates/polars" in said:
                kind = f"{kind}, and a panic of polars is shown"  # nothing public silences it
            elif said:  # past sys.stderr, where users would see it
                kind, words = "!written to standard error", f"after {kind}\n{words}"
            slowest = max(slowest, took)
            if took > SLOW:
                kind, words = "!slow", f"{took:.1f} s of processor time"
            counts[kind] += 1
            if kind.startswith("!"):
                forbidden[kind] += 1
                if forbidden[kind] <= 5:
                    keep(kept, target.name, number, path, f"{kind}\n{words}")
            path.unlink(missing_ok=True)
        shared[8:16] = (1).to_bytes(8, "little")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {
        "outcomes": dict(counts.most_common()),
        "several_shares": several.shares,
        "several_blocks": several.blocks,
        "slowest_s": round(slowest, 2),
        "peak_mb": peak,
    }


def keep(kept: Path, target: str, number: int, path: Path, words: str) -> None:
    """Keep an input that failed, with its message."""
    kept.mkdir(parents=True, exist_ok=True)
    stem = f"{target.replace(' ', '-').replace(',', '')}-{number}"
    if path.is_file():
        shutil.copy(path, kept / f"{stem}{path.name.removeprefix('input')}")
    elif path.is_dir():
        shutil.copytree(path, kept / stem, dirs_exist_ok=True)
    (kept / f"{stem}.told").write_text(words, encoding="utf-8", errors="backslashreplace")


def main() -> None:
    """Try one target, and print the counts as JSON."""
    options = argparse.ArgumentParser()
    options.add_argument("target")
    for name in ("seed", "first", "count"):
        options.add_argument(name, type=int)
    options.add_argument("kept", type=Path)
    options.add_argument("counter", type=Path)
    given = options.parse_args()
    os.environ["POLARS_MAX_THREADS"] = "1"
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from tests.fuzz.all_targets import target_of

    target = target_of(given.target)
    found = run(target, given.seed, given.first, given.count, given.kept, given.counter)
    sys.__stdout__.write("\n" + json.dumps(found) + "\n")  # type: ignore[union-attr]


if __name__ == "__main__":
    main()
