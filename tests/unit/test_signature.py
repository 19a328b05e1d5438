"""Signatures: made, changed, written and read."""

from tare._signature import Signature, tare_version


def test_facts_keep_their_order_and_nothing_is_said_of_none():
    made = Signature.of("AP", {"ties": "trec", "depth": None, "n": 50})
    assert str(made) == "AP|ties:trec|n:50"


def test_a_signature_is_read_from_its_text():
    text = "nDCG(gains={1:3})@10|gains:{1=3}|ties:trec|source:a:b|n:50|tare:0.1.0"
    assert str(Signature.parse(text)) == text
    assert Signature.parse(text).facts[2] == ("source", "a:b")
    assert Signature.parse("AP") == Signature("AP", ())


def test_facts_are_added_before_counts_data_and_version():
    made = Signature.parse("AP|n:50|tare:1").with_facts(seed=7, n=49, nothing=None)
    assert str(made) == "AP|seed:7|n:49|tare:1"


def test_the_version_is_that_of_the_package():
    assert tare_version()[0].isdigit()
