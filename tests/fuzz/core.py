"""The parsers of the core under libFuzzer, if clang is installed, and the build of fuzzers and sanitizers."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.fuzz import native_targets, targets

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
FOLDER = ROOT / "build" / "fuzz"


def _seeds(name: str, *texts: bytes) -> Callable[[], list[Path]]:
    def made() -> list[Path]:
        folder = FOLDER / "seeds" / name
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for i, text in enumerate(texts):
            paths.append(folder / str(i))
            paths[-1].write_bytes(bytes([i, 3 * i, i, 0, 40 * i, 20, 60, i, 90, 7, i, 0]) + text)
        return paths

    return made


TEXT = b"The cat sat on the mat.\nA dog ran.\0The cats sat.\0\xce\xb1\xce\xb2\xce\xb3 d\xc3\xa9j\xc3\xa0 vu, can't 3.5!\0the cat"
PAIRS, LISTS, PREDICTIONS = (
    json.dumps(given).encode()
    for given in (native_targets.PAIRS, native_targets.LISTS, native_targets.PREDICTIONS)
)
SEEDS = {
    "json_pairs": _seeds("json_pairs", PAIRS, PAIRS, LISTS, PREDICTIONS),
    "trec_text": _seeds("trec_text", targets.RUN, targets.RUN, targets.QRELS, targets.SUBTOPICS),
    "letor": _seeds("letor", targets.LETOR, re.sub(rb"qid:\S+ ", b"", targets.LETOR)),
    "texts": _seeds("texts", TEXT, TEXT.upper(), TEXT[::-1]),
    "judging": _seeds("judging", targets.RUN, targets.RUN.replace(b"q10", b"q2"), targets.MIXED),
}


def cmake(folder: Path, *, target: str = "all", compiler: str = "", **options: str) -> None:
    """Configure and build; show the output after a failure."""
    given = [f"-D{key}={value}" for key, value in options.items()]
    given += [f"-DCMAKE_CXX_COMPILER={compiler}"] if compiler else []
    ninja = f"-DCMAKE_MAKE_PROGRAM={BIN / 'ninja'}"
    for command in (
        [
            str(BIN / "cmake"),
            "-S",
            str(ROOT),
            "-B",
            str(folder),
            "-G",
            "Ninja",
            ninja,
            "-DCMAKE_BUILD_TYPE=Checked",
            *given,
        ],
        [str(BIN / "cmake"), "--build", str(folder), "--target", target],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stdout[-6000:] + done.stderr[-6000:])


def has_libfuzzer(compiler: str) -> bool:
    """Return whether the compiler can link a fuzzer."""
    program = (
        'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    )
    command = [compiler, "-x", "c++", "-", "-fsanitize=fuzzer,address", "-o", os.devnull]
    done = subprocess.run(command, input=program.encode(), capture_output=True, check=False)
    return done.returncode == 0


def main() -> int:
    """Print one line per parser; the exit code is 1 if an input failed."""
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--runs", type=int, default=0)
    options.add_argument("--compiler", default="")
    given = options.parse_args()
    if not given.compiler or not shutil.which(given.compiler):
        print("libFuzzer on the core: skipped, no clang++ found (apt install clang, or CLANG=…).")
        return 0
    if not has_libfuzzer(given.compiler):
        print(
            f"libFuzzer on the core: skipped, {given.compiler} links no fuzzer (apt install libclang-rt-dev)."
        )
        return 0
    folder = FOLDER / "libfuzzer"
    print(f"building the core with {given.compiler} -fsanitize=fuzzer …", flush=True)
    sanitizers = "fuzzer-no-link,address,undefined"
    cmake(folder, compiler=given.compiler, TARE_FUZZ="libfuzzer", TARE_SANITIZE=sanitizers)
    failed = 0
    for name, seeds in SEEDS.items():
        corpus = FOLDER / "corpus" / name
        corpus.mkdir(parents=True, exist_ok=True)
        seeds()
        command = [
            str(folder / f"fuzz_{name}"),
            str(corpus),
            str(FOLDER / "seeds" / name),
            f"-max_total_time={given.seconds}",
            f"-artifact_prefix={FOLDER}/{name}-",
            "-timeout=5",
            "-rss_limit_mb=2048",
            "-max_len=4096",
            "-seed=1",
            "-print_final_stats=1",
            *([f"-runs={given.runs}"] if given.runs else []),
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
        covered = re.findall(r"cov: (\d+)", done.stderr)
        count, edges = int(runs[1]) if runs else 0, covered[-1] if covered else "?"
        good = done.returncode == 0
        failed += not good
        print(
            f"libFuzzer {name}: {count:,} inputs, {edges} edges, {'nothing found' if good else 'FAILED'}",
            flush=True,
        )
        if not good:
            print(done.stderr[-5000:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
