"""`make sanitize`: the tests and fuzzers of the core under sanitizers, then Python tests and complete verbs.

With --short, as in `make test`: only the readers, in tiny shares.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.fuzz.core import SEEDS, cmake

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "sanitize"
INPUTS = 10_000
KINDS = {"address": "address,undefined", "thread": "thread"}
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}
PYTHON_TESTS = [
    "tests/unit/kernels",
    "tests/unit/data/test_trec_text.py",
    "tests/unit/data/test_letor.py",
    "tests/unit/data/test_runs.py",
    "tests/unit/data/test_subtopics.py",
    "tests/unit/measures/text/test_rouge.py",
    "tests/unit/measures/test_scores.py",
    "tests/unit/test_many_threads.py",
]
# Sixteen threads of Python at once, without polars, whose threads are not instrumented.
THREAD_TESTS = [
    "tests/unit/kernels/test_threads_and_blocks.py",
    "tests/unit/test_many_threads.py::test_one_set_of_judgements_and_one_run",
    "tests/unit/test_many_threads.py::test_one_evaluator",
]
# glibc frees the memory of a thread without informing the sanitizer.
SUPPRESSED = "race:_dl_deallocate_tls\nrace:__call_tls_dtors\n"
START = """
import os, sys
os.environ.pop("LD_PRELOAD", None)  # child processes limit their memory, and a sanitizer reserves a lot
sys.meta_path[:] = [f for f in sys.meta_path if "ditable" not in type(f).__module__]
sys.path.insert(0, sys.argv[1])
import tare._core
assert sys.argv[1] in tare._core.__file__, tare._core.__file__
"""
TESTS = (
    START
    + """
import pytest
sys.exit(pytest.main(["-q", "-n", "0", "--capture=sys", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""
)
VERBS = (
    START
    + """
from tests.fuzz.sanitized_verbs import main
sys.exit(main(sys.argv[2:]))
"""
)
SIZES = 5  # calls of each verb, each with different block and share sizes


def run(words: str, command: list[str], **environment: str) -> bool:
    """Run a command, and show its output if it fails."""
    began = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **OPTIONS, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    last = (done.stdout.strip().splitlines() or [""])[-1]
    print(
        f"{words}: {'clean' if done.returncode == 0 else 'FAILED'} ({last[:90]}; {time.monotonic() - began:.0f} s)",
        flush=True,
    )
    if done.returncode:
        print(done.stdout[-4000:], done.stderr[-8000:], sep="\n")
    return done.returncode == 0


def module(kind: str) -> Path:
    """Build the extension with sanitizers, in a folder with the rest of the package."""
    folder = BUILD / f"{kind}-module"
    cmake(
        folder,
        TARE_SANITIZE=KINDS[kind],
        SKBUILD="ON",
        Python_EXECUTABLE=sys.executable,
        target="_core",
    )
    site = folder / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(
        ROOT / "src" / "tare",
        site / "tare",
        ignore=shutil.ignore_patterns("__pycache__", "_core*.so"),
    )
    for built in folder.glob("_core*.so"):
        shutil.copy(built, site / "tare")
    version = next(iter(Path(sys.prefix).glob("lib/python*/site-packages/tare/_version.py")), None)
    if version is not None:
        shutil.copy(version, site / "tare")
    return site


def runtime(name: str) -> str:
    """Return the path of a sanitizer library of the compiler."""
    found = subprocess.run(
        ["c++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    )
    return str(Path(found.stdout.strip()).resolve())


def runs(sanitizers: str) -> bool:
    """Return whether this machine builds and runs programs with these sanitizers."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / "nothing"
    command = ["c++", f"-fsanitize={sanitizers}", "-x", "c++", "-", "-o", str(program)]
    made = subprocess.run(
        command, input="int main() {}", capture_output=True, text=True, check=False
    )
    return (
        made.returncode == 0
        and subprocess.run([str(program)], capture_output=True, check=False).returncode == 0
    )


def short() -> int:
    """Test the readers in tiny shares; the exit code is 1 if they are not clean."""
    clean = True
    for kind, sanitizers in KINDS.items():
        if not runs(sanitizers):
            print(f"{kind}: skipped, no program with -fsanitize={sanitizers} runs here.")
            continue
        folder = BUILD / f"{kind}-readers"
        cmake(folder, target="tare_seam_tests", TARE_SANITIZE=sanitizers)
        clean &= run(f"{kind}: readers in tiny shares", [str(folder / "tare_seam_tests")])
    return 0 if clean else 1


def main() -> int:
    """Run all parts; the exit code is 1 if one is not clean."""
    options = argparse.ArgumentParser(prog="make sanitize")
    options.add_argument("--short", action="store_true", help="only the readers")
    options.add_argument("--kind", choices=KINDS, action="append", help="only this kind")
    given = options.parse_args()
    if given.short:
        return short()
    clean = True
    for kind in given.kind or KINDS:
        sanitizers = KINDS[kind]
        folder = BUILD / kind
        print(f"building the core with -fsanitize={sanitizers} …", flush=True)
        cmake(folder, TARE_SANITIZE=sanitizers, TARE_FUZZ="plain")
        clean &= run(f"{kind}: tests of the core", [str(folder / "tare_core_tests")])
        for name, seeds in SEEDS.items():
            paths = [str(p) for p in seeds()]
            count = str(INPUTS if kind == "address" else INPUTS // 4)
            clean &= run(f"{kind}: {name}", [str(folder / f"fuzz_{name}"), count, *paths])
        print(f"building the extension with -fsanitize={sanitizers} …", flush=True)
        site = module(kind)
        library = runtime("libasan.so" if kind == "address" else "libtsan.so")
        tests = PYTHON_TESTS if kind == "address" else THREAD_TESTS
        # Python keeps memory until it exits, which is not a leak of tare; the tests of the core find leaks.
        # libstdc++ must be loaded at the start: a sanitizer looks for its exceptions only then.
        preloaded = f"{library} {runtime('libstdc++.so.6')}"
        environment = {"LD_PRELOAD": preloaded, "PYTHONMALLOC": "malloc"}
        if kind == "thread":
            told = BUILD / "suppressed.txt"
            told.write_text(SUPPRESSED)
            environment["TSAN_OPTIONS"] = f"{OPTIONS['TSAN_OPTIONS']}:suppressions={told}"
        if kind == "address":
            environment["ASAN_OPTIONS"] = "detect_leaks=0:allocator_may_return_null=1"
        clean &= run(
            f"{kind}: the extension under Python's tests",
            [sys.executable, "-c", TESTS, str(site), *tests],
            **environment,
        )
        clean &= run(
            f"{kind}: whole verbs in tiny shares",
            [sys.executable, "-c", VERBS, str(site), kind, str(SIZES)],
            **environment,
        )
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
