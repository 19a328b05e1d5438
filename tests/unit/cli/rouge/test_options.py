"""The command line of `tare rouge` is read as Perl's Getopt::Std reads it."""

from __future__ import annotations

import pytest

from tare._cli.dropin.rouge_options import parse_options, wanted_measures
from tare.errors import OptionError


def test_defaults() -> None:
    options = parse_options(["-a", "settings.xml"])
    assert (options.settings, options.system, options.every_system) == ("settings.xml", None, True)
    assert (options.confidence, options.samples, options.alpha) == ("95", 1000, 0.5)
    assert [measure.tag for measure in wanted_measures(options)] == ["ROUGE-L"]


@pytest.mark.parametrize(
    "line", ["-a -m -x -n 2 -w 1.2 s.xml", "-amx -n2 -w1.2 s.xml", "-xman 2 -w 1.2 -- s.xml"]
)
def test_options_in_clusters_and_values_glued_on(line: str) -> None:
    options = parse_options(line.split())
    assert (options.stem, options.lcs, options.every_system) == (True, False, True)
    assert (options.longest, options.weight, options.settings) == (2, "1.2", "s.xml")


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ("-n 2 -w 1.20", ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-W-1.20"]),
        ("-x -2 4", ["ROUGE-S4"]),
        ("-x -2 4 -u", ["ROUGE-SU4"]),
        ("-x -2 04 -U", ["ROUGE-S04", "ROUGE-SU04"]),
        ("-x -2 -1 -U", ["ROUGE-S*", "ROUGE-SU*"]),
        ("-x -2 -7 -u -U", ["ROUGE-SU*"]),
        ("-3 HM", ["ROUGE-BE-HM"]),
        ("-u -U -x", []),
    ],
)
def test_measures_and_their_printed_names(line: str, tags: list[str]) -> None:
    options = parse_options([*line.split(), "-a", "s.xml"])
    assert [measure.tag for measure in wanted_measures(options)] == tags


def test_systems() -> None:
    assert parse_options(["s.xml", "26"]).system == "26"
    assert parse_options(["-z", "SPL", "files.lst"]).system == "X"
    assert parse_options(["-z", "SPL", "files.lst", "26"]).system == "26"
    assert not parse_options(["-a", "-z", "SPL", "files.lst"]).every_system


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("s.xml", "evaluate all systems with -a"),
        ("s.xml -a", "options must precede SETTINGS"),
        ("-a -l 5 -b 5 s.xml", "-l and -b cannot be used together"),
        ("-a -n two s.xml", "-n two: expected a whole number"),
        ("-a -r 0 s.xml", "-r 0: expected a whole number of 1 or more"),
        ("-a -w 0 s.xml", "-w 0: expected a number above 0"),
        ("-a -p 2 s.xml", "-p 2: expected a number from 0 to 1"),
        ("-a -c 101 s.xml", "-c 101: expected a number from 0 to 100"),
        ("-a -2 far s.xml", "-2 far: expected the largest number of words"),
        ("-a -3 XY s.xml", "-3 XY: expected H, HM"),
        ("-a -M s.xml", "-m stems both sides"),
        ("-a -v s.xml", "-v (print texts, n-grams and matches) is not supported"),
        ("-avd s.xml", "Remove -v"),
        ("-a -n", "-n needs a value"),
    ],
)
def test_refusals(line: str, words: str) -> None:
    with pytest.raises(OptionError) as refused:
        parse_options(line.split())
    assert words in str(refused.value)
