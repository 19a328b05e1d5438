"""Net on real runs: the same for every depth, and no run worse than chance without being asked."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import tare

CUTS = (10, 20, 100, 1000)
CORPUS = 3_213_835  # documents of MS MARCO


@pytest.fixture(scope="module")
def folder(real_data):
    return real_data / "trec" / "dlhard"


def cut_runs(folder) -> dict[str, dict[str, dict[str, float]]]:
    """One run cut at several depths."""
    path = sorted(folder.glob("runs/*.run.gz"))[0]
    ranked: dict[str, list[tuple[float, str]]] = {}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            query, _, document, _, score, _ = line.split()
            ranked.setdefault(query, []).append((float(score), document))
    # As trec_eval ranks: by score, then by document id, both descending.
    ordered = {q: sorted(found, reverse=True) for q, found in ranked.items()}
    return {
        f"cut {k}": {
            q: {d: -float(i) for i, (_, d) in enumerate(found[:k])} for q, found in ordered.items()
        }
        for k in CUTS
    }


@pytest.mark.parametrize(
    "asked", [{"pool": "judged"}, {"corpus": CORPUS}, {"corpus": "inf"}, {"candidates": 5000}]
)
def test_the_depth_of_a_run_does_not_change_its_net(folder, asked):
    qrels = tare.read_qrels(folder / "dl_hard-doc.qrels")
    scores = tare.evaluate(qrels, cut_runs(folder), ["nDCG@10", "Net(nDCG@10)"], **asked)
    for s in range(1, len(CUTS)):
        np.testing.assert_array_equal(scores.values[s], scores.values[0])
    found = scores.means()
    assert len({means["Net(nDCG@10)"] for means in found.values()}) == 1
    assert not tare.compare(scores).families[1].significant.any()


def test_no_run_is_worse_than_chance_in_the_corpus_and_the_judged_pool_has_its_finding(folder):
    qrels = tare.read_qrels(folder / "dl_hard-doc.qrels")
    runs = str(folder / "runs" / "*.run.gz")
    searched = tare.evaluate(qrels, runs, "Net(nDCG@10)", corpus=CORPUS)
    assert all(means["Net(nDCG@10)"] > 0 for means in searched.means().values())
    judged = tare.evaluate(qrels, runs, "Net(nDCG@10)", pool="judged")
    below = [s for s, means in judged.means().items() if means["Net(nDCG@10)"] < 0]
    assert below
    [finding] = [f for f in judged.findings if f.kind == "runs search beyond the pool"]
    assert finding.severity == "warning"
    assert "corpus=N" in finding.message
