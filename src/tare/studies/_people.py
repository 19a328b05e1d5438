"""The study of measures and people: find the measure that best agrees with people."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, cast

from tare._data.preferences import Preferences, read_preferences
from tare._decide.journal import Journal, digest
from tare._measures.measure import Measure
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._result import MultiTableResult, Row, Rows, RowsByName
from tare._signature import Signature
from tare._tables import Column, PColumn, Table, p_stated
from tare.errors import OptionError, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._correlation import COEFFICIENTS, WITH_PEOPLE
from tare.stats._named_tests import TESTS, TestOptions
from tare.stats._randomisation import check_draws
from tare.studies._people_correlations import (
    AssessorRow,
    CorrelationRow,
    DifferenceRow,
    GapRow,
    ImprovementRow,
    RandomMeasures,
    SideBySide,
    SignificantPairs,
    WinRow,
    agreement_row,
    assessor_rows,
    consensus_rows,
    correlation_rows,
    difference_rows,
    enough_draws,
    gap_rows,
    improvement_rows,
    is_known,
    majority,
    side_by_side,
    win_rows,
)

if TYPE_CHECKING:
    from tare._data.findings import TableSource

__all__ = ["MeasuresAndPeople", "NamedRowsResult", "measures_and_people"]


# Results of studies that keep their rows under names.


class NamedRowsResult(MultiTableResult):
    """A study's result with several tables, such as measures and people, whose rows are found by name and by value."""

    rows_by_name: Mapping[str, object]  # a list of rows by name; a subclass says which

    def find(self, name: str, **wanted: object) -> Rows:
        """Return the rows of a name with these values.

        Parameters
        ----------
        name : str
            A key of `rows_by_name`.
        **wanted
            Keys of the rows and the values they must have.

        Returns
        -------
        list of dict
            The matching rows.
        """
        rows = cast("Rows", self.rows_by_name[name])
        return [r for r in rows if all(r.get(k) == v for k, v in wanted.items())]


# The result of the study of measures and people (tables as in Rankel 2016, ch. 5 and 7).


MAX_SHOWN = 20  # subsets of measures in the table


class PeopleRows(TypedDict):
    """The rows of the study of measures and people; agreement and consensus have one number per kind of accuracy."""

    agreement: Rows
    correlations: list[CorrelationRow]
    tests: list[DifferenceRow]
    consensus: Rows
    improvements: list[ImprovementRow]
    assessors: list[AssessorRow]
    wins: list[WinRow]
    systems: list[GapRow]


