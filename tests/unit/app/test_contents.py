"""What assessors read is harmless, whatever it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tare._web.contents import render_html
from tare._web.guard import completion_code, csrf_of, digest, is_token, new_token
from tare._web.requests import FailedAttempts

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<p style='background:url(//evil.test)'>x</p>",
    "<iframe src=//evil.test></iframe>",
    "<svg onload=alert(1)><script>1</script></svg>",
    "<form action=//evil.test><input name=csrf></form>",
    "<base href=//evil.test>",
    "<meta http-equiv=refresh content=0>",
    "<p id=step class=bar data-csrf=x>clobber</p>",
    "<math><mtext></p><script>alert(1)</script>",
    "[x](javascript:alert(1)) ![y](http://evil.test/p.png)",
]


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
@pytest.mark.parametrize("body", HOSTILE)
def test_hostile_texts(body, format):
    made = render_html(body, format).lower()
    for word in (
        "<script",
        "<img",
        "<a ",
        "<iframe",
        "<svg",
        "<form",
        "<input",
        "<base",
        "<meta",
        "<math",
    ):
        assert word not in made
    inside = [tag for tag in made.split("<")[1:] if "=" in tag.split(">")[0]]
    assert inside == []


@given(st.text())
def test_plain_text_is_shown_as_it_is(body):
    from html import unescape

    made = unescape(render_html(body, "text").replace("<br>", "\n").replace("</p><p>", "\n\n"))
    kept = made.removeprefix("<p>").removesuffix("</p>")
    assert "".join(kept.split()) == "".join(unescape(body).split()) or "&" in body


def test_markdown_and_html_keep_what_is_harmless():
    assert (
        render_html("# T\n\n- **a**", "markdown")
        == "<h1>T</h1>\n<ul>\n<li><strong>a</strong></li>\n</ul>\n"
    )
    assert '<td colspan="2">' in render_html("<table><tr><td colspan=2>x</td></tr></table>", "html")
    assert render_html("a & b\nc\n\n\n\nd <e>", "text") == "<p>a &amp; b<br>c</p><p>d &lt;e&gt;</p>"


def test_tokens():
    made = {new_token() for _ in range(100)}
    assert len(made) == 100
    assert all(map(is_token, made))
    one, two = list(made)[:2]
    assert digest(one) != digest(two)
    assert csrf_of(one) != csrf_of(two)
    assert completion_code("s", "a1") != completion_code("s", "a2")
    assert completion_code("s", "a1") == completion_code("s", "a1")


def test_guesses_are_forgotten_after_a_while_and_never_fill_memory(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("tare._web.requests.monotonic", lambda: now[0])
    attempts = FailedAttempts(limit=3, window=60, most=5)
    for _ in range(3):
        attempts.record("x")
    assert attempts.blocked("x")
    now[0] = 61
    assert not attempts.blocked("x")
    for i in range(50):
        attempts.record(f"address {i}")
    assert len(attempts._failures) == 5
