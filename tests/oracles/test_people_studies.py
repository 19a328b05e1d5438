"""The studies of people on real summaries and real judgements: SummEval and REALSumm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tare
from tare.studies import learned_measure, measures_and_people
from tests.oracles.summaries import collection

VARIANTS = ["ROUGE-1", "ROUGE-2", "ROUGE-4", "ROUGE-L", "ROUGE-SU4"]


@pytest.mark.parametrize(
    ("name", "human", "systems"),
    [("summeval", "relevance", 16), ("realsumm", "litepyramid_recall", 24)],
)
def test_which_rouge_finds_what_people_find(
    real_data: Path, name: str, human: str, systems: int
) -> None:
    texts, said = collection(real_data, name)
    scores = tare.evaluate_texts(texts, VARIANTS)
    found = measures_and_people(scores, said.select(measures=[human]), draws=100, chance=20)
    rows = {r["measure"]: r for r in found.find("agreement")}
    assert set(rows) == {*scores.measures, "(chance)", "(constant)"}
    assert rows["ROUGE-1"]["pairs"] == systems * (systems - 1) // 2
    chance = rows["(chance)"]
    best = max(rows[m]["balanced"] for m in scores.measures)
    assert best > chance["balanced_high"]
    assert max(rows[m]["pairwise"] for m in scores.measures) > chance["pairwise_high"]
    for row in found.find("correlations", level="item"):
        assert row["value"] > 0.05
        assert row["low_both"] <= row["value"] <= row["high_both"] + 0.05
    assert len(found.find("consensus")) == 2 ** len(VARIANTS) - 1
    assert {"agreement", "correlations", "tests", "consensus", "wins"} <= set(found.tables())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "human"), [("summeval", "relevance"), ("realsumm", "litepyramid_recall")]
)
def test_a_measure_learned_for_systems_it_has_not_seen(
    real_data: Path, tmp_path: Path, name: str, human: str
) -> None:
    texts, said = collection(real_data, name)
    features = tare.evaluate_texts(texts, "features")
    found = learned_measure(
        features,
        said.select(measures=[human]),
        methods=["robust", "nnls", "cca", "ridge"],
        protocol="systems",
        folds=2,
        draws=100,
    )
    assert found.subsets == 8191
    assert len(found.chosen) == 8
    held = {r["held_out"] for r in found.chosen}
    assert len(held) == 2
    values = {
        r["measure"]: r["value"]
        for r in found.correlations
        if (r["level"], r["coefficient"]) == ("item", "pearson")
    }
    # Content decides; a learned measure of unseen systems is no worse than nothing at all.
    assert max(v for m, v in values.items() if m.startswith("learned")) > 0.1
    weights = found.model("nnls").coefficients
    assert np.isfinite(weights).all()
    found.model("ridge").save(tmp_path / "model.json")
    measure = f"Learned(path={tmp_path / 'model.json'})"
    scored = tare.evaluate_texts(texts, [measure])
    assert scored.values[:, :, 0] == pytest.approx(
        found.model("ridge").score(features).values[:, :, 0]
    )
