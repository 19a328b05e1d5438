"""Complete verbs in this process, each with several block and share sizes, for runs under sanitizers."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.fuzz.commands import CALLS, FILES
from tests.fuzz.targets import MIXED

# Servers, long studies and reports; other verbs use the same parts of the core.
LEFT_OUT = ("judge", "report", "list", "cite")
MORE = {
    "score": (
        "score qrels.txt mixed.run -m nDCG@10 AP --engine local",
        "score mixed.txt mixed.run -m AP nDCG@5 V2(AP) --by-query --pool judged",
    ),
    "trec_eval": ("trec_eval -q -m all_trec mixed.txt mixed.run",),
    "check": ("check mixed.txt mixed.run bm25.run",),
    "compare": (
        "compare scores.csv --test permutation --draws 200 --format csv",
        "compare scores.csv --test bootstrap --draws 200 --format csv",
    ),
    "text": ("text summaries.jsonl -m ROUGE-1 ROUGE-L ROUGE-SU4 ROUGE-W --by-item",),
}
# Without polars, whose threads ThreadSanitizer does not see.
WITHOUT_POLARS = ("score", "trec_eval", "check", "ndeval")


def calls(kind: str) -> list[str]:
    """Return the calls; for ThreadSanitizer only those that read text."""
    if kind == "thread":
        found = [call for verb in WITHOUT_POLARS for call in (*CALLS[verb], *MORE.get(verb, ()))]
        by_polars = ("json", "--kinds", "letor.txt")
        return [call for call in found if not any(words in call for words in by_polars)]
    kept = [verb for verb in CALLS if verb not in LEFT_OUT]
    return [call for verb in kept for call in (*CALLS[verb], *MORE.get(verb, ()))]


def told(call: str) -> tuple[int, str]:
    """Return the exit code and the output."""
    from tare._cli.main import main as tare

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = tare(call.split())
    return code, out.buffer.getvalue().decode()  # type: ignore[attr-defined]


def main(arguments: list[str]) -> int:
    """Compare the output of each call at the usual and at drawn sizes; return 1 if they differ."""
    from tare._kernels.threads_and_blocks import Seams, cut, drawn_seams

    kind, times = arguments[0], int(arguments[1])
    os.environ["TARE_DEBUG"] = "1"
    wrong = done = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in FILES.items():
            Path(name).write_text(text)
        Path("mixed.run").write_bytes(MIXED)
        lines = [f"q{i % 3} 0 d{i} {Random(i).randrange(3)}\n" for i in range(24)]
        Path("mixed.txt").write_text("".join(lines))
        for call in calls(kind):
            with cut(Seams(threads=1)):
                usual = told(call)
            for seed in range(times):
                done += 1
                with cut(drawn_seams(f"{seed} {call}")):
                    found = told(call)
                if found != usual or found[0] not in (0, 1):
                    wrong += 1
                    print(f"{call}\nsizes {seed}: {found}\nusual: {usual}", file=sys.stderr)
    print(f"{done} calls in {times} sizes each, {wrong} with other numbers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
