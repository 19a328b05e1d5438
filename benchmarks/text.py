"""ROUGE side by side with rouge-score and rouge-score-rs: pairs a second and ratios, in one run.

The texts are made here: words drawn by Zipf's law, the candidate a disturbed copy of parts of the
reference, sentences by lines. rouge-score is timed on a sample of the pairs, being slow.

    python benchmarks/text.py [--small] [--repeats 5]
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from _records import Comparison, keep, machine, options

from tare._measures.text import Rouge, profile
from tare._measures.text.features import features
from tare._measures.text.rouge import rouge

TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
MEASURES = [Rouge("N", n=1), Rouge("N", n=2), Rouge("L"), Rouge("Lsum")]
STEMS = ["govern", "report", "nation", "develop", "relat", "attack", "minist", "police", "market"]
ENDINGS = ["", "s", "ed", "ing", "er", "ment", "ation", "al", "ly", "ness"]


def vocabulary(rng: random.Random) -> list[str]:
    """20,000 words that stem as English ones do."""
    letters = "bcdfghklmnprstvw"
    roots = STEMS + [
        "".join(rng.choice(letters) + rng.choice("aeiou") for _ in range(rng.randint(1, 3)))
        for _ in range(8000)
    ]
    return [rng.choice(roots) + rng.choice(ENDINGS) for _ in range(20_000)]


def pairs(count: int, words: int, seed: int) -> tuple[list[str], list[str]]:
    """Candidates and references of about so many words, 15 to 25 in a sentence."""
    rng = random.Random(seed)
    known = vocabulary(rng)
    weights = [1 / rank for rank in range(1, len(known) + 1)]
    candidates, references = [], []
    for _ in range(count):
        drawn = rng.choices(known, weights, k=words)
        reference, candidate = [], []
        while drawn:
            sentence, drawn = drawn[: rng.randint(15, 25)], drawn[25:]
            reference.append(" ".join(sentence).capitalize() + " .")
            disturbed = [w if rng.random() < 0.6 else rng.choice(known) for w in sentence]
            candidate.append(" ".join(disturbed).capitalize() + " .")
        rng.shuffle(candidate)
        candidates.append("\n".join(candidate))
        references.append("\n".join(reference))
    return candidates, references


def rate(task: Callable[[], object], count: int, repeats: int) -> float:
    """Pairs a second, the median of some runs."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - start)
    return count / statistics.median(seconds)


RS_RUN = """
import json, sys, time, statistics
from rouge_score_rs import rouge_scorer
candidates, references, stem = json.load(sys.stdin)
scorer = rouge_scorer.RougeScorer({types}, use_stemmer=stem)
seconds = []
for _ in range({repeats}):
    start = time.perf_counter()
    scorer.score_batch(references, candidates)
    seconds.append(time.perf_counter() - start)
print(len(candidates) / statistics.median(seconds))
"""


def rate_of_rs(
    candidates: list[str], references: list[str], stem: bool, threads: int | None, repeats: int
) -> float:
    """In a process of its own: its number of threads is fixed when it starts."""
    environment = dict(os.environ)
    if threads is not None:
        environment["RAYON_NUM_THREADS"] = str(threads)
    run = subprocess.run(
        [sys.executable, "-c", RS_RUN.format(types=TYPES, repeats=repeats)],
        input=json.dumps([candidates, references, stem]),
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    return float(run.stdout)


def compare(count: int, words: int, sample: int, stem: bool, repeats: int) -> dict[str, Any]:
    """One row of the results."""
    from rouge_score import rouge_scorer

    candidates, references = pairs(count, words, seed=count)
    groups = [[reference] for reference in references]
    own = profile("google", stem=stem)
    slow = rouge_scorer.RougeScorer(TYPES, use_stemmer=stem)
    few = list(zip(references[:sample], candidates[:sample], strict=True))
    row: dict[str, Any] = {"pairs": count, "words": words, "stem": stem}
    rates = {
        "tare, 1 thread": rate(
            lambda: rouge(candidates, groups, MEASURES, profile=own, threads=1), count, repeats
        ),
        "tare, all threads": rate(
            lambda: rouge(candidates, groups, MEASURES, profile=own), count, repeats
        ),
        "rouge-score-rs, 1 thread": rate_of_rs(candidates, references, stem, 1, repeats),
        "rouge-score-rs, all threads": rate_of_rs(candidates, references, stem, None, repeats),
        "rouge-score": rate(lambda: [slow.score(*pair) for pair in few], sample, repeats=1),
    }
    row["pairs a second"] = {key: round(value, 1) for key, value in rates.items()}
    row["ratios"] = {
        "to rouge-score": round(rates["tare, 1 thread"] / rates["rouge-score"], 1),
        "to rouge-score-rs, 1 thread": round(
            rates["tare, 1 thread"] / rates["rouge-score-rs, 1 thread"], 2
        ),
        "to rouge-score-rs, all threads": round(
            rates["tare, all threads"] / rates["rouge-score-rs, all threads"], 2
        ),
    }
    return row


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["rouge-score", "rouge-score-rs"])
    sizes = [(100, 55, 5), (5, 1000, 1)] if given.small else [(10_000, 55, 300), (200, 1000, 6)]
    rows = [
        compare(count, words, sample, stem, given.repeats)
        for count, words, sample in sizes
        for stem in (True, False)
    ]
    count = 20 if given.small else 10_000
    candidates, references = pairs(count, 100, seed=1)
    groups = [[reference] * 4 for reference in references]
    seconds = 1 / rate(lambda: features(candidates, groups, threads=1), 1, given.repeats)
    goals = {"13 features of 10,000 summaries, one thread": seconds}
    compared = []
    for row in rows:
        words, ratios, rates = f"{row['words']:,} words", row["ratios"], row["pairs a second"]
        print(json.dumps(row))
        if row["stem"]:
            start = f"ROUGE with stemming, {words}"
            goals |= {
                f"{start}: rouge-score ÷ tare": ratios["to rouge-score"],
                f"{start}, one thread: rouge-score-rs ÷ tare": ratios[
                    "to rouge-score-rs, 1 thread"
                ],
                f"{start}, all threads: rouge-score-rs ÷ tare": ratios[
                    "to rouge-score-rs, all threads"
                ],
            }
        stem = "with stemming" if row["stem"] else "without stemming"
        task = f"ROUGE-1, -2, -L, -Lsum of 1,000 pairs of {words}, {stem}"
        ours = {t: 1000 / rates[f"tare, {t}"] for t in ("1 thread", "all threads")}
        compared.append(
            Comparison(
                f"{task}, 1 thread", ours["1 thread"], "rouge-score", 1000 / rates["rouge-score"]
            )
        )
        for threads, own in ours.items():
            theirs = 1000 / rates[f"rouge-score-rs, {threads}"]
            compared.append(Comparison(f"{task}, {threads}", own, "rouge-score-rs", theirs))
    compared.append(Comparison("13 features of 10,000 summaries, 4 references, 1 thread", seconds))
    raw = {"rouge": rows, "13 features of 10,000 summaries, seconds": seconds}
    keep("text", raw, about=about, goals=goals, comparisons=compared, small=given.small)


if __name__ == "__main__":
    main()
