"""Generated texts in a view: what is marked, and that foreign texts stay texts."""

import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import tare
from tare._web.guard import Access, new_token
from tare._web.view.build import opened_index
from tare._web.view.index import ViewInputs
from tare._web.view.server import Notes, ServedView, application
from tare._web.view.texts import common_subsequence, marked_words, shared_ngrams, words_of

ROWS = [
    {
        "system": s,
        "item": f"i{k}",
        "text": text,
        "references": ["the cat sat on the mat", "a dog <b>ran</b>"],
        "source": "the cat sat down <script>alert(1)</script>",
    }
    for k in range(3)
    for s, text in (("a", "the cat sat"), ("b", f"on mat the <img src=x> {k}"))
]
MEASURES = ["ROUGE-1", "ROUGE-2", "ROUGE-L"]
words = st.lists(st.sampled_from("abc"), max_size=7)


@given(words, words)
def test_a_common_subsequence_is_a_longest_one(one, other):
    found = sorted(common_subsequence(one, other))
    taken = [one[k] for k in found]
    rest = iter(other)
    assert all(word in rest for word in taken)  # in this order
    longest = max(
        size
        for size in range(len(one) + 1)
        for chosen in itertools.combinations(one, size)
        if _is_in(chosen, other)
    )
    assert len(found) == longest


def _is_in(chosen, other) -> bool:
    rest = iter(other)
    return all(word in rest for word in chosen)


@given(words, words, st.integers(1, 3))
def test_shared_ngrams_are_those_that_both_texts_have(one, other, size):
    grams = {tuple(other[k : k + size]) for k in range(len(other) - size + 1)}
    expected = {
        k + j
        for k in range(len(one) - size + 1)
        if tuple(one[k : k + size]) in grams
        for j in range(size)
    }
    assert shared_ngrams(one, [other], size) == expected


def test_long_texts_have_no_common_subsequence():
    assert common_subsequence(["a"] * 2000, ["b"] * 2000) is None


def test_marks_are_around_words_and_everything_is_escaped():
    text = "A <b>cat</b>\x1b sat"
    assert words_of(text) == ["a", "b", "cat", "b", "sat"]
    assert marked_words(text, {2}) == "A &lt;b&gt;<mark>cat</mark>&lt;/b&gt;\\x1b sat"


@pytest.fixture
def reader(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    inputs = ViewInputs(path, (), of_texts=True)
    scores = tare.evaluate_texts(tare.read_summaries(path), MEASURES)
    index = opened_index(inputs, lambda: scores, say=lambda text: None)
    assert index.systems == ("a", "b")
    for measure in MEASURES:
        for s, system in enumerate(index.systems):
            assert (
                index.column("gross", measure, system).tolist()
                == scores.matrix(measure)[s].tolist()
            )
    served = ServedView(index, Notes(tmp_path / "notes.jsonl"), Access(new_token()), "texts")
    client = TestClient(application(served), base_url="http://127.0.0.1:8123")
    client.get(f"/open/{served.access.token}")
    yield client
    index.close()


def marks(text) -> list[list[str]]:
    """Return the marked words of each candidate."""
    parts = re.findall(r'class="grid candidate">(.*?)</div></div>', text, re.S)
    return [re.findall(r"<mark>(.*?)</mark>", part) for part in parts]


@pytest.mark.parametrize(
    ("measure", "first", "second"),
    [
        ("ROUGE-1", ["the", "cat", "sat"], ["on", "mat", "the"]),
        ("ROUGE-2", ["the", "cat", "sat"], []),
        ("ROUGE-L", ["the", "cat", "sat"], ["on", "mat"]),
    ],
)
def test_what_is_marked_follows_from_the_measure(reader, measure, first, second):
    text = reader.get(f"/query/0?a=a&b=b&m={measure}").text
    assert marks(text)[0] == first
    assert len(marks(text)[1]) == len(second)
    assert set(marks(text)[1]) <= {"on", "mat", "the"}


def test_references_and_the_source_are_shown_and_inert(reader):
    text = reader.get("/query/0?a=a&b=b").text
    for title in ("Reference 1", "Reference 2", "Source"):
        assert text.count(f"<h3>{title}</h3>") == 1
    assert not re.search(r"<(img|b|script(?! src=\"/static/(rankings|view).js\"))[ >]", text)
    assert "&lt;" in text
    assert "the cat sat down" in reader.get("/").text
    assert reader.get("/?find=i2").text.count("/query/2?") == 1
