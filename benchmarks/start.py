"""What it costs to start, and to score small runs: whole processes, next to Python, numpy and trec_eval.

python benchmarks/start.py [--small] [--repeats 5]
"""

from __future__ import annotations

from pathlib import Path

from _processes import in_turn, script, tare_command
from _records import WORK, Comparison, keep, machine, options
from _runs import make, pytrec_eval, trec_eval, trec_eval_seconds

SHARE = 0.37  # of the time of pytrec_eval on 250 topics


def tiny() -> tuple[Path, Path]:
    """Return judgements and a run of 20 lines each."""
    folder = WORK / "tiny"
    folder.mkdir(parents=True, exist_ok=True)
    qrels, run = folder / "qrels.txt", folder / "bm25.run"
    pairs = [(q, d) for q in range(2) for d in range(10)]
    qrels.write_text("".join(f"q{q} 0 d{d} {d % 2}\n" for q, d in pairs))
    run.write_text("".join(f"q{q} Q0 d{d} {d + 1} {9 - d} bm25\n" for q, d in pairs))
    return qrels, run


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["pytrec-eval-terrier"])
    repeats = max(given.repeats, 1 if given.small else 5)
    qrels, run = map(str, tiny())
    starts = in_turn(
        {
            "python": script("pass"),
            "import numpy": script("import numpy"),
            "import tare": script("import tare"),
            "import tare and its readers": script("import tare; tare.evaluate, tare.read_run"),
            "tare --version": [tare_command(), "--version"],
            "tare --help": [tare_command(), "--help"],
            "tare score, 20 lines": [tare_command(), "score", qrels, run, "-m", "AP"],
            "tare trec_eval, 20 lines": [tare_command(), "trec_eval", qrels, run],
        },
        2 * repeats,
    )
    large_qrels, large_run = make(10 if given.small else 250, judged=1200)
    topics = in_turn(
        {
            "tare": [tare_command(), "trec_eval", str(large_qrels), str(large_run)],
            "pytrec_eval": pytrec_eval(large_qrels, large_run),
            **trec_eval(large_qrels, large_run),
        },
        repeats,
    )
    for name, timing in {**starts, **topics}.items():
        print(f"{name:30}{timing.seconds:8.3f} s{timing.mebibytes:7.0f} MiB")
    theirs, peer = trec_eval_seconds(topics, SHARE)
    ours = topics["tare"]
    task = "250 × 1,000 lines, 300,000 judgements, `tare trec_eval`"
    pytrec = topics["pytrec_eval"]
    rows = [Comparison(f"`{name}`", timing.seconds) for name, timing in starts.items()]
    rows += [
        Comparison(task, ours.seconds, peer, theirs, ours.mebibytes),
        Comparison(
            task, ours.seconds, "pytrec_eval", pytrec.seconds, ours.mebibytes, pytrec.mebibytes
        ),
    ]
    beyond = starts["tare score, 20 lines"].seconds - starts["import numpy"].seconds
    goals = {
        "`tare score` of 20 lines, less `import numpy`": beyond,
        "250 × 1,000 lines, 300,000 judgements: trec_eval ÷ `tare trec_eval`": theirs
        / ours.seconds,
    }
    raw = {name: timing.figures() for name, timing in {**starts, **topics}.items()}
    keep("start", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
