"""Text for a terminal: nothing in it can move the cursor, colour, hide or turn what follows."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tare._plain_text import plain, plain_lines

ALLOWED = "\u200d"  # joins the parts of one sign, in Indic scripts and emoji


@given(st.text(alphabet=st.characters()))  # lone surrogates among them
def test_nothing_is_left_that_a_terminal_obeys(text):
    for made in (plain(text), plain_lines(text).replace("\n", "")):
        assert all(
            c == ALLOWED or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
            for c in made
        )
        made.encode("utf-8")


@given(st.text(alphabet=st.characters(categories=("L", "M", "N", "P", "S", "Zs"))))
def test_ordinary_text_stays(text):
    assert plain(text) == text
    assert plain_lines(text) == text


def test_what_is_written_out():
    assert plain("\x1b[31mred\x1b]0;title\x07") == r"\x1b[31mred\x1b]0;title\x07"
    assert plain("\x9b31m\u202eabc\ud800\x7f\r\n\t") == r"\x9b31m\u202eabc\ud800\x7f\r\n\t"
    assert plain_lines("one\x1b[A\ntwo\r") == "one\\x1b[A\ntwo\\r"
