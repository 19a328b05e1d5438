"""Messages of errors contain no control characters, also in Python, where the command does not print them."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tare
from tare import errors
from tare._plain_text import plain_lines
from tare.engines import Parts, judge_part

EVIL = "\x1b[31m\x9b2J\u202e"
QRELS = {f"q{k}{EVIL}": {"a": 1} for k in range(3)}
KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.TareError)
]


def test_every_character_is_escaped_as_in_plain_text():
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    assert str(errors.FormatError(every)) == plain_lines(every)


@pytest.mark.parametrize("kind", [k for k in KINDS if k is not errors.MissingExtraError])
@given(text=st.text(alphabet=st.characters()))
def test_errors_of_every_kind_are_escaped_once(kind, text):
    shown = str(kind(text))
    assert shown == plain_lines(text)
    assert str(kind(shown)) == shown


def test_a_missing_package_is_escaped():
    assert "\x1b" not in str(errors.MissingExtraError(EVIL, None, EVIL))


def test_lines_of_a_message_stay_lines():
    with pytest.raises(errors.FormatError) as raised:
        errors.raise_all([f"one{EVIL}", "two"])
    assert str(raised.value).split("\n") == ["one" + r"\x1b[31m\x9b2J\u202e", "two"]


def a_missing_query():
    tare.evaluate(QRELS, {"q0" + EVIL: {"a": 1.0}}, "AP", missing="error")


def an_unknown_item():
    tare.evaluate(QRELS, QRELS, "AP").select(items=["q"])


def an_unknown_baseline():
    scores = tare.evaluate(QRELS, {f"a\n{EVIL}": QRELS, f"b{EVIL}": QRELS}, "AP")
    tare.compare(scores, baseline="c")


@pytest.mark.parametrize("call", [a_missing_query, an_unknown_item, an_unknown_baseline])
def test_ids_and_names_in_errors_are_escaped(call):
    with pytest.raises(errors.TareError) as raised:
        call()
    assert r"\x1b[31m\x9b2J\u202e" in str(raised.value)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("evil", [EVIL, "\nall is well"])
def test_paths_of_parts_are_escaped(tmp_path, evil):
    folder = tmp_path / f"parts{evil}"
    folder.mkdir()
    refused = []
    for runs in (folder, [folder / "none.npz"]):
        with pytest.raises(errors.TareError) as raised:
            Parts().rankings(QRELS, (), runs, None)
        refused.append(raised)
    run = tmp_path / f"a{evil}.run"
    run.write_text("q1 Q0 a 1 1 x\nq2 Q0 a 1 1 x\n")
    for index in range(2):
        judge_part(QRELS, run, index=index, of=2, output=folder)
    (first, _) = sorted(folder.iterdir())
    for qrels, runs in (({"q1": {"b": 1}}, folder), (QRELS, [first, first]), (QRELS, [first])):
        with pytest.raises(errors.MismatchError) as raised:
            tare.evaluate(qrels, runs, "AP", engine=Parts())
        refused.append(raised)
    empty = tmp_path / f"empty{evil}"
    empty.mkdir()
    with pytest.raises(errors.UnreadableError) as raised:
        tare.evaluate(QRELS, empty, "AP", engine="local")
    for one in [*refused, raised]:
        assert str(one.value).isprintable(), one.value
    assert np.array_equal(
        tare.evaluate(QRELS, folder, "AP", engine=Parts()).values, np.zeros((1, 3, 1))
    )
