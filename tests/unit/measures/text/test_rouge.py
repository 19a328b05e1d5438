"""ROUGE by hand, and what it says of odd input."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tare._kernels import rouge_counts, text_profile
from tare._measures.text import Rouge, alpha_of, profile
from tare._measures.text.rouge import rouge
from tare.errors import FormatError, MeasureError, MismatchError, OptionError
from tests.reference import rouge as plain

CANDIDATE = "police kill the gunman"
REFERENCE = "police killed the gunman"


def values(measure: Rouge, candidate: object, references: list[object], **options: object):
    parts = rouge([candidate], [references], [measure], **options).values[0]  # type: ignore[arg-type,list-item]
    return parts.precision[0], parts.recall[0], parts.f[0]


def test_the_papers_example() -> None:
    assert values(Rouge("N"), CANDIDATE, [REFERENCE]) == (0.75, 0.75, 0.75)
    assert values(Rouge("N", n=2), CANDIDATE, [REFERENCE]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert values(Rouge("L"), CANDIDATE, [REFERENCE]) == (0.75, 0.75, 0.75)
    assert values(Rouge("S"), CANDIDATE, [REFERENCE]) == (0.5, 0.5, 0.5)


def test_stems_make_forms_equal() -> None:
    assert values(Rouge("N"), CANDIDATE, [REFERENCE], profile=profile("google", stem=True))[2] == 1
    lin = profile("lin2004", stem=True)
    assert values(Rouge("N"), CANDIDATE, [REFERENCE], profile=lin)[2] == 1


def test_weighted_subsequences_favour_runs() -> None:
    reference = "a b c d e f g"
    near = values(Rouge("W", weight=2.0), "a b c d h i k", [reference])[1]
    far = values(Rouge("W", weight=2.0), "a h b k c i d", [reference])[1]
    assert (near, far) == pytest.approx((4 / 7, 2 / 7))


def test_the_last_unigram_counts_but_in_lin2004() -> None:
    assert values(Rouge("SU", gap=0), "a b", ["a b"]) == (1, 1, 1)
    counts = rouge_counts(["a b"], [["a b"]], text_profile("ascii"), [("skip_but_last", 0, 1.0)])
    assert counts.ravel().tolist() == [2, 2, 2]


def test_summary_level_by_lines_or_lists() -> None:
    lines = values(Rouge("Lsum"), "a b\nc d", ["c d\na b"])
    lists = values(Rouge("Lsum"), ["a b", "c d"], [["c d", "a b"]])
    assert lines == lists == (1, 1, 1)
    assert values(Rouge("L"), "a b\nc d", ["c d\na b"]) == (0.5, 0.5, 0.5)


REFERENCES = ["a b c d", "a b", "x y"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("max", (2 / 3, 1, 0.8)),
        ("mean", ((2 / 3 + 2 / 3 + 0) / 3, (0.5 + 1 + 0) / 3, (4 / 7 + 0.8 + 0) / 3)),
        ("micro", (4 / 9, 4 / 8, 2 * (4 / 9) * 0.5 / (4 / 9 + 0.5))),
        ("jackknife", (2 / 3, (2 + 0.5) / 3, (2 * 0.8 + 4 / 7) / 3)),
    ],
)
def test_rules_for_several_references(rule: str, expected: tuple[float, ...]) -> None:
    assert values(Rouge("N"), "a b z", REFERENCES, refs=rule) == pytest.approx(expected)


def test_lin2004_sums_over_references_and_rounds() -> None:
    lin = profile("lin2004")
    assert values(Rouge("N"), "a b z", REFERENCES, profile=lin) == (0.44444, 0.5, 0.47059)
    assert values(Rouge("N"), "a b z", REFERENCES, profile=lin, refs="max")[1] == 1


def test_alpha_and_beta() -> None:
    precision, recall, f = values(Rouge("N"), "a b c d", ["a b"], alpha=alpha_of(2.0))
    assert f == pytest.approx(5 * precision * recall / (4 * precision + recall))
    assert values(Rouge("N"), "a b c d", ["a b"], alpha=1.0)[2] == pytest.approx(precision)


def test_limits_cut_both_sides() -> None:
    limit = profile("lin2004", words=2)
    assert values(Rouge("N"), "a b x y", ["a b p q"], profile=limit) == (1, 1, 1)
    limit = profile("lin2004", bytes=3)
    assert values(Rouge("N"), "a b x y", ["a b p q"], profile=limit) == (1, 1, 1)


@pytest.mark.parametrize("kind", ["N", "L", "Lsum", "W", "S", "SU"])
@pytest.mark.parametrize("name", ["google", "lin2004", "unicode"])
@pytest.mark.parametrize(
    ("candidate", "reference"), [("", "a b"), ("a b", ""), ("", ""), ("…", "a")]
)
def test_empty_texts_score_nothing(kind: str, name: str, candidate: str, reference: str) -> None:
    result = rouge([candidate], [[reference]], [Rouge(kind)], profile=profile(name))  # type: ignore[arg-type]
    parts = result.values[0]
    assert (parts.precision[0], parts.recall[0], parts.f[0]) == (0, 0, 0)
    assert any(finding.kind.startswith("empty") for finding in result.findings)


def test_no_reference_no_value() -> None:
    result = rouge(["a", "b"], [["a"], []], [Rouge("N")], items=["x", "y"])
    assert result.values[0].f[0] == 1
    assert np.isnan(result.values[0].f[1])
    assert result.findings[0].kind == "no references"
    assert result.findings[0].examples == ("y",)
    for rule in ("max", "mean", "micro", "jackknife"):
        assert np.isnan(rouge(["a"], [[]], [Rouge("N")], refs=rule).values[0].f).all()
    assert len(rouge([], [], [Rouge("N")]).values[0].f) == 0


def test_facts_for_the_signature() -> None:
    result = rouge(["a"], [["a"]], [Rouge("N")], refs="mean", alpha=0.2)
    assert result.facts == {"profile": "google", "stem": "none", "refs": "mean", "alpha": "0.2"}


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "X"}, {"kind": "N", "n": 10}, {"kind": "S", "gap": -1}, {"kind": "W", "weight": 0.5}],
)
def test_wrong_measures(wrong: dict[str, object]) -> None:
    with pytest.raises(MeasureError):
        Rouge(**wrong)  # type: ignore[arg-type]


def test_wrong_options() -> None:
    with pytest.raises(OptionError, match="Did you mean 'max'"):
        rouge(["a"], [["a"]], [Rouge("N")], refs="maxx")
    with pytest.raises(MeasureError, match="alpha"):
        rouge(["a"], [["a"]], [Rouge("N")], alpha=2)


def long_text(tokens: int, seed: int) -> str:
    rng = random.Random(seed)
    return " ".join(f"w{rng.randrange(3000)}" for _ in range(tokens))


def test_a_megabyte_in_one_sentence() -> None:
    """The walk back over kept rows gives as long a subsequence as the length says."""
    a, b = long_text(170_000, 1), long_text(170_000, 2)
    assert len(a) > 900_000
    profile_ = text_profile("google")
    found = rouge_counts([a], [[b]], profile_, [("lcs", 1, 1.0), ("union_lcs", 1, 1.0)])
    assert found[0, 0, 0] == found[1, 0, 0] > 0


@pytest.mark.parametrize("size", [63, 64, 65, 128, 200])
def test_sentences_longer_than_a_word_of_bits(size: int) -> None:
    rng = random.Random(size)
    a, b = ([rng.choice("abcdefg") for _ in range(size)] for _ in range(2))
    texts = " ".join(a), " ".join(b)
    found = rouge_counts(
        [texts[0]],
        [[texts[1]]],
        text_profile("google"),
        [("lcs", 1, 1.0), ("union_lcs", 1, 1.0), ("weighted_lcs", 1, 1.2)],
    )[:, 0, 0]
    assert found[0] == plain.lcs([a], [b])[0]
    assert found[1] == plain.union_lcs([a], [b])[0]
    assert found[2] == pytest.approx(plain.weighted_lcs([a], [b], 1.2)[0])


def test_wide_gaps_in_long_texts() -> None:
    """Too many pairs for a table: they are counted token by token, with the same result."""
    rng = random.Random(4)
    a, b = ([rng.choice("abcde") for _ in range(3000)] for _ in range(2))
    found = rouge_counts(
        [" ".join(a)], [[" ".join(b)]], text_profile("google"), [("skip_bigrams", 2000, 1.0)]
    )
    assert tuple(found[0, 0]) == plain.skip_bigrams([a], [b], 2000, "none")


def test_texts_that_do_not_fit() -> None:
    with pytest.raises(MismatchError, match="2 candidates and references of 1 items"):
        rouge(["a", "b"], [["a"]], [Rouge("N")])
    with pytest.raises(FormatError, match="surrogate"):
        rouge(["\ud83d"], [["a"]], [Rouge("N")])
    with pytest.raises(TypeError, match="a string or a list of strings"):
        rouge([3], [["a"]], [Rouge("N")])  # type: ignore[list-item]


def test_the_mean_over_references_does_not_depend_on_other_items() -> None:
    chance = random.Random(1)
    measure = Rouge("N", n=1)

    def text() -> str:
        return " ".join(chance.choices("abcdefghij", k=chance.randint(3, 11)))

    wide = [text() for _ in range(9)]
    for _ in range(60):
        candidate, group = text(), [text() for _ in range(6)]
        alone = rouge([candidate], [group], [measure], refs="mean").values[0].f
        both = rouge([candidate, "a"], [group, wide], [measure], refs="mean").values[0].f
        each = [rouge([candidate], [[one]], [measure]).values[0].f[0] for one in group]
        assert alone[0] == both[0] == pytest.approx(sum(each) / 6, rel=1e-15)
