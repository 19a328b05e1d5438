"""The table of formats: every suffix of a format, and no other."""

from tare._data.formats import delimited, jsonl, parquet
from tare._data.formats.by_suffix import HEADED, TABLES


def test_the_suffixes_are_those_of_the_formats():
    named = {suffix: module for module in (delimited, jsonl, parquet) for suffix in module.SUFFIXES}
    assert dict(TABLES) == named
    assert len(TABLES) == len(named)
    assert delimited.SUFFIXES == HEADED


def test_other_suffixes_have_no_format():
    assert ".run" not in TABLES
    assert TABLES.get(".json") is None