@dataclass(frozen=True, eq=False, repr=False)
class MeasuresAndPeople(NamedRowsResult):
    """Agreement of every measure with every human score.

    Attributes
    ----------
    rows_by_name : PeopleRows
        All numbers: agreement, correlations, tests, consensus, improvements, assessors, wins and
        systems.
    systems, items, measures : tuple of str
        What was compared.
    people : tuple of str
        The human scores.
    models : tuple of str
        The systems that are human authors.
    test, correction, alpha
        The test of differences between systems.
    kind : {"pearson", "spearman", "tau_b"}
        The coefficient of the tests between measures.
    draws, chance, seed : int
        Number of resamples and of random measures, and the seed.
    confidence : float
        Confidence level of the intervals.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import polars as pl
    >>> import tare
    >>> rows = [(f"s{s}", f"i{i}", s + (i * s) % 3, s + i % 2) for s in range(4) for i in range(6)]
    >>> frame = pl.DataFrame(rows, schema=["system", "item", "BLEU", "adequacy"], orient="row")
    >>> scores, human = (tare.Scores.load(frame.drop(name)) for name in ("adequacy", "BLEU"))
    >>> found = tare.studies.measures_and_people(scores, human, draws=100, chance=10)
    >>> list(found.all_rows())
    ['agreement', 'correlations', 'consensus', 'systems']
    >>> len(found.find("agreement", measure="BLEU"))
    1
    """

    rows_by_name: PeopleRows
    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[str, ...]
    people: tuple[str, ...]
    models: tuple[str, ...]
    test: str
    correction: str
    alpha: float
    kind: str
    draws: int
    chance: int
    confidence: float
    seed: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()

    def all_rows(self) -> RowsByName:
        """Return the rows of `rows_by_name` that are not empty."""
        return cast("RowsByName", {name: rows for name, rows in self.rows_by_name.items() if rows})

    def headlines(self) -> list[str]:
        """Return the two highest correlations with people at each level, and whether they differ."""
        rows = [
            r
            for r in self.rows_by_name["correlations"]
            if r["coefficient"] == self.kind and is_known(r["value"])
        ]
        if not rows:
            return []
        human, peers = rows[0]["human"], rows[0]["peers"]
        name = COEFFICIENTS[self.kind].title
        sentences = []
        for level in dict.fromkeys(r["level"] for r in rows):
            own = [r for r in rows if (r["level"], r["human"], r["peers"]) == (level, human, peers)]
            own.sort(key=lambda r: -r["value"])
            if not own:
                continue
            best, *rest = own
            told = f"At the {level} level ({peers}), {name} with {human} is {best['value']:.2f} for {best['measure']}"
            if not rest:
                sentences.append(f"{told}.")
                continue
            told += f" and {rest[0]['value']:.2f} for {rest[0]['measure']}"
            if len(rest) > 1:
                told += f", the two highest of {len(own)} measures"
            pair = {best["measure"], rest[0]["measure"]}
            tests = [
                r
                for r in self.rows_by_name["tests"]
                if {r["first"], r["second"]} == pair
                and (r["level"], r["human"], r["peers"]) == (level, human, peers)
            ]
            sentences += [f"{told}: {_difference(r['p_adjusted'], self.alpha)}." for r in tests[:1]]
        return sentences

    def answer(self) -> str:
        """Return which measures agree best with people, over systems and over outputs."""
        return " ".join(self.headlines()[:2]) or "No correlation with people is defined."

    def facts(self) -> Row:
        """Return the options, human authors, signatures and notes."""
        names = (
            "test",
            "correction",
            "alpha",
            "kind",
            "draws",
            "chance",
            "confidence",
            "seed",
        )
        return {n: getattr(self, n) for n in names} | {
            "models": list(self.models),
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Return agreement, correlations, tests, consensus, improvements, assessors, and wins."""
        made = {"agreement": self._agreement(), "correlations": self._correlations()}
        if self.rows_by_name["tests"]:
            made["tests"] = self._tests()
        if self.rows_by_name["consensus"]:
            made["consensus"] = self._consensus()
        if self.rows_by_name["improvements"]:
            made["improvements"] = _table(
                self.rows_by_name["improvements"],
                ("peers", "human", "level", "coefficient", "measure", "inside"),
                ("value", "inside_value", "pai"),
                "Improvement of the correlation by normalisation",
                [
                    "PAI: 100·(r − r₀)/|r₀|, where r₀ is the correlation of the measure without "
                    "normalisation; undefined (–) if r₀ = 0."
                ],
            )
        if self.rows_by_name["assessors"]:
            rows = [r for r in self.rows_by_name["assessors"] if r["coefficient"] == self.kind]
            made["assessors"] = _table(
                rows,
                ("peers", "human", "assessor", "measure"),
                ("items", "outputs", "value"),
                f"Correlation with people by assessor ({self.kind})",
                ["Over all outputs that an assessor judged."],
            )
        if self.rows_by_name["wins"]:
            made["wins"] = _table(
                self.rows_by_name["wins"],
                ("human", "first", "second"),
                ("pairs", "disagreements", "win", "lose", "tie", "p", "p_adjusted"),
                "Disagreements between measures: win, lose, tie",
                [
                    "Pairs of outputs that two measures order differently: people agree with the first "
                    "measure (win), with the second (lose), or see no difference (tie). "
                    f"{self._exchanges(self.rows_by_name['wins'])} Statistic: |win − lose|. {self._holm('one human score')}"
                ],
            )
        return made

    def _agreement(self) -> Table:
        names = (
            "accuracy",
            "precision",
            "recall",
            "specificity",
            "balanced",
            "balanced_predictions",
        )
        notes = [
            f"Reference: significant differences of human scores ({self.test} test, "
            f"{_correction(self.correction)}, p ≤ {self.alpha:g}). Measures are tested in the same way; a difference "
            "with the opposite sign counts as wrong. balanced: mean of recall and specificity. balanced "
            "predictions: mean of precision and negative predictive value, as in Rankel (2016).",
            "pairwise: agreement on which mean is larger, over all pairs. pairwise significant: over "
            "pairs that differ significantly for people. tie calibrated: over outputs for one item, "
            "with ties. soft: 1 − |p − p of people|.",
            f"(chance): mean over {self.chance} random measures. (constant): a measure with the same "
            f"score for every output. {len(self.systems)} systems, {len(self.items)} items, seed "
            f"{self.seed}.",
            *self.notes,
        ]
        rest = ("pairwise", "pairwise_significant", "tie_calibrated", "soft")
        return _table(
            self.rows_by_name["agreement"],
            ("peers", "human", "measure"),
            (*names, *rest),
            "Agreement with people on significant differences",
            notes,
        )

    def _correlations(self) -> Table:
        return _table(
            self.rows_by_name["correlations"],
            ("peers", "human", "level", "coefficient", "measure"),
            ("systems", "items", "value", "low_both", "high_both"),
            "Correlation with people",
            [
                f"{100 * self.confidence:g} % intervals of the expected coefficient for sets of systems and "
                f"items of this size ({self.draws:,} resamples of both, seed {self.seed}), each on its own; "
                "they need not contain the coefficient of the true rankings. The rows also have intervals over "
                "systems and over items. Level system: correlation of means. Level item: correlation of the "
                "systems on one item, averaged over items."
            ],
        )

    def _tests(self) -> Table:
        return _table(
            self.rows_by_name["tests"],
            ("peers", "human", "level", "first", "second"),
            ("difference", "p", "p_adjusted"),
            f"Tests between measures: correlation with people ({self.kind})",
            [
                f"{self._exchanges(self.rows_by_name['tests'])} Statistic: the difference of the two coefficients. "
                f"{self._holm('one human score, group of systems and level')}"
            ],
        )

    def _exchanges(self, rows: Sequence[DifferenceRow] | Sequence[WinRow]) -> str:
        """Say how the p-values of a table of two measures' tests against people were made."""
        drawn = f"{enough_draws(math.comb(len(self.measures), 2), self.draws):,} draws, seed {self.seed}"
        if all(r["exact"] for r in rows):
            drawn = "all exchanges"
        elif any(r["exact"] for r in rows):
            drawn = f"all exchanges if there are few, else {drawn}"
        return (
            "Two-sided p: the standardised scores of both measures are exchanged system by system "
            f"({drawn}). Assumes that, if the measures do not differ, each system's scores are as likely to "
            "come from one as from the other."
        )

    def _holm(self, family: str) -> str:
        count = math.comb(len(self.measures), 2)
        if count == 1:
            return "One pair of measures: no correction."
        return f"p adjusted: Holm's correction over the {count:,} pairs of measures of {family}."

    def _consensus(self) -> Table:
        rows: Rows = []
        groups = dict.fromkeys((r["peers"], r["human"]) for r in self.rows_by_name["consensus"])
        for peers, human in groups:
            own = self.find("consensus", peers=peers, human=human)
            own.sort(key=lambda r: (-_sortable(r["balanced"]), r["size"], r["measures"]))
            rows += own[:MAX_SHOWN]
        total = len(self.rows_by_name["consensus"]) // max(len(groups), 1)
        more = (
            f" The {MAX_SHOWN} best of {total:,} subsets by balanced accuracy."
            if total > MAX_SHOWN
            else ""
        )
        names = ("accuracy", "precision", "recall", "balanced", "balanced_predictions")
        return _table(
            rows,
            ("peers", "human", "measures"),
            names,
            "Consensus of measures",
            [
                "A difference counts as significant only if all measures of the subset find it, with the "
                f"same sign.{more}"
            ],
        )


def _difference(p: float, alpha: float) -> str:
    if not is_known(p):
        return "the difference could not be tested"
    said = "a difference is shown" if p <= alpha else "no difference is shown"
    return f"{said} (adjusted {p_stated(p)})"


def _correction(name: str) -> str:
    if name == "none":
        return "each pair of systems on its own, without a correction"
    return f"correction {name} over the pairs of systems"


def _sortable(value: float) -> float:
    return -1.0 if value != value else value


def _table(
    rows: Sequence[Mapping[str, object]],
    words: tuple[str, ...],
    numbers: tuple[str, ...],
    title: str,
    notes: list[str],
) -> Table:
    """Return a table of measures and people; a text column with a single value becomes a note instead."""
    fixed = [w for w in words if rows and len({r.get(w) for r in rows}) == 1 and len(rows) > 1]
    fixed = [w for w in fixed if w in ("peers", "human", "level", "coefficient")]
    shown = [w for w in words if w not in fixed]
    columns: list[Column | str] = [w.replace("_", " ") for w in shown]
    columns += [
        PColumn(n.replace("_", " ")) if n in ("p", "p_adjusted") else Column(n.replace("_", " "))
        for n in numbers
    ]
    constant = [f"{w}: {rows[0][w]}." for w in fixed]
    return Table.of_rows(
        columns, rows, title=title, notes=[" ".join(constant), *notes] if constant else notes
    )


# The study of measures and people: how well measures agree with people.


MAX_RANDOM_MEASURES = 10_000
MAX_CONSENSUS = 12  # measures; all of their subsets are studied


def measures_and_people(
    scores: ScoreSource,
    human: ScoreSource,
    *,
    models: Sequence[str] = (),
    top: int | Sequence[int] = (),
    assessor: str = "assessor",
    preferences: Preferences | TableSource | None = None,
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
    kind : {"pearson", "spearman", "tau_b"}
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
    choose("kind", kind, WITH_PEOPLE)
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
    rows = PeopleRows(
        agreement=[],
        correlations=[],
        tests=[],
        consensus=[],
        improvements=[],
        assessors=[],
        wins=[],
        systems=[],
    )
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
    """Return accuracies against people of every measure, of random and constant measures, and of subsets."""
    values = data.judged[name][places]
    truth = SignificantPairs.of(values, *random.make)
    found = {m: SignificantPairs.of(data.measured[m][places], *random.make) for m in data.measures}
    rows: Rows = [{"measure": m} | agreement_row(truth, f) for m, f in found.items()]
    rows += random.rows(truth, values)
    return {
        "agreement": rows,
        "consensus": consensus_rows(truth, {m: found[m] for m in together}),
    }
