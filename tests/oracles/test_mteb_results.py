"""Main scores of result files, as mteb's own TaskResult computes them."""

from __future__ import annotations

import json
import warnings

import pytest

from tare._data.mteb_results import read_mteb_results


def test_scores_are_those_of_mteb(tmp_path):
    pytest.importorskip("mteb")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mteb.results import TaskResult

        for k, task in enumerate(("STS17", "SciFact")):
            subsets = [
                {"hf_subset": name, "languages": codes, "main_score": 0.1 * (k + j) + 0.037}
                for j, (name, codes) in enumerate(
                    [
                        ("en-en", ["eng-Latn"]),
                        ("es-es", ["spa-Latn"]),
                        ("en-ar", ["eng-Latn", "ara-Arab"]),
                    ]
                )
            ]
            value = {
                "dataset_revision": "x",
                "task_name": task,
                "mteb_version": "1.20.0",
                "evaluation_time": 1.0,
                "kg_co2_emissions": None,
                "scores": {"test": subsets},
            }
            path = tmp_path / "org__model" / "rev" / f"{task}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(value))
            theirs = TaskResult.from_disk(path)
            ours = read_mteb_results(tmp_path).scores["org/model", task]
            assert ours == pytest.approx(theirs.get_score(splits=["test"]), abs=1e-15)
            spanish = read_mteb_results(tmp_path, languages=["spa"]).scores["org/model", task]
            assert spanish == pytest.approx(theirs.get_score(languages=["spa"]), abs=1e-15)
