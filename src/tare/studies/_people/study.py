"""The study of measures and people: how well measures agree with people."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tare._data.preferences import Preferences, read_preferences
from tare._decide.journal import Journal, digest
from tare._measures.measure import Measure
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._result import Rows
from tare.errors import OptionError, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._meta_evaluation import COEFFICIENTS
from tare.stats._named_tests import TESTS, TestOptions
from tare.stats._randomisation import check_draws
from tare.studies._people.correlations import (
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
    RandomMeasures,
    SignificantPairs,
    agreement_row,
    consensus_rows,
)

if TYPE_CHECKING:
    from tare._data.findings import Table

__all__ = ["measures_and_people"]

MAX_RANDOM_MEASURES = 10_000
MAX_CONSENSUS = 12  # measures; all of their subsets are studied


def measures_and_people(
    scores: ScoreSource,
    human: ScoreSource,
    *,
    models: Sequence[str] = (),
    top: int | Sequence[int] = (),
    assessor: str = "assessor",
    preferences: Preferences | Table | None = None,
    consensus: Sequence[str | Measure] | None = None,
    test: str = "wilcoxon",
    correction: str = "none",
    alpha: float = 0.05,
    kind: str = "tau_b",
    draws: int = 1000,
    chance: int = 100,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> MeasuresAndPeople:
    """Measure how well measures agree with people, and test whether they differ.

    Every measure is compared with every human score of the same systems and items: by correlation, by
    significant differences between systems, and by the order of pairs of outputs.

    Parameters
    ----------
    scores, human : Scores, path or data frame
        Score tables of measures and of human scores, matched by the ids of systems and items.
    models : sequence of str
        Systems that are human authors. Results are given with and without them.
    top : int or sequence of int
        Also study only the best k systems by human score, for one or several k.
    assessor : str
        The attribute of the items that names their assessor.
    preferences : path, data frame or Preferences, optional
        Human preferences, with systems as documents, for win, lose and tie. By default these come
        from the human scores.
    consensus : sequence of str or Measure, optional
        Measures whose subsets are studied; by default all, if there are at most 12.
    test, correction : str
        The test and correction that decide which systems differ significantly, for people and
        measures alike. By default each pair is tested without a correction, as in Rankel (2016).
    alpha : float
        Significance level.
    kind : str
        The coefficient of the tests between measures.
    draws : int
        Number of resamples. Tests between measures try all exchanges if there are at most so many;
        otherwise they draw so many, or 40 per pair of measures if that is more.
    chance : int
        Number of random measures that show the agreement expected by chance.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Seed of random draws.
    threads : int
        Number of threads; 0 uses all cores.
    progress : callable, optional
        Called with a short description of each step.
    journal : path, optional
        A file of finished steps, from which an interrupted study continues.

    Returns
    -------
    MeasuresAndPeople
        Correlations, agreement on significant differences, tests between measures, and wins.

    Raises
    ------
    OptionError
        If an option is unknown or out of range.
    MismatchError
        If the tables have fewer than 3 systems or no item in common.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [(f"s{s}", f"i{i}", s + (i * s) % 3, s + i % 2) for s in range(4) for i in range(6)]
    >>> columns = ["system", "item", "value"]
    >>> scores = pl.DataFrame([(a, b, x) for a, b, x, _ in rows], schema=columns, orient="row")
    >>> human = pl.DataFrame([(a, b, y) for a, b, _, y in rows], schema=columns, orient="row")
    >>> scores, human = (
    ...     t.with_columns(measure=pl.lit(m)) for t, m in ((scores, "BLEU"), (human, "adequacy"))
    ... )
    >>> found = measures_and_people(scores, human, draws=100, chance=10)
    >>> found.people, found.measures
    (('adequacy',), ('BLEU',))
    """
    one = scores_of(scores)
    other = scores_of(human)
    choose("test", test, tuple(TESTS))
    choose("correction", correction, CORRECTIONS)
    choose("kind", kind, COEFFICIENTS)
    check_draws(draws, seed)
    if TESTS[test].family_wise and correction != "none":
        raise OptionError(
            f"test={test!r} already controls the family-wise error rate. Remove "
            f"correction={correction!r}."
        )
    if not 0 < alpha < 1 or not 0 < confidence < 1:
        raise OptionError(
            f"alpha={alpha} or confidence={confidence} is not valid. Both must lie between 0 and 1."
        )
    if not 1 <= chance <= MAX_RANDOM_MEASURES:
        raise OptionError(
            f"chance={chance} is not valid. It must lie between 1 and {MAX_RANDOM_MEASURES:,}."
        )
    data = side_by_side(one, other, models=models, assessor=assessor)
    tops = (top,) if isinstance(top, int) else tuple(top)
    together = _subset(data, consensus)
    given = None if preferences is None else read_preferences(preferences)
    about = {
        "study": "measures and people",
        "data": digest(one, other, data.assessors, given and given.digest),
        "options": digest(
            tuple(models),
            tops,
            together,
            test,
            correction,
            alpha,
            kind,
            draws,
            chance,
            confidence,
            seed,
        ),
    }
    record = Journal(journal, about)
    notify = progress or (lambda _: None)
    options = TestOptions(draws, seed, alpha, threads=threads)
    random = RandomMeasures(test, correction, options, draws, chance)
    rows: dict[str, Rows] = {
        name: []
        for name in (
            "agreement",
            "correlations",
            "tests",
            "consensus",
            "improvements",
            "assessors",
            "wins",
            "systems",
        )
    }
    for name in data.people:
        for peers, places in data.peers(name, tops).items():
            for measure in data.measures:
                notify(f"{name}, {peers}: {measure}")
                rows["correlations"] += record.step(
                    f"correlations\t{name}\t{peers}\t{measure}",
                    lambda name=name, peers=peers, places=places, measure=measure: correlation_rows(  # type: ignore[misc]
                        data,
                        name,
                        peers,
                        places,
                        measure,
                        draws=draws,
                        confidence=confidence,
                        seed=seed,
                        threads=threads,
                    ),
                )
            notify(f"{name}, {peers}: tests")
            rows["tests"] += record.step(
                f"tests\t{name}\t{peers}",
                lambda name=name, peers=peers, places=places: difference_rows(  # type: ignore[misc]
                    data,
                    name,
                    peers,
                    places,
                    kind=kind,
                    draws=draws,
                    seed=seed,
                    threads=threads,
                ),
            )
            notify(f"{name}, {peers}: significance")
            found = record.step(
                f"agreement\t{name}\t{peers}",
                lambda name=name, places=places: _agreement(  # type: ignore[misc]
                    data, name, places, together, random
                ),
            )
            head = {"peers": peers, "human": name}
            rows["agreement"] += [head | row for row in found["agreement"]]
            rows["consensus"] += [head | row for row in found["consensus"]]
            rows["assessors"] += assessor_rows(data, name, peers, places)
        rows["systems"] += gap_rows(data, name)
        if given is None:
            rows["wins"] += win_rows(data, name, draws=draws, seed=seed, threads=threads)
    if given is not None:
        votes = majority(data, given)
        rows["wins"] += [
            row | {"human": given.name}
            for row in win_rows(
                data, data.people[0], votes, draws=draws, seed=seed, threads=threads
            )
        ]
    rows["improvements"] = improvement_rows(rows["correlations"])
    return MeasuresAndPeople(
        rows,
        data.systems,
        data.items,
        data.measures,
        data.people,
        tuple(models),
        test,
        correction,
        alpha,
        kind,
        draws,
        chance,
        confidence,
        seed,
        (*one.signatures, *other.signatures),
        data.notes,
    )


def _subset(data: SideBySide, consensus: Sequence[str | Measure] | None) -> tuple[str, ...]:
    if consensus is None:
        return data.measures if len(data.measures) <= MAX_CONSENSUS else ()
    chosen = tuple(str(m) for m in consensus)
    for name in chosen:
        if name not in data.measures:
            raise OptionError(
                f"consensus={name!r} is not a measure of the table. Accepted: "
                f"{', '.join(data.measures)}."
            )
    if len(chosen) > MAX_CONSENSUS:
        raise OptionError(
            f"{len(chosen)} measures have too many subsets; at most {MAX_CONSENSUS} can be named."
        )
    return chosen


def _agreement(
    data: SideBySide, name: str, places: Any, together: tuple[str, ...], random: RandomMeasures
) -> dict[str, Rows]:
    """Return accuracies of every measure, of random and constant measures, and of subsets."""
    values = data.judged[name][places]
    truth = SignificantPairs.of(values, *random.make)
    found = {m: SignificantPairs.of(data.measured[m][places], *random.make) for m in data.measures}
    rows: Rows = [{"measure": m} | agreement_row(truth, f) for m, f in found.items()]
    rows += random.rows(truth, values)
    return {
        "agreement": rows,
        "consensus": consensus_rows(truth, {m: found[m] for m in together}),
    }
