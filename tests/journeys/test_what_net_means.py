"""What is said of Net: it removes chance, and does not make scores of different sets comparable."""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest

import tare as library
from tare.chance._net_measures import NET_MEANING
from tests.conftest import ROOT
from tests.house.sources import MODULES, SOURCE, nodes_of, text_of

SETS = (
    r"(?:(?:query )?sets\b|kinds of queries|quer(?:y|ies)\b|collections|data ?sets|corpora|cutoffs"
    r"|(?:candidate counts|numbers? of candidates)|pools)"
)
CLAIM = re.compile(
    r"(?:levels?|scores?|values|numbers|systems|nets?|measures|them)\b[^.:]{0,40}\b(?:comparable|same scale|one scale)\b"
    rf"|\bcompar(?:e|es|ed|ing)\b(?! net between sets only)[^.:]{{0,40}}\b(?:across|between) (?:\w+ ){{0,2}}{SETS}"
    rf"|\bcomparable\b[^.:]{{0,20}}\b(?:across|between|over) (?:\w+ ){{0,2}}{SETS}"
)


def one_line(text: str) -> str:
    """The text without marks and line ends, in small letters."""
    text = re.sub(r"<[^<>]{1,200}>", " ", text).replace("&#39;", "'").replace("*", "")
    return " ".join(text.split()).lower()


def claims(text: str) -> list[str]:
    """The sentences that say that levels of different sets can be compared."""
    return [
        sentence
        for sentence in re.split(r"(?<=[.:|])\s", one_line(text))
        if re.search(r"\b(?:net|chance|it|levels?)\b", sentence)
        and not re.search(r"\b(?:not|no|cannot|only where)\b", sentence)
        and CLAIM.search(sentence)
    ]


def says_it(text: str) -> bool:
    return one_line(NET_MEANING) in one_line(text)


def strings_of(path) -> list[str]:
    """The strings of a module; what is written as several strings in a row is one."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.JoinedStr):
            found.append(
                "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found


@pytest.mark.parametrize(
    "claim",
    [
        "`Net(nDCG@10)` is 0 at chance, so you can compare levels across query\nsets and cutoffs.",
        "the measure does; it makes levels comparable across queries, collections and cutoffs.",
        "The net score ranks systems as the score. It makes scores comparable between sets of queries.",
        "Net puts all levels on the same scale.",
        "Net scores can be compared between collections.",
        "Net of chance, values are comparable.",
    ],
)
def test_the_claim_is_recognised(claim):
    assert claims(claim)


def test_the_demo_and_its_report_say_it(tare):
    done = tare("demo")
    assert done.code == 0, done.err
    report = (tare.folder / "tare-demo" / "report.html").read_text(encoding="utf-8")
    for shown in (done.out, report[report.index("Against chance") :]):
        assert says_it(shown)
        assert claims(shown) == []


def test_the_list_of_measures_says_it(tare):
    done = tare("list", "measures", "Net")
    assert says_it(done.out)
    assert claims(tare("list", "measures").out + done.out) == []


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/explanation/chance.md",
        "docs/reference/measures/Net.md",
        "docs/how-to/ranks.md",
    ],
)
def test_the_pages_that_explain_net_say_it(page):
    assert says_it(text_of(ROOT / page))


def test_no_page_string_or_template_claims_that_levels_are_comparable():
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
    templates = [path for path in SOURCE.rglob("*") if path.suffix in {".html", ".j2", ".js"}]
    assert len(pages) > 200
    assert len(templates) > 20
    texts = {path: [text_of(path)] for path in pages + templates}
    texts |= {path: strings_of(path) for path in MODULES}
    found = {
        path.relative_to(ROOT).as_posix(): wrong
        for path, parts in texts.items()
        if (wrong := [claim for part in parts for claim in claims(part)])
    }
    assert found == {}


def test_one_constant_skill_has_other_nets_with_more_relevant_documents():
    random = np.random.default_rng(1)
    documents = [f"d{k:02}" for k in range(100)]
    found = []
    for relevant in (2, 10, 20, 60):
        qrels = {
            str(q): {d: int(k < relevant) for k, d in enumerate(documents)} for q in range(600)
        }
        drawn = random.normal(size=(600, 100)) + 0.7 * (np.arange(100) < relevant)
        run = {str(q): dict(zip(documents, drawn[q].tolist(), strict=True)) for q in range(600)}
        found.append(library.evaluate(qrels, run, "Net(nDCG@10)", pool="judged").mean)
    assert found == pytest.approx([0.12, 0.19, 0.34, 0.65], abs=0.03)
