"""Readers of pyramids: DUCView's XML, tables, and XML that means harm."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tare._data.pyramids import read_peer, read_presence, read_pyramid
from tare.errors import FormatError

PYRAMID = """<pyramid>
<startDocumentRegEx><![CDATA[^-+ SUMMARY]]></startDocumentRegEx>
<text>
<line>--- SUMMARY A</line>
<line>A quake struck. Ten died.</line>
<line>--- SUMMARY B</line>
<line>The quake killed ten.</line>
</text>
<scu uid="11" label="(2) ten died">
<contributor label="Ten died"><part label="Ten died" start="30" end="38"/></contributor>
<contributor label="killed ten"><part label="killed ten" start="64" end="74"/></contributor>
<contributor label="ten"><part label="ten" start="71" end="74"/></contributor>
</scu>
<scu uid="12" label="a quake struck">
<contributor label="A quake struck"><part label="A quake struck" start="14" end="28"/></contributor>
</scu>
</pyramid>"""
DOCTYPE = '<?xml version="1.0"?><!DOCTYPE pyramid [<!ELEMENT pyramid (text,scu*)>]>'
PEER = f"""<peerAnnotation>{PYRAMID}<annotation><text><line>Ten died.</line></text>
<peerscu uid="11" label="ten died"><contributor label="Ten died">
<part label="Ten died" start="0" end="8"/></contributor></peerscu>
<peerscu uid="12" label="a quake struck"></peerscu>
<peerscu uid="0" label="All non-matching SCUs go here"><contributor label="x"/></peerscu>
</annotation></peerAnnotation>"""


def test_pyramid(tmp_path: Path) -> None:
    (tmp_path / "D1.pyr").write_text(DOCTYPE + PYRAMID)
    found = read_pyramid(tmp_path / "D1.pyr")
    assert (found.item, found.references) == ("D1", 2)
    assert [(s.id, s.label, s.weight) for s in found.scus] == [
        ("11", "ten died", 2),
        ("12", "a quake struck", 1),
    ]


def test_peer(tmp_path: Path) -> None:
    (tmp_path / "D1.M.13.pan").write_text(PEER)
    found = read_peer(tmp_path / "D1.M.13.pan")
    assert (found.item, found.system, set(found.found)) == ("D1", "13", {"11"})
    assert (found.unmatched, found.size) == (1, 2)


def test_tables(tmp_path: Path) -> None:
    weights = read_pyramid(pl.DataFrame({"scu": ["1", "2"], "weight": [3, 1]}), item="d")
    assert [s.weight for s in weights.scus] == [3, 1]
    (tmp_path / "d.csv").write_text("scu,reference,label\n1,A,x\n1,B,x\n2,A,y\n")
    found = read_pyramid(tmp_path / "d.csv")
    assert ([s.weight for s in found.scus], found.references) == ([2, 1], 2)
    with pytest.raises(FormatError, match="row 1: the weight 'x'"):
        read_pyramid(pl.DataFrame({"scu": ["1"], "weight": ["x"]}))
    with pytest.raises(FormatError, match="columns scu and weight"):
        read_pyramid(pl.DataFrame({"a": ["1"]}))


ENTITIES = '<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><pyramid>&b;</pyramid>'
OUTSIDE = '<!DOCTYPE p [<!ENTITY x SYSTEM "passwd">]><pyramid>&x;</pyramid>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENTITIES, "declares entities"),
        (OUTSIDE, "declares entities"),
        ("<a>" * 200, "deep"),
        ("<pyramid>", "not well-formed"),
        ("<pyramid/>", "has no SCUs"),
        ("<x/>", "the root is <x>"),
        (PYRAMID.replace("^-+", "["), "is not valid"),
    ],
)
def test_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.pyr").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_pyramid(tmp_path / "x.pyr")


def test_presence(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("system,doc_id,scu,present\na,1,x,yes\na,1,x,0\na,1,y,P\nb,1,x,false\n")
    assert read_presence(path) == {
        ("a", "1"): {"x": [True, False], "y": [True]},
        ("b", "1"): {"x": [False]},
    }
    path.write_text("item,scu,present\n1,x,perhaps\n1,y,?\n")
    with pytest.raises(FormatError, match=r"(?s)row 2: present must be yes or no.*row 3"):
        read_presence(path)
    path.write_text("item,scu\n1,x\n")
    with pytest.raises(FormatError, match="no column 'present'"):
        read_presence(path)
