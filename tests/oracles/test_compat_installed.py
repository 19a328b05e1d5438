"""BEIR's and MTEB's own evaluation code with `tare.compat.pytrec_eval` installed."""

import json
import subprocess
import sys

import pytest

DATA = """
import json, random, sys
rng = random.Random(4)
documents = [f"d{i}" for i in range(300)]
qrels, results = {}, {}
for q in range(40):
    qrels[f"q{q}"] = {d: rng.choice([0, 1, 1, 2]) for d in rng.sample(documents, 30)}
    qrels[f"q{q}"][documents[q]] = 1
    found = rng.sample(documents, rng.randint(20, 150))
    results[f"q{q}"] = {d: rng.choice([round(rng.random(), 1), rng.random()]) for d in found}
    results[f"q{q}"][f"q{q}"] = 2.0
if sys.argv[1] == "tare":
    import tare.compat
    tare.compat.install("pytrec_eval")
"""
BEIR = """
from beir.retrieval.evaluation import EvaluateRetrieval, pytrec_eval
ks = [1, 3, 5, 10, 100, 1000]
out = list(EvaluateRetrieval.evaluate(qrels, results, ks))
out += [EvaluateRetrieval.evaluate_custom(qrels, results, ks, m) for m in ("mrr", "r_cap", "hole", "acc")]
print(json.dumps([pytrec_eval.__name__, out]))
"""
MTEB = """
import copy, warnings
warnings.simplefilter("ignore")
import pytrec_eval
from datasets import Dataset
from mteb import TaskMetadata
from mteb.abstasks import AbsTaskRetrieval

texts = lambda ids: Dataset.from_list([{"id": i, "text": i} for i in ids])
parts = {"corpus": texts(documents), "queries": texts(qrels), "relevant_docs": qrels, "top_ranked": None}
by_query = []

class Task(AbsTaskRetrieval):
    metadata = TaskMetadata(
        name="Task", description="", type="Retrieval", category="t2t", main_score="ndcg_at_10",
        modalities=["text"], dataset={"path": "", "revision": ""}, eval_langs=["eng-Latn"],
    )
    dataset = {"default": {"test": parts}}

    def task_specific_scores(self, scores, *_, **__):
        by_query.append(scores)
        return {}

class Search:
    mteb_model_meta = None
    def index(self, **_): pass
    def search(self, **_): return copy.deepcopy(results)

out = []
for skip in (False, True):
    task = Task()
    task.data_loaded, task.skip_first_result = True, skip
    out.append(dict(task.evaluate(Search(), encode_kwargs={})["default"]))
print(json.dumps([pytrec_eval.__name__, [out, by_query]]))
"""


def printed(code, which):
    done = subprocess.run(
        [sys.executable, "-c", DATA + code, which],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("package", "code"), [("beir", BEIR), pytest.param("mteb", MTEB, marks=pytest.mark.slow)]
)
def test_the_same_dictionary_with_tare_installed(package, code):
    for needed in ("datasets", "torch"):
        pytest.importorskip(needed, reason=f"beir and mteb need {needed}")
    if package not in {m.name for m in __import__("pkgutil").iter_modules()}:
        pytest.skip(f"{package} is not installed")
    their_module, theirs = printed(code, "peer")
    our_module, ours = printed(code, "tare")
    assert (their_module, our_module) == ("pytrec_eval", "tare.compat.pytrec_eval")
    assert ours == theirs
