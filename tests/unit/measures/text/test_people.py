"""People who are both peers and models: never scored against themselves, comparable with systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tare
from tare._measures.text import Rouge, profile
from tare._measures.text.rouge import count_rouge, rouge
from tare.errors import FormatError, MismatchError

MODELS = {
    "A": "police killed the gunman in the city",
    "B": "the gunman was killed by the police",
    "C": "officers shot a gunman",
    "D": "a gunman died in the city on monday",
}
SYSTEM = "the police killed a gunman"


def rows(*writers: str) -> list[dict[str, Any]]:
    return [
        {"system": name, "item": "t1", "text": MODELS.get(name, SYSTEM), "references": MODELS}
        for name in writers
    ]


def expected(text: str, references: list[str], rule: str, kind: Rouge = Rouge("N", n=1)) -> float:  # noqa: B008
    return float(rouge([text], [references], [kind], refs=rule).values[0].f[0])


def others(name: str) -> list[str]:
    return [text for author, text in MODELS.items() if author != name]


@pytest.mark.parametrize("rule", ["max", "mean", "micro"])
def test_nobody_is_scored_against_himself(rule: str) -> None:
    scores = tare.evaluate_texts(tare.read_summaries(rows("X", "A", "C")), f"ROUGE-1(refs={rule})")
    assert scores.values[0, 0, 0] == expected(SYSTEM, list(MODELS.values()), rule)
    assert scores.values[1, 0, 0] == expected(MODELS["A"], others("A"), rule)
    assert scores.values[2, 0, 0] == expected(MODELS["C"], others("C"), rule)
    assert scores.values.max() < 1
    (finding,) = [finding for finding in scores.findings if finding.kind == "people"]
    assert (finding.count, finding.examples, finding.severity) == (2, ("A", "C"), "note")


@pytest.mark.parametrize(("rule", "of_a_set"), [("jackknife", "max"), ("jackknife-micro", "micro")])
@pytest.mark.parametrize("kind", [Rouge("N", n=1), Rouge("N", n=2), Rouge("SU", gap=4), Rouge("W")])
def test_the_jackknife_holds_people_and_systems_against_as_many(
    rule: str, of_a_set: str, kind: Rouge
) -> None:
    name = {"N": f"ROUGE-{kind.n}", "SU": "ROUGE-SU", "W": "ROUGE-W"}[kind.kind]
    scores = tare.evaluate_texts(tare.read_summaries(rows("X", "A")), f"{name}(refs={rule})")
    sets = [expected(SYSTEM, others(left_out), of_a_set, kind) for left_out in MODELS]
    assert scores.values[0, 0, 0] == pytest.approx(np.mean(sets), abs=1e-15)
    assert scores.values[1, 0, 0] == expected(MODELS["A"], others("A"), of_a_set, kind)


def test_sums_of_all_but_one_by_hand() -> None:
    """Hits and totals of ROUGE-1: 2 of 2 and 2, 1 of 2 and 4, 0 of 2 and 1."""
    found = rouge(["a b"], [["a b", "a c d e", "z"]], [Rouge("N", n=1)], refs="jackknife-micro")
    recall = (1 / 5 + 2 / 3 + 3 / 6) / 3
    precision = (1 / 4 + 2 / 4 + 3 / 4) / 3
    assert found.values[0].recall[0] == pytest.approx(recall, abs=1e-15)
    assert found.values[0].precision[0] == pytest.approx(precision, abs=1e-15)


def test_one_reference_and_none() -> None:
    found = rouge(["a b"] * 2, [["a c"], []], [Rouge("N", n=1)], refs="jackknife-micro").values[0]
    assert found.recall[0] == 0.5
    assert np.isnan(found.recall[1])


def test_scores_of_sets_are_rounded_as_printed() -> None:
    """In lin2004 a mean of values in five decimals, F included, as NIST makes it."""
    lin = profile("lin2004")
    references = [["a b c", "a c d e f g h", "b z"]]
    counts = count_rouge(["a b x"], references, [Rouge("N", n=1)], profile=lin)
    found = counts.parts(Rouge("N", n=1), "jackknife-micro")
    sets = [[r for r in references[0] if r != out] for out in references[0]]
    each = [rouge(["a b x"], [s], [Rouge("N", n=1)], profile=lin).values[0].f[0] for s in sets]
    assert found.f[0] == float(f"{np.mean(each):.5f}")


def test_a_person_whose_only_model_is_his_own_has_no_value() -> None:
    made = [{"system": s, "item": "t", "text": "a b", "references": {"A": "a b"}} for s in "AX"]
    scores = tare.evaluate_texts(tare.read_summaries(made), "ROUGE-1")
    assert np.isnan(scores.values[0, 0, 0])
    assert scores.values[1, 0, 0] == 1
    assert "no references" in {finding.kind for finding in scores.findings}


def test_people_skip_topics_that_they_did_not_write_about() -> None:
    made = [
        {"system": "X", "item": "t1", "text": SYSTEM, "references": MODELS},
        {"system": "X", "item": "t2", "text": SYSTEM, "references": MODELS},
        {"system": "Y", "item": "t2", "text": SYSTEM, "references": MODELS},
        {"system": "A", "item": "t1", "text": MODELS["A"], "references": MODELS},
    ]
    texts = tare.read_summaries(made)
    scores = tare.evaluate_texts(texts, "ROUGE-1")
    assert np.isnan(scores.values[2, 1, 0])  # A is a person
    assert scores.values[1, 0, 0] == 0  # Y is not
    assert "people:skip" in str(scores.signatures[0])
    told = [str(f) for f in scores.findings if f.kind == "missing texts"]
    assert any("A: no text on 1 of 2 items; they are left out" in one for one in told)
    assert tare.evaluate_texts(texts, "ROUGE-1", missing="zero").values[2, 1, 0] == 0
    with pytest.raises(MismatchError):
        tare.evaluate_texts(texts, "ROUGE-1", missing="error")


def test_chance_and_the_human_bound_know_people() -> None:
    source = {"source": " ".join(MODELS.values())}
    texts = tare.read_summaries([row | source for row in rows("X", "A")])
    for rule, of_a_set in (("jackknife-micro", "micro"), ("jackknife", "max")):
        scores = tare.evaluate_texts(
            texts, [f"E(ROUGE-1(refs={rule}),length=5)", f"U(ROUGE-1(refs={rule}),upper=human)"]
        )
        alone = tare.read_summaries(
            [{"text": SYSTEM, "references": others("A")} | source], system="A"
        )
        same = tare.evaluate_texts(alone, f"E(ROUGE-1(refs={of_a_set}),length=5)", seed=0)
        error = 0 if of_a_set == "micro" else 0.02
        assert scores.values[1, 0, 0] == pytest.approx(same.values[0, 0, 0], abs=error + 1e-12)
        bound = np.mean([expected(MODELS[n], others(n), of_a_set) for n in MODELS])
        own = expected(SYSTEM, list(MODELS.values()), rule)
        assert scores.values[0, 0, 1] == pytest.approx(own / bound)


AUTHORS = tuple(MODELS)


@pytest.mark.parametrize(
    "references",
    [
        {"references": MODELS},
        {"references": [{"author": a, "text": t} for a, t in MODELS.items()]},
        {"references": list(MODELS.values()), "authors": list(MODELS)},
        {"references": list(MODELS.values()), "authors": '["A", "B", "C", "D"]'},
        {f"reference_{k}": t for k, t in enumerate(MODELS.values())} | {"authors": list(MODELS)},
    ],
)
def test_authors_in_tables(references: dict[str, Any]) -> None:
    texts = tare.read_summaries([{"system": "A", "item": "t", "text": "x", **references}])
    assert texts.authors == (AUTHORS,)
    assert texts.references == (tuple(MODELS.values()),)
    assert texts.people == {"A"}
    assert texts.of("A").authors == (AUTHORS,)


def test_authors_in_dictionaries_and_text_files(tmp_path: Path) -> None:
    texts = tare.read_summaries({"A": {"t": "x"}}, references={"t": MODELS})
    assert texts.authors == (AUTHORS,)
    for name in ("A", "B", "system"):
        (tmp_path / name).write_text("a line\n")
    models = {name: tmp_path / name for name in ("A", "B")}
    texts = tare.read_summaries({"A": tmp_path / "A", "X": tmp_path / "system"}, references=models)
    assert texts.authors == (("A", "B"),) * 2
    assert tare.read_summaries(tmp_path / "A", references=[tmp_path / "A"]).authors == ()


def test_authors_in_folders(tmp_path: Path) -> None:
    for folder, names in (("peers", "AX"), ("models", "AB")):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"D0701.M.250.{name}").write_text(f"text of {name}\n")
    texts = tare.read_summaries(tmp_path)
    assert texts.authors == (("A", "B"),) * 2
    assert texts.people == {"A"}
    scores = tare.evaluate_texts(texts, "ROUGE-1")
    assert scores.values[0, 0, 0] < 1


def test_authors_that_do_not_fit() -> None:
    with pytest.raises(FormatError, match="2 references and 1 authors"):
        tare.read_summaries([{"text": "x", "references": ["a", "b"], "authors": ["A"]}])
    with pytest.raises(FormatError, match="'text' is missing"):
        tare.read_summaries([{"text": "x", "references": [{"author": "A"}]}])


def test_texts_that_look_like_json_stay_texts() -> None:
    for text in ('{"a": "b"}', '[{"a": 1}]', "[{not json"):
        assert tare.read_summaries([{"text": "x", "references": text}]).references == ((text,),)


def test_authors_change_the_digest() -> None:
    named, unnamed = rows("X"), [rows("X")[0] | {"references": list(MODELS.values())}]
    assert tare.read_summaries(named).digest != tare.read_summaries(unnamed).digest
