"""Prepared steps are the HTML of the template, whatever the values are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import JSONResponse

from tare._app import pages, prepared_steps
from tare._app.pages import step_html, step_json
from tare._app.store import DisplayedText
from tare.studies._judging import StudyDesign, Turn
from tare.studies._judging.state import Lease

WORDS = st.text(max_size=8) | st.sampled_from(
    ["", "<script>", "&amp; \"'", "\ue000", "\ue00c" * 24, "{{ csrf }}", "\u202e"]
)
SHOWN = st.builds(DisplayedText, WORDS, WORDS, st.just("body"))
DESIGNS = [
    StudyDesign("preference"),
    StudyDesign("headtohead", both_bad=True, cannot=True),
    StudyDesign("conditional"),
]


def task_of(number, question, query, shown, given=()):
    choices = (("left", "A is better"), ("right", "B is better"))
    return {
        "number": number,
        "question": question,
        "query": query,
        "source": None,
        "given": list(given),
        "shown": shown,
        "units": [],
        "choices": choices,
        "submission": "5" * 32,
        "draft": {},
    }


def by_template(monkeypatch, *arguments):
    with monkeypatch.context() as patched:
        patched.setattr(pages, "is_preparable", lambda *_: False)
        return step_html(*arguments)


@given(
    design=st.sampled_from(DESIGNS),
    question=WORDS,
    query=WORDS,
    a=SHOWN,
    b=SHOWN,
    done=st.integers(0, 10**6),
    left=st.integers(1, 10**6),
    seconds=st.none() | st.floats(0, 1e6),
    undo=st.booleans(),
    number=st.integers(1, 10**9),
    known=st.sampled_from([0, 3, prepared_steps.MAX_KNOWN]),
)
def test_they_are_what_the_template_gives(
    design, question, query, a, b, done, left, seconds, undo, number, known
):
    lease = Lease(number, "t", "fresh", 0, False, 0.0, 1.0)
    turn = Turn("task", "a1", lease, done, left, seconds, undo)
    arguments = (turn, design, task_of(number, question, query, [a, b]), "0123456789abcdef" * 4)
    with pytest.MonkeyPatch.context() as patched:
        wanted = by_template(patched, *arguments)
        patched.setattr(prepared_steps, "MAX_KNOWN", known)
        assert step_html(*arguments) == wanted
        sent = JSONResponse({"step": "task", "html": wanted, "notice": ""}).body
        assert step_json(*arguments) == sent


def test_a_comparison_is_prepared_once(monkeypatch):
    prepared_steps._prepared.cache_clear()
    lease = Lease(1, "t", "fresh", 0, False, 0.0, 1.0)
    shown = [DisplayedText("", "<p>x</p>", "x"), DisplayedText("", "<p>y</p>", "y")]
    for number in (1, 2):
        turn = Turn("task", "a1", replace(lease, number=number), 0, 3)
        html = step_html(turn, DESIGNS[0], task_of(number, "Which?", "q", shown), "c" * 64)
        assert f'name="number" value="{number}"' in html
    assert prepared_steps._prepared.cache_info()[:2] == (1, 1)


@pytest.mark.parametrize("notice", ["", "Please try again."])
def test_messages_and_texts_already_read_come_from_the_template(notice, monkeypatch):
    turn = Turn("task", "a1", Lease(1, "t", "fresh", 0, False, 0.0, 1.0), 0, 3)
    text = DisplayedText("", "<p>x</p>", "x")
    task = task_of(1, "Which?", "q", [text, text], given=() if notice else (text,))
    monkeypatch.setattr(pages, "prepared_step", None)
    html = step_html(turn, DESIGNS[2], task, "c" * 64, notice=notice)
    assert notice in html
    assert ("You have read" in html) == (not notice)
