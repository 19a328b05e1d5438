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
import dataclasses, warnings
warnings.simplefilter("ignore")
from mteb._evaluators import retrieval_metrics as m
out = m.calculate_retrieval_scores(results, qrels, [1, 3, 5, 10, 20, 100, 1000])
skipped = m.calculate_retrieval_scores(results, qrels, [1, 10], skip_first_result=True)
out = [list(x) if isinstance(x, tuple) else dataclasses.asdict(x) for x in (out, skipped)]
print(json.dumps([m.pytrec_eval.__name__, out]))
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
