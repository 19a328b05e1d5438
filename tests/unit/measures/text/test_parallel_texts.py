"""Texts as parallel lists: `evaluate_texts(predictions, references, measures)`."""

import polars as pl
import pytest

import tare
from tare.errors import FormatError, MismatchError, OptionError

PREDICTIONS = ["the cat sat", "a dog ran home"]
REFERENCES = ["the cat sat down", ["the dog ran", "a dog ran away"]]
SOURCES = ["one day the cat sat down on a mat", "a dog ran away from home and never came back"]
ROWS = [
    {"item": str(k), "text": text, "references": references, "source": source}
    for k, (text, references, source) in enumerate(
        zip(PREDICTIONS, REFERENCES, SOURCES, strict=True), 1
    )
]
MEASURES = ["ROUGE-1", "ROUGE-2.r", "Net(ROUGE-1)", "NovelNgrams"]


def test_lists_give_the_numbers_of_the_table():
    expected = tare.evaluate_texts(tare.read_summaries(ROWS), MEASURES)
    found = tare.evaluate_texts(PREDICTIONS, REFERENCES, MEASURES, sources=SOURCES)
    assert found.values.tolist() == expected.values.tolist()
    assert found.signatures == expected.signatures
    assert (found.items, found.systems) == (("1", "2"), ("system",))
    keyed = tare.evaluate_texts(PREDICTIONS, references=REFERENCES, measures="ROUGE-1")
    assert keyed.matrix().tolist() == expected.matrix("ROUGE-1").tolist()


def test_dictionaries_are_aligned_by_key():
    found = tare.evaluate_texts(
        {"b": PREDICTIONS[1], "a": PREDICTIONS[0]},
        {"a": REFERENCES[0], "b": REFERENCES[1], "c": "not asked for"},
        "ROUGE-1",
    )
    one = tare.evaluate_texts(PREDICTIONS, REFERENCES, "ROUGE-1").to_dict()["system"]["ROUGE-1"]
    assert found.to_dict()["system"]["ROUGE-1"] == {"a": one["1"], "b": one["2"]}


@pytest.mark.parametrize("of", [tuple, pl.Series, iter])
def test_lists_of_other_kinds(of):
    found = tare.evaluate_texts(of(PREDICTIONS), list(REFERENCES), "ROUGE-1")
    assert (
        found.matrix().tolist()
        == tare.evaluate_texts(PREDICTIONS, REFERENCES, "ROUGE-1").matrix().tolist()
    )


def test_tables_are_read_without_a_reader(tmp_path):
    expected = tare.evaluate_texts(tare.read_summaries(ROWS), "ROUGE-1").matrix().tolist()
    path = tmp_path / "texts.jsonl"
    pl.DataFrame(
        {"item": ["1", "2"], "text": PREDICTIONS, "references": [[REFERENCES[0]], REFERENCES[1]]}
    ).write_ndjson(path)
    for texts in (ROWS, path, str(path), pl.read_ndjson(path)):
        assert tare.evaluate_texts(texts, "ROUGE-1").matrix().tolist() == expected


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ((PREDICTIONS, REFERENCES[:1], "ROUGE-1"), MismatchError, "2 predictions and 1 references"),
        ((PREDICTIONS, {"1": "x"}, "ROUGE-1"), OptionError, "give lists for all of them"),
        (({"a": "x"}, {"b": "x"}, "ROUGE-1"), MismatchError, "references has no text for item 'a'"),
        (("the cat", "the cat", "ROUGE-1"), OptionError, "predictions is a str; expected a list"),
        ((PREDICTIONS, "the cat", "ROUGE-1"), OptionError, "references is a str; expected a list"),
        ((7, 8, "ROUGE-1"), OptionError, "predictions is a int"),
        ((PREDICTIONS, "ROUGE-1"), OptionError, "plain texts need references"),
        ((PREDICTIONS,), OptionError, "no measures given"),
        (([1, 2], ["a", "b"], "ROUGE-1"), FormatError, "expected a text or a list of sentences"),
        ((tare.read_summaries(ROWS), REFERENCES, "ROUGE-1"), OptionError, "its own references"),
    ],
)
def test_calls_that_do_not_fit_are_refused(given, error, message):
    with pytest.raises(error) as raised:
        tare.evaluate_texts(*given)
    assert message in str(raised.value)


def test_sources_belong_to_lists():
    with pytest.raises(MismatchError, match="2 predictions and 1 sources"):
        tare.evaluate_texts(PREDICTIONS, REFERENCES, "ROUGE-1", sources=SOURCES[:1])
    with pytest.raises(OptionError, match="its own column source"):
        tare.evaluate_texts(tare.read_summaries(ROWS), "ROUGE-1", sources=SOURCES)
