"""Budgets of memory: in bytes and in words."""

import pytest

from tare.engines import Local
from tare.engines._engine import budget_of, format_size, half_of_memory
from tare.errors import OptionError


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("1GB", 10**9),
        ("1 gb", 10**9),
        ("1GiB", 2**30),
        ("2.5k", 2500),
        ("7", 7),
        (9, 9),
        ("3TiB", 3 << 40),
    ],
)
def test_amounts(given, found):
    assert budget_of(given) == found


@pytest.mark.parametrize("given", ["", "much", "1 XB", "-1", "0", 0, "1ib"])
def test_what_is_no_amount(given):
    with pytest.raises(OptionError, match="memory="):
        budget_of(given)


def test_half_of_the_memory_is_the_default():
    assert 2**27 < half_of_memory() < 2**50
    assert Local().memory == half_of_memory()


def test_amounts_in_words():
    assert format_size(1_500_000) == "1.5 MB"
    assert format_size(2_000_000_000_000) == "2.0 TB"


def test_impossible_engines():
    with pytest.raises(OptionError, match="1 or more"):
        Local(threads=0)
