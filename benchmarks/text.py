"""ROUGE side by side with rouge-score and rouge-score-rs: pairs a second and ratios, in one run.

The texts are made here: words drawn by Zipf's law, the candidate a disturbed copy of parts of the
reference, sentences by lines. rouge-score is timed on a sample of the pairs, being slow.

    python benchmarks/text.py
"""

from __future__ import annotations

import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tare._measures.text import Rouge, profile, rouge
from tare._measures.text.features import features

RESULTS = Path(__file__).parent / "results" / "text.json"
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


def rate(task: Callable[[], object], count: int, repeats: int = 3) -> float:
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
for _ in range(3):
    start = time.perf_counter()
    scorer.score_batch(references, candidates)
    seconds.append(time.perf_counter() - start)
print(len(candidates) / statistics.median(seconds))
"""


def rate_of_rs(
    candidates: list[str], references: list[str], stem: bool, threads: int | None
) -> float:
    """In a process of its own: its number of threads is fixed when it starts."""
    environment = dict(os.environ)
    if threads is not None:
        environment["RAYON_NUM_THREADS"] = str(threads)
    run = subprocess.run(
        [sys.executable, "-c", RS_RUN.format(types=TYPES)],
        input=json.dumps([candidates, references, stem]),
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    return float(run.stdout)


def compare(name: str, count: int, words: int, sample: int, stem: bool) -> dict[str, object]:
    """One row of the results."""
    from rouge_score import rouge_scorer

    candidates, references = pairs(count, words, seed=count)
    groups = [[reference] for reference in references]
    own = profile("google", stem=stem)
    slow = rouge_scorer.RougeScorer(TYPES, use_stemmer=stem)
    few = list(zip(references[:sample], candidates[:sample], strict=True))
    row: dict[str, object] = {"case": name, "pairs": count, "words": words, "stem": stem}
    rates = {
        "tare, 1 thread": rate(
            lambda: rouge(candidates, groups, MEASURES, profile=own, threads=1), count
        ),
        "tare, all threads": rate(lambda: rouge(candidates, groups, MEASURES, profile=own), count),
        "rouge-score-rs, 1 thread": rate_of_rs(candidates, references, stem, 1),
        "rouge-score-rs, all threads": rate_of_rs(candidates, references, stem, None),
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
    rows = [
        compare("CNN/DM size", 10_000, 55, sample=300, stem=True),
        compare("CNN/DM size", 10_000, 55, sample=300, stem=False),
        compare("1,000 words", 200, 1000, sample=6, stem=True),
        compare("1,000 words", 200, 1000, sample=6, stem=False),
    ]
    candidates, references = pairs(10_000, 100, seed=1)
    groups = [[reference] * 4 for reference in references]
    seconds = 1 / rate(lambda: features(candidates, groups, threads=1), 1, repeats=3)
    result = {
        "machine": {"cores": os.cpu_count(), "processor": platform.machine()},
        "python": platform.python_version(),
        "rouge": rows,
        "13 features of 10,000 summaries, 4 references, 1 thread, seconds": round(seconds, 2),
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
