"""Which measure says what people say? Correlations, significant differences, accuracies, preferences."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from tare._data.preferences import read_preferences
from tare._measures.scores import Scores
from tare._result import Rows
from tare.errors import OptionError, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._meta_correlation import COEFFICIENTS
from tare.stats._randomisation import check_draws
from tare.stats._tests import TESTS, TestOptions
from tare.studies._journal import Journal, digest
from tare.studies._people.correlations import (
    CORRELATION,
    DIFFERENCE,
    assessor_rows,
    correlation_rows,
    difference_rows,
    gap_rows,
    improvement_rows,
)
from tare.studies._people.data import SideBySide, side_by_side
from tare.studies._people.preferences import majority, win_rows
from tare.studies._people.result import MeasuresAndPeople
from tare.studies._people.significance import (
    Chance,
    Findings,
    agreement_row,
    consensus_rows,
)
from tare.studies._shapes import Row

__all__ = ["measures_and_people"]

MOST_CHANCE = 10_000
MOST = 12  # measures of which all subsets are looked at


def measures_and_people(
    scores: Any,
    human: Any,
    *,
    models: Sequence[str] = (),
    top: int | Sequence[int] = (),
    assessor: str = "assessor",
    preferences: Any = None,
    consensus: Sequence[Any] | None = None,
    test: str = "wilcoxon",
    correction: str = "none",
    alpha: float = 0.05,
    kind: str = "tau_b",
    swap: str = "both",
    draws: int = 1000,
    chance: int = 100,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> MeasuresAndPeople:
    """Holds every measure against every human score of the same systems and items.

    scores, human: score tables, matched by the ids of systems and items.
    models: systems that are people: results are given for all peers, and without these.
    top: also for the best k systems by the human score, one k or several.
    assessor: the attribute of the items that says who judged them.
    preferences: what `read_preferences` takes, systems as documents: the human majority of win,
    lose and tie; otherwise it is the human score.
    consensus: measures whose subsets are looked at; all of them if they are no more than 12.
    test, correction, alpha: which differences are significant, for people and measures alike; as in
    Rankel (2016) each pair for itself.
    kind, swap: the coefficient of the tests between measures, and what they exchange.
    draws: resamples and swaps; chance: random measures that show what chance reaches.
    """
    one = scores if isinstance(scores, Scores) else Scores.load(scores)
    other = human if isinstance(human, Scores) else Scores.load(human)
    choose("test", test, tuple(TESTS))
    choose("correction", correction, CORRECTIONS)
    choose("kind", kind, COEFFICIENTS)
    check_draws(draws, seed)
    if TESTS[test].family_wise and correction != "none":
        raise OptionError(f"test={test!r} covers the family already; leave out the correction.")
    if not 0 < alpha < 1 or not 0 < confidence < 1:
        raise OptionError(f"alpha={alpha} and confidence={confidence} lie between 0 and 1.")
    if not 1 <= chance <= MOST_CHANCE:
        raise OptionError(f"chance={chance}: 1 to {MOST_CHANCE:,} random measures can be made.")
    data = side_by_side(one, other, models=models, assessor=assessor)
    tops = (top,) if isinstance(top, int) else tuple(top)
    together = _subset(data, consensus)
    given = None if preferences is None else read_preferences(preferences)
    about = {
        "study": "measures and people",
        "data": digest(one, other, data.assessors, given and given.digest),
        "options": digest(
            tuple(models), tops, together, test, correction, alpha, kind, swap, draws, chance,
            confidence, seed,
        ),
    }  # fmt: skip
    book = Journal(journal, about)
    say = progress or (lambda _: None)
    options = TestOptions(draws, seed, alpha, threads=threads)
    random = Chance(test, correction, options, draws, chance)
    rows: dict[str, Rows] = {name: [] for name in ("agreement", "correlations", "tests", "consensus", "improvements", "assessors", "wins", "systems")}  # fmt: skip
    for name in data.people:
        for peers, places in data.peers(name, tops).items():
            for measure in data.measures:
                say(f"{name}, {peers}: {measure}")
                rows["correlations"] += book.step(
                    f"correlations\t{name}\t{peers}\t{measure}",
                    lambda name=name, peers=peers, places=places, measure=measure: correlation_rows(  # type: ignore[misc]
                        data, name, peers, places, measure,
                        draws=draws, confidence=confidence, seed=seed, threads=threads,
                    ),
                    [CORRELATION],
                )  # fmt: skip
            say(f"{name}, {peers}: tests")
            rows["tests"] += book.step(
                f"tests\t{name}\t{peers}",
                lambda name=name, peers=peers, places=places: difference_rows(  # type: ignore[misc]
                    data, name, peers, places,
                    kind=kind, swap=swap, draws=draws, seed=seed, threads=threads,
                ),
                [DIFFERENCE],
            )  # fmt: skip
            say(f"{name}, {peers}: significance")
            found = book.step(
                f"agreement\t{name}\t{peers}",
                lambda name=name, places=places: _agreement(  # type: ignore[misc]
                    data, name, places, together, random
                ),
                {"agreement": [Row(("measure",))], "consensus": [Row(("measures", "size"))]},
            )
            head = {"peers": peers, "human": name}
            rows["agreement"] += [head | row for row in found["agreement"]]
            rows["consensus"] += [head | row for row in found["consensus"]]
            rows["assessors"] += assessor_rows(data, name, peers, places)
        rows["systems"] += gap_rows(data, name)
        if given is None:
            rows["wins"] += win_rows(data, name)
    if given is not None:
        votes = majority(data, given)
        rows["wins"] += [
            row | {"human": given.name} for row in win_rows(data, data.people[0], votes)
        ]
    rows["improvements"] = improvement_rows(rows["correlations"])
    return MeasuresAndPeople(
        rows, data.systems, data.items, data.measures, data.people, tuple(models), test,
        correction, alpha, kind, swap, draws, chance, confidence, seed,
        (*one.signatures, *other.signatures), data.notes,
    )  # fmt: skip


def _subset(data: SideBySide, consensus: Sequence[Any] | None) -> tuple[str, ...]:
    if consensus is None:
        return data.measures if len(data.measures) <= MOST else ()
    chosen = tuple(str(m) for m in consensus)
    for name in chosen:
        if name not in data.measures:
            raise OptionError(f"consensus={name!r} is none of {', '.join(data.measures)}.")
    if len(chosen) > MOST:
        raise OptionError(f"{len(chosen)} measures have too many subsets; name {MOST} at most.")
    return chosen


def _agreement(
    data: SideBySide, name: str, places: Any, together: tuple[str, ...], random: Chance
) -> dict[str, Rows]:
    """Accuracies of every measure, chance and a constant; and of every subset's consensus."""
    values = data.judged[name][places]
    truth = Findings.of(values, *random.make)
    found = {m: Findings.of(data.measured[m][places], *random.make) for m in data.measures}
    rows: Rows = [{"measure": m} | agreement_row(truth, f) for m, f in found.items()]
    rows += random.rows(truth, values)
    return {
        "agreement": rows,
        "consensus": consensus_rows(truth, {m: found[m] for m in together}),
    }
