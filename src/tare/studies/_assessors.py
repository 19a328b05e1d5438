"""The study of assessors: self-consistency, and results without the least consistent.

Rankel (2016, ch. 6): self-consistency on identical outputs, manual minus automatic pyramid scores by
assessor, and the effect of leaving out the worst one or two assessors.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.ratings import Ratings, read_ratings
from tare._kernels.statistics import correlations
from tare._measures.names import column_measure
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare._result import MultiTableResult, Row, Rows
from tare._signature import Signature, tare_version
from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.errors import MismatchError, OptionError, choose
from tare.stats._correlation import WITH_PEOPLE
from tare.stats._intervals import mean_intervals
from tare.stats._meta_evaluation import LEVELS, correlation_with_people
from tare.stats._paired_differences import rounded
from tare.stats._randomisation import check_draws
from tare.studies._people_correlations import assessor_rows, pooled_by_assessor, side_by_side
from tare.studies._self_consistency import SelfConsistency, self_consistency

if TYPE_CHECKING:
    from tare._data.ratings import RatingsInput

__all__ = ["AssessorStudy", "assessors", "rated_outputs"]


# Ratings of outputs as a score table: the mean rating of each output.


def rated_outputs(
    ratings: Ratings,
    *,
    system: str = "system",
    item: str = "item",
    without: Sequence[str] = (),
    name: str = "people",
) -> Scores:
    """Return the mean rating of each output over assessors and repetitions, as a score table.

    The units of the ratings are outputs; two of their attributes hold the system and the item. The
    ratings of the assessors in `without` are left out. The item attribute `assessor` of the table is
    the assessor with most ratings of that item.
    """
    if ratings.labels is not None:
        raise MismatchError(f"{ratings.name}: the ratings are words, but means need numbers.")
    for attribute in (system, item):
        ratings.filter(attribute, None)  # raises an error that lists the attributes
    of_system = [str(v) for v in ratings.attributes[system]]
    of_item = [str(v) for v in ratings.attributes[item]]
    systems, items = tuple(dict.fromkeys(of_system)), tuple(sorted(set(of_item)))
    s = np.array([systems.index(v) for v in of_system])[ratings.unit]
    i = np.array([items.index(v) for v in of_item])[ratings.unit]
    out = [ratings.coders.index(c) for c in without]
    keep = ~np.isin(ratings.coder, out)
    shape = (len(systems), len(items))
    total, count = np.zeros(shape), np.zeros(shape)
    np.add.at(total, (s[keep], i[keep]), ratings.values[keep])
    np.add.at(count, (s[keep], i[keep]), 1)
    values = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    votes = np.zeros((len(items), len(ratings.coders)), dtype=np.int64)
    np.add.at(votes, (i[keep], ratings.coder[keep]), 1)
    asked = tuple(ratings.coders[int(row.argmax())] if row.any() else None for row in votes)
    facts = {
        "source": ratings.name,
        "coders": len(ratings.coders) - len(out),
        "n": len(items),
        "tare": tare_version(),
    }
    return Scores(
        systems,
        items,
        (column_measure(name),),
        values[:, :, None],
        (Signature.of(name, facts),),
        attributes={"assessor": asked},
    )


# The result of the study of assessors.


@dataclass(frozen=True, eq=False, repr=False)
class AssessorStudy(MultiTableResult):
    """Self-consistency of assessors, and the effect of leaving out the worst.

    Attributes
    ----------
    consistency : SelfConsistency
        The self-consistency of each assessor.
    rows_by_name : dict of str to list of dict
        Differences between manual and automatic pyramids, rankings, and correlations.
    worst_first : tuple of str
        The order in which assessors are left out.
    worst_by : {"alpha", "difference"}
        The criterion of this order.
    seed : int
        Seed of random draws.

    Examples
    --------
    >>> import polars as pl
    >>> import tare
    >>> rows = [("t1", "ann", 2), ("t1", "ann", 2), ("t2", "ann", 1), ("t2", "ann", 1)]
    >>> rows += [("t1", "bob", 1), ("t1", "bob", 2), ("t2", "bob", 2), ("t2", "bob", 1)]
    >>> ratings = pl.DataFrame(rows, schema=["unit", "coder", "value"], orient="row")
    >>> found = tare.studies.assessors(ratings)
    >>> found.worst_by, found.consistency.same
    ('alpha', {'ann': 1.0, 'bob': 0.0})
    """

    consistency: SelfConsistency
    rows_by_name: dict[str, Rows]
    worst_first: tuple[str, ...]
    worst_by: str
    seed: int

    def contingency_rows(self) -> Rows:
        """Return one dictionary per assessor and pair of values: how often one followed the other."""
        values = self.consistency.values
        return [
            {"assessor": a, "first": values[i], "later": values[j], "count": int(table[i, j])}
            for a, table in self.consistency.contingency.items()
            for i in range(len(values))
            for j in range(len(values))
        ]

    def all_rows(self) -> dict[str, Rows]:
        """Return rows: consistency, contingency, differences, pyramids, rankings, measures, learned."""
        made: dict[str, Rows] = {
            "consistency": self.consistency.to_frame().to_dicts(),
            "contingency": self.contingency_rows(),
        }
        return made | {name: rows for name, rows in self.rows_by_name.items() if rows}

    def headlines(self) -> list[str]:
        """Return the most and the least consistent assessor, and how the ranking of systems changes."""
        first = [f"{self.worst_first[0]} is left out first."]
        if self.consistency.known > 1:
            first.insert(0, self.consistency.answer())
        return first + [
            f"Without {row['without']}, the ranking of systems has a τ-b of {row['tau_b']:.2f} with the "
            "ranking by all assessors."
            for row in self.rows_by_name["rankings"][1:]
        ]

    def answer(self) -> str:
        """Return how far the self-consistency of assessors differs, or who is left out first."""
        return self.headlines()[0]

    def facts(self) -> Row:
        """Return the order in which assessors are left out, its criterion, and the seed."""
        return {"worst_first": list(self.worst_first), "worst_by": self.worst_by, "seed": self.seed}

    def tables(self) -> dict[str, Table]:
        """Return self-consistency, contingency, pyramid differences, and effects of leaving out."""
        made = {"consistency": self.consistency.table(), "contingency": self._contingency()}
        if self.rows_by_name["differences"]:
            made["differences"] = _table(
                self.rows_by_name["differences"],
                ("assessor",),
                "Manual minus automatic pyramid score",
                [
                    "Mean over all outputs that an assessor judged, with Student's 95 % interval of the mean "
                    "over items, each on its own. Whether assessors differ was not tested."
                ],
            )
        if self.rows_by_name["rankings"]:
            by = {
                "alpha": "self-consistency",
                "difference": "manual − automatic, lowest first",
            }[self.worst_by]
            made["rankings"] = _table(
                self.rows_by_name["rankings"],
                ("without",),
                "Rankings of systems without the worst assessors",
                [f"Correlation of system means with those of all assessors. Worst by {by}."],
            )
        for name, title in (("measures", "Measures"), ("learned", "Learned measures")):
            if self.rows_by_name[name]:
                made[name] = _table(
                    self.rows_by_name[name],
                    ("without", "measure", "level", "coefficient"),
                    f"{title}: correlation with people without the worst assessors",
                    [
                        "change: difference from the value with all assessors. Level assessor: "
                        "correlation over all outputs of one assessor, averaged over assessors."
                    ],
                )
        return made

    def _contingency(self) -> Table:
        values = [f"{v:.4g}" if isinstance(v, float) else str(v) for v in self.consistency.values]
        columns: list[Column | str] = ["assessor", "first", *(Column(f"later {v}") for v in values)]
        rows: list[list[Cell]] = [
            [a, values[i], *(int(c) for c in table[i])]
            for a, table in self.consistency.contingency.items()
            for i in range(len(values))
        ]
        notes = ["Rows: the first judgement. Columns: a later judgement of the same output."]
        notes += [self.consistency.binned] if self.consistency.binned else []
        return Table.of(columns, rows, title="Repeated judgements", notes=notes)


def _table(rows: Rows, words: tuple[str, ...], title: str, notes: list[str]) -> Table:
    names = (key.replace("_", " ") for key in rows[0] if key != "left_out")
    columns = [name if name in words else Column(name) for name in names]
    return Table.of_rows(columns, rows, title=title, notes=notes)


WORST_BY = ("alpha", "difference")


def assessors(
    ratings: RatingsInput,
    *,
    same: Mapping[str, str] | str | None = None,
    level: str = "auto",
    system: str = "system",
    item: str = "item",
    worst: Sequence[int] = (1, 2),
    worst_by: str = "alpha",
    scores: ScoreSource | None = None,
    features: ScoreSource | None = None,
    methods: Sequence[str] = ("robust", "nnls", "ridge"),
    manual: ScoreSource | None = None,
    automatic: ScoreSource | None = None,
    draws: int = 1000,
    seed: int = 0,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
) -> AssessorStudy:
    """Rank assessors by self-consistency, and study results without the worst of them.

    Parameters
    ----------
    ratings : path, data frame or Ratings
        Ratings with the columns unit, coder and value. Rows with the same unit and coder are
        repeated judgements. If the units have the attributes `system` and `item`, the ratings are
        also turned into score tables with and without the worst assessors.
    same : mapping or str, optional
        Which units are identical: {unit: text}, or the name of an attribute.
    level : str
        Level of measurement of the ratings: "auto", "nominal", "ordinal", "interval" or "ratio".
    system, item : str
        The attributes that hold the system and the item of a unit.
    worst : sequence of int
        How many assessors to leave out.
    worst_by : {"alpha", "difference"}
        Leave out those with the lowest self-consistency, or with the lowest mean difference between
        manual and automatic pyramid score. An assessor who misses content units scores below the
        automatic pyramid.
    scores : Scores, path or data frame, optional
        Measures of the same outputs; the study shows how their correlation with people changes.
    features : Scores, path or data frame, optional
        Features of the same outputs; the study shows how learned measures change.
    methods : sequence of str
        The methods of `learned_measure`.
    manual, automatic : Scores, path or data frame, optional
        Score tables with one measure each, such as Pyramid and AutoPyramid, of the same outputs.
    draws : int
        Number of resamples in the study of learned measures.
    seed : int
        Seed of random draws.
    threads : int
        Number of threads; 0 uses all cores.
    progress : callable, optional
        Called with a short description of each step.

    Returns
    -------
    AssessorStudy
        Self-consistency, repeated judgements, and results without the worst assessors.

    Raises
    ------
    OptionError
        If only one of `manual` and `automatic` is given, or if an option is out of range.
    MismatchError
        If tables have no system or item in common.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [("t1", "ann", 2), ("t1", "ann", 2), ("t2", "ann", 1), ("t2", "ann", 1)]
    >>> rows += [("t1", "bob", 1), ("t1", "bob", 2), ("t2", "bob", 2), ("t2", "bob", 1)]
    >>> ratings = pl.DataFrame(rows, schema=["unit", "coder", "value"], orient="row")
    >>> assessors(ratings).worst_first
    ('bob', 'ann')
    """
    given = read_ratings(ratings)
    choose("worst_by", worst_by, WORST_BY)
    check_draws(draws, seed)
    notify = progress or (lambda _: None)
    notify("self-consistency")
    own = self_consistency(given, same=same, level=level)
    table = None
    if system in given.attributes and item in given.attributes and given.labels is None:
        table = rated_outputs(given, system=system, item=item)
    elif scores is not None or features is not None:
        given.filter(system, None)  # raises an error that lists the attributes
        given.filter(item, None)
    differences: Rows = []
    by_item: Rows = []
    if (manual is None) != (automatic is None):
        raise OptionError("manual= and automatic= must be given together.")
    if manual is not None and automatic is not None:
        notify("pyramids")
        differences, by_item = _differences(scores_of(manual), scores_of(automatic), table)
    order = _worst_first(own, differences, worst_by)
    rows: dict[str, Rows] = {
        "differences": differences,
        "pyramids": by_item,
        "rankings": [],
        "measures": [],
        "learned": [],
    }
    if table is not None:
        steps = [n for n in dict.fromkeys(int(k) for k in worst) if 0 < n < len(given.coders)]
        if any(n < 1 for n in worst):
            raise OptionError(
                f"worst={list(worst)} is not valid. Each number must be 1 or greater."
            )
        tables: dict[tuple[str, ...], Scores] = {(): table}
        for n in steps:
            gone = tuple(order[:n])
            tables[gone] = rated_outputs(given, system=system, item=item, without=gone)
        for gone, part in tables.items():
            label = ", ".join(gone) or "nobody"
            notify(f"without {label}")
            rows["rankings"] += _rankings(table, part, label, len(gone))
            if scores is not None:
                rows["measures"] += _measures(scores_of(scores), part, label, len(gone))
            if features is not None:
                rows["learned"] += _learned(
                    scores_of(features), part, label, len(gone), methods, draws, seed, threads
                )
        _add_changes(rows["measures"], ("measure", "level", "coefficient"))
        _add_changes(rows["learned"], ("measure", "level", "coefficient"))
    return AssessorStudy(own, rows, order, worst_by, seed)


def _worst_first(own: SelfConsistency, differences: Rows, worst_by: str) -> tuple[str, ...]:
    """Return the assessors, the least consistent first; those with an undefined value come last."""
    if worst_by == "alpha":
        known = [a for a in reversed(own.ranking) if not np.isnan(own.alpha[a])]
        return (*known, *(a for a in own.ranking if a not in known))
    if not differences:
        raise OptionError("worst_by='difference' needs manual= and automatic=.")
    ordered = sorted(differences, key=lambda r: (r["mean"], r["assessor"]))
    named = [r["assessor"] for r in ordered if r["assessor"] in own.alpha]
    return (*named, *(a for a in own.ranking if a not in named))


def _rankings(whole: Scores, part: Scores, label: str, gone: int) -> Rows:
    """Return correlations of the system means by the kept assessors with those of all assessors."""
    x, y = (np.array([m["people"] for m in t.means().values()]) for t in (whole, part))
    known = ~(np.isnan(x) | np.isnan(y))
    made: dict[str, Any] = {"left_out": gone, "without": label, "systems": int(known.sum())}
    made["outputs"] = int((~np.isnan(part.values)).sum())
    a, b = rounded(x[known])[None, :], rounded(y[known])[None, :]
    for kind in WITH_PEOPLE:
        made[kind] = float(correlations(a, b, kind)[0]) if known.sum() > 1 else float("nan")
    ranks = [np.argsort(np.argsort(-z[0], kind="stable"), kind="stable") for z in (a, b)]
    made["largest_move"] = int(np.abs(ranks[0] - ranks[1]).max(initial=0))
    return [made]


def _measures(scores: Scores, people: Scores, label: str, gone: int) -> Rows:
    """Return correlations of measures with the kept assessors at system and item level, and pooled by assessor."""
    data = side_by_side(scores, people)
    pooled = pooled_by_assessor(assessor_rows(data, "people", "", np.arange(len(data.systems))))
    made: Rows = []
    for measure, kind in itertools.product(data.measures, WITH_PEOPLE):
        x, y = data.measured[measure], data.judged["people"]
        values = {v: correlation_with_people(x, y, level=v, kind=kind) for v in LEVELS}
        values["assessor"] = pooled.get((measure, kind), float("nan"))
        made += [
            {
                "left_out": gone,
                "without": label,
                "measure": measure,
                "level": level,
                "coefficient": kind,
                "value": value,
            }
            for level, value in values.items()
        ]
    return made


def _learned(
    features: Scores,
    people: Scores,
    label: str,
    gone: int,
    methods: Sequence[str],
    draws: int,
    seed: int,
    threads: int,
) -> Rows:
    from tare.studies._learning import learned_measure

    found = learned_measure(
        features, people, methods=methods, draws=draws, seed=seed, threads=threads
    )
    return [
        {"left_out": gone, "without": label}
        | {k: r[k] for k in ("measure", "level", "coefficient", "value")}
        for r in found.correlations
        if r["measure"].startswith("learned by")
    ]


def _add_changes(rows: Rows, keys: tuple[str, ...]) -> None:
    """Add the difference of each value without some assessors from the value with all assessors."""
    whole = {tuple(r[k] for k in keys): r["value"] for r in rows if r["left_out"] == 0}
    for row in rows:
        row["change"] = row["value"] - whole[tuple(row[k] for k in keys)]


def _differences(manual: Scores, automatic: Scores, table: Scores | None) -> tuple[Rows, Rows]:
    """Return manual minus automatic scores, by the assessor of the item and by item."""
    scored = set(automatic.systems)
    systems = [s for s in manual.systems if s in scored]
    items = sorted(set(manual.items) & set(automatic.items))
    if not systems or not items:
        raise MismatchError(
            "the manual and automatic scores have no system or no item in common. They are matched by id."
        )
    x, y = (t.select(systems=systems, items=items).matrix() for t in (manual, automatic))
    asked: dict[str, Any] = {}
    for holder in (table, automatic, manual):
        if holder is not None and "assessor" in holder.attributes:
            column = holder.attributes["assessor"]
            asked |= {i: a for i, a in zip(holder.items, column, strict=True) if a is not None}
    if not asked:
        raise MismatchError(
            "the assessor of each item is unknown. Add the item attribute 'assessor' to a table."
        )
    made: Rows = []
    single: Rows = []
    for assessor in sorted({str(a) for a in asked.values()}):
        own = np.array([str(asked.get(i)) == assessor for i in items])
        if not own.any():
            continue
        gaps = (x - y)[:, own]
        known = gaps[~np.isnan(gaps)]
        if not len(known):
            continue
        judged = [(items[k], g) for k, g in zip(np.flatnonzero(own), gaps.T, strict=True)]
        means = {name: float(np.nanmean(g)) for name, g in judged if not np.isnan(g).all()}
        single += [
            {"assessor": assessor, "item": name, "difference": mean} for name, mean in means.items()
        ]
        by_item = np.array(list(means.values()))
        low, high = mean_intervals(by_item[None, :], method="t")[0].tolist()
        # One item has no interval, nor have items that are all alike.
        varies = high - low > 1e-9 * max(float(np.abs(known).max()), 1e-300)
        made.append(
            {
                "assessor": assessor,
                "items": int(own.sum()),
                "outputs": len(known),
                "mean": float(known.mean()),
                "deviation": float(known.std(ddof=1)) if len(known) > 1 else float("nan"),
                "low": low if varies else None,
                "high": high if varies else None,
            }
        )
    return made, single
