"""ndeval's own output on Web 2012, and pyndeval on random collections.

The CSV files were made by `ndeval -c` (trec-web-2012); pyndeval 0.0.8 wraps the same program. At
depth 1 ndeval leaves ERR-IA and alpha-DCG without their normalisation, so it is not held against it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tare
from tare._cli.dropin.ndeval import main

RUNS = ("indri-ql-cata", "indri-ql-catb", "indri-rm-cata", "indri-rm-catb")
PEER = {
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "P-IA": "P_IA",
    "strec": "StRecall",
}


@pytest.mark.parametrize("run", RUNS)
def test_every_cell_of_web_2012(run: str, real_data: Path, capsys: pytest.CaptureFixture[str]):
    folder = real_data / "trec/web2012"
    if not folder.is_dir():
        pytest.skip("the Web 2012 files are not in TARE_DATA")
    arguments = ["-c", str(folder / "qrels.diversity.gz"), str(folder / f"{run}.run.gz")]
    assert main(arguments) == 0
    assert capsys.readouterr().out == (folder / f"{run}.ndeval2012.csv").read_text()


def random_collection(seed: int) -> tuple[list[tuple[str, str, str, int]], dict]:
    """Subtopics and a run with missing, unjudged and irrelevant documents."""
    random = np.random.default_rng(seed)
    cells, run = [], {}
    for q in range(4):
        names = [f"doc{i:03d}" for i in random.permutation(60)]
        for name in names[:40]:
            cells += [
                (f"{q + 1}", f"{subtopic}", name, int(random.random() < 0.15) * 2)
                for subtopic in range(1, 2 + int(random.integers(1, 6)))
            ]
        ranked = random.permutation(names)[:50]
        run[f"{q + 1}"] = {str(name): 100.0 - i for i, name in enumerate(ranked)}
    return cells, run


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.5), (0.25, 0.75)])
def test_pyndeval_on_random_collections(seed: int, alpha: float, beta: float):
    pyndeval = pytest.importorskip("pyndeval")
    cells, run = random_collection(seed)
    cutoffs = (2, 5, 10, 20)
    theirs = {
        f"{name}@{k}": f"{ours}({_alpha(ours, alpha)})@{k}"
        for name, ours in PEER.items()
        for k in cutoffs
    }
    theirs |= {name: f"{name}(alpha={alpha},beta={beta})" for name in ("NRBP", "nNRBP")}
    theirs["MAP-IA"] = "AP_IA"
    judgements = [pyndeval.SubtopicQrel(q, j, d, g) for q, j, d, g in cells]
    results = [
        pyndeval.ScoredDoc(q, d, score)
        for q, documents in run.items()
        for d, score in documents.items()
    ]
    found = pyndeval.ndeval(judgements, results, measures=list(theirs), alpha=alpha, beta=beta)
    scores = tare.evaluate(cells, run, list(theirs.values()))
    for m, name in enumerate(theirs):
        for i, query in enumerate(scores.items):
            assert scores.values[0, i, m] == pytest.approx(found[query][name], abs=1e-9), name


def _alpha(measure: str, alpha: float) -> str:
    return "" if measure in ("P_IA", "StRecall") else f"alpha={alpha}"


def test_ir_measures_names_and_values():
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("pyndeval")
    import pandas as pd

    cells, run = random_collection(9)
    qrels = pd.DataFrame(cells, columns=["query_id", "iteration", "doc_id", "relevance"])
    texts = [
        "alpha_nDCG(alpha=0.3)@10",
        "ERR_IA@20",
        "nERR_IA@5",
        "NRBP(alpha=0.5,beta=0.5)",
        "nNRBP(alpha=0.5,beta=0.5)",
        "AP_IA",
        "P_IA(rel=2)@5",
        "StRecall@10",
        "alpha_DCG@20",
    ]
    scores = tare.evaluate(qrels, run, texts)
    # One by one: with parameters that differ, ir_measures 0.4.3 reads its run to the end for the
    # first of them and gives 0 for the others.
    found = {
        (value.query_id, text): value.value
        for text in texts
        for value in ir_measures.iter_calc([ir_measures.parse_measure(text)], qrels, run)
    }
    for m, text in enumerate(texts):
        for i, query in enumerate(scores.items):
            assert scores.values[0, i, m] == pytest.approx(found[query, text], abs=1e-9), text
