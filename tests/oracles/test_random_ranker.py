"""A random ranker on real data: its raw difference from chance is 0 in the mean, exactly computed."""

from __future__ import annotations

import numpy as np
import pytest

from tare._data import judge, read_letor
from tare._data.judged import Policies
from tare._data.pools import Pool
from tare._measures import parse
from tare._measures.one_system import RankingEvaluation, Sampling
from tare.chance._expected_values import chances_of
from tests.reference.catalogue import VARIANTS

REPETITIONS = 20


@pytest.fixture(scope="module")
def letor(real_data):
    return read_letor(real_data / "letor" / "mq2008" / "train.txt.gz")


def differences(letor, measures: list[str], expected: str = "exact") -> dict[str, np.ndarray]:
    """A − E of each query, the mean over several random rankings of its rows."""
    qrels = letor.qrels()
    random = np.random.default_rng(20)
    wanted = [parse(text) for text in measures]
    found: dict[str, list[np.ndarray]] = {text: [] for text in measures}
    luck = {}
    for _ in range(REPETITIONS):
        run = letor.run(scores=random.random(len(letor)), system="random")
        judged = judge(qrels, run, Policies())
        evaluation = RankingEvaluation(judged, Sampling())
        evaluation.prepare(wanted)
        for text, measure in zip(measures, wanted, strict=True):
            if text not in luck:
                luck[text] = chances_of(
                    judged, measure, Pool("judged"), expected, sampling=Sampling(1, 2000)
                )
            difference = evaluation.values(measure) - luck[text].expected
            found[text].append(difference[luck[text].defined])
    return {text: np.mean(values, axis=0) for text, values in found.items()}


def in_standard_errors(values: np.ndarray) -> float:
    """The mean, in units of its standard error; 0 where nothing varies."""
    if len(values) == 0 or abs(values.mean()) < 1e-12:  # nothing to gain, or no luck in it
        return 0.0
    return float(values.mean() / (values.std(ddof=1) / np.sqrt(len(values))))


def test_a_random_ranker_earns_what_chance_is_said_to_earn(letor):
    of_queries = (texts for name, texts in VARIANTS.items() if name != "GMR")  # GMR: sets only
    measures = [texts[0] for texts in of_queries] + ["SP@5", "SP@10", "nDCG@10"]
    found = differences(letor, list(dict.fromkeys(measures)))
    away = {text: in_standard_errors(values) for text, values in found.items()}
    assert len(away) >= 50
    assert {text: z for text, z in away.items() if abs(z) > 3} == {}


@pytest.mark.parametrize(
    "measure", ["SP@5", "SP@10"]
)  # with k, not min(k, n): higher where a pool is smaller
def test_the_published_baseline_of_sp_is_too_low(letor, measure):
    assert in_standard_errors(differences(letor, [measure], "independent")[measure]) > 5
