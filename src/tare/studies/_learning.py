"""The study of learned measures: predict human scores from features, and test on held-out outputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._decide.journal import Journal, digest
from tare._kernels import stream_ids
from tare._kernels.statistics import correlations
from tare._kernels.threads_and_blocks import seams
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare._measures.text.learned import LearnedModel
from tare._result import MultiTableResult, Row, Rows, RowsByName
from tare._signature import Signature
from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.errors import MismatchError, OptionError, choose
from tare.stats._correlation import COEFFICIENTS, WITH_PEOPLE
from tare.stats._paired_differences import rounded, rounded_rows
from tare.stats._randomisation import check_draws
from tare.stats._regression import FITS, SCALES, Fits, all_subsets, fit_subsets, subset_of
from tare.studies._people_correlations import (
    CorrelationRow,
    GapRow,
    SideBySide,
    correlation_rows,
    gap_rows,
    is_known,
)

__all__ = [
    "PROTOCOLS",
    "SELECT_LEVELS",
    "LearnedMeasures",
    "Outputs",
    "Split",
    "chosen_fit",
    "final_fit",
    "final_split",
    "halves",
    "learned_measure",
    "quality",
    "splits_of",
    "tested_fold",
]


# The data of learned measures: features and human scores of outputs, and their splits.


Floats = NDArray[np.float64]
Places = NDArray[np.int64]
PROTOCOLS = ("items", "systems", "years", "leave-one-out")
MIN_OUTPUTS = 10  # to train or to choose a subset


@dataclass(frozen=True, eq=False)
class Outputs:
    """Data to learn a measure from: one row per output (system and item), with all features and human scores."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    features: tuple[str, ...]
    people: tuple[str, ...]
    system: Places
    item: Places
    x: Floats
    y: Floats
    groups: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, features: Scores, human: Scores, target: str | None, by: str | None = None
    ) -> Outputs:
        """Align tables of features and human scores by id; notes count the outputs skipped for a missing value."""
        rated = set(human.systems)
        systems = [s for s in features.systems if s in rated]
        items = sorted(set(features.items) & set(human.items))
        if len(systems) < 2 or len(items) < 2:
            raise MismatchError(
                f"features and human scores have {len(systems)} systems and {len(items)} items in "
                "common, but at least 2 of each are needed. They are matched by id."
            )
        people = list(human.measure_names)
        if target is not None:
            first = human.select(measures=[target]).measure_names[0]
            people = [first, *(p for p in people if p != first)]
        both = set(people) & set(features.measure_names)
        if both:
            raise MismatchError(
                f"{min(both)!r} is both a feature and a human score. Rename one of them."
            )
        one = features.select(systems=systems, items=items)
        other = human.select(systems=systems, items=items, measures=people)
        known = np.isfinite(one.values).all(axis=2) & np.isfinite(other.values).all(axis=2)
        s, i = np.nonzero(known)
        if len(s) < MIN_OUTPUTS:
            raise MismatchError(
                f"{len(s)} outputs have all features and human scores, but at least {MIN_OUTPUTS} are needed."
            )
        notes = []
        if not known.all():
            gone = int((~known).sum())
            notes.append(f"{gone:,} outputs without a feature or a human score were skipped.")
        groups: tuple[Any, ...] = ()
        if by is not None:
            holder = other if by in other.attributes else one
            holder.filter(by, None)  # raises an error that lists the attributes
            groups = holder.attributes[by]
        return cls(
            tuple(systems),
            tuple(items),
            features.measure_names,
            tuple(people),
            s.astype(np.int64),
            i.astype(np.int64),
            one.values[s, i],
            other.values[s, i],
            groups,
            tuple(notes),
        )

    def __len__(self) -> int:
        return len(self.x)

    def table(self, values: Floats) -> Floats:
        """Return values by output as a matrix of systems × items for the learned measure; missing outputs are NaN."""
        made = np.full((len(self.systems), len(self.items)), np.nan)
        made[self.system, self.item] = values
        return made


@dataclass(frozen=True, eq=False)
class Split:
    """Outputs for training a learned measure, for choosing a subset of features, and for testing."""

    name: str
    train: Places
    select: Places
    test: Places


def _shuffled(names: Sequence[str], seed: int, salt: str) -> list[int]:
    """Return a random order of items or systems to split that depends on the names and the seed, not on their positions."""
    keys = stream_ids([f"{seed}\t{salt}\t{name}" for name in names])
    return sorted(range(len(names)), key=lambda k: (int(keys[k]), names[k]))


def halves(
    data: Outputs, rows: Places, seed: int, salt: str, *, systems: bool = False
) -> tuple[Places, Places]:
    """Split the outputs to learn from into halves by item (or by system), so that no item is in both."""
    column, names = (data.system, data.systems) if systems else (data.item, data.items)
    known = np.unique(column[rows])
    order = _shuffled([names[k] for k in known], seed, salt)
    inside = np.isin(column[rows], known[order[: (len(known) + 1) // 2]])
    return rows[inside], rows[~inside]


def splits_of(data: Outputs, protocol: str, folds: int, seed: int) -> list[Split]:
    """Return the splits of a protocol of learning; held-out data are never used for training or selection.

    "items" holds out folds of items (one by one if folds=0) and splits the others into halves for
    training and selection. "systems" does the same with systems. "years" uses every three consecutive
    values of the attribute for training, selection and testing. "leave-one-out" holds out each value
    of the attribute.
    """
    choose("protocol", protocol, PROTOCOLS)
    every = np.arange(len(data))
    made: list[Split] = []
    if protocol in ("years", "leave-one-out"):
        if not data.groups:
            raise OptionError(
                f"protocol={protocol!r} needs by=, the name of an attribute of the items."
            )
        values = sorted({g for g in data.groups if g is not None}, key=lambda g: (str(type(g)), g))
        column = np.array([values.index(g) if g is not None else -1 for g in data.groups])[
            data.item
        ]
        needed = 3 if protocol == "years" else 2
        if len(values) < needed:
            raise OptionError(
                f"protocol={protocol!r} needs at least {needed} values of by=; found {len(values)}."
            )
        if protocol == "years":
            for k in range(len(values) - 2):
                parts = [every[column == k + step] for step in range(3)]
                made.append(Split(f"{values[k]} → {values[k + 1]} → {values[k + 2]}", *parts))
        else:
            for k, value in enumerate(values):
                rest = every[(column != k) & (column >= 0)]
                made.append(
                    Split(f"{value}", *halves(data, rest, seed, str(value)), every[column == k])
                )
    else:
        names = data.items if protocol == "items" else data.systems
        column = data.item if protocol == "items" else data.system
        count = folds or len(names)
        if not 2 <= count <= len(names):
            raise OptionError(
                f"folds={folds} is not valid. {len(names)} {protocol} allow 2 to {len(names)} folds, or "
                "0 for one each."
            )
        order = _shuffled(names, seed, "folds")
        for fold in range(count):
            held = np.array(order[fold::count])
            out = np.isin(column, held)
            label = ", ".join(names[int(k)] for k in held[:3]) + (", …" if len(held) > 3 else "")
            rest = halves(data, every[~out], seed, f"fold {fold}", systems=protocol == "systems")
            made.append(Split(label, *rest, every[out]))
    for split in made:
        if min(len(split.train), len(split.select)) < MIN_OUTPUTS or not len(split.test):
            raise MismatchError(
                f"{split.name}: too few outputs: {len(split.train)} for training, {len(split.select)} "
                f"for selection and {len(split.test)} for testing. Training and selection need at "
                f"least {MIN_OUTPUTS} each, and testing 1."
            )
    return made


# Choose the subset of features whose fit correlates best with people on other data.


SELECT_LEVELS = ("system", "item", "output")


def quality(data: Outputs, rows: Places, fits: Fits, level: str, kind: str) -> Floats:
    """Return the correlation of each learned measure's predictions with people; NaN if undefined.

    Level "system" correlates system means, "item" the systems on one item, averaged over items, and
    "output" all rows.
    """
    x, y = data.x[rows], data.y[rows, 0]
    if level == "system":
        # Predictions are linear: their mean is the prediction of the mean.
        known, place = np.unique(data.system[rows], return_inverse=True)
        counts = np.bincount(place)
        sums = np.zeros((len(known), x.shape[1]))
        np.add.at(sums, place, x)
        predicted = fits.predict(sums / counts[:, None])
        return _correlated(predicted, np.bincount(place, y) / counts, kind)
    if level == "output":
        return _correlated(fits.predict(x), y, kind)
    total, count = np.zeros(len(fits.masks)), np.zeros(len(fits.masks))
    for item in np.unique(data.item[rows]):
        own = data.item[rows] == item
        if own.sum() > 1:
            found = _correlated(fits.predict(x[own]), y[own], kind)
            total += np.nan_to_num(found)
            count += ~np.isnan(found)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _correlated(predicted: Floats, y: Floats, kind: str) -> Floats:
    """Return the correlation of each column of predictions with human scores; NaN for constant columns."""
    if kind == "pearson":  # all columns at once
        centred = predicted - predicted.mean(axis=0)
        target = y - y.mean()
        below = np.sqrt((centred**2).sum(axis=0) * (target**2).sum())
        size = np.abs(predicted).max(axis=0, initial=1e-300)
        flat = np.sqrt((centred**2).mean(axis=0)) <= 1e-12 * size
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(flat, np.nan, (target @ centred) / below)
    found = np.empty(predicted.shape[1])
    step = max(1, seams().resampled_cells // (10 * len(y)))
    for start in range(0, len(found), step):
        part = rounded_rows(predicted[:, start : start + step].T)
        found[start : start + step] = correlations(part, np.tile(rounded(y), (len(part), 1)), kind)
    return found


def chosen_fit(
    data: Outputs,
    train: Places,
    select: Places,
    again: Places,
    masks: NDArray[np.int64],
    *,
    method: str,
    level: str,
    kind: str,
    ridge: float,
    threads: int,
    scale: str = "published",
) -> tuple[int, float, Fits]:
    """Train every subset of features, choose the best on `select`, and refit it on `again`.

    Return its mask, its correlation on `select`, and the new fit. Among equally good subsets the
    smallest is chosen.
    """

    def fitted(rows: Places, subsets: NDArray[np.int64]) -> Fits:
        y = data.y[rows] if method == "cca" else data.y[rows, 0]
        return fit_subsets(
            data.x[rows], y, subsets, method=method, ridge=ridge, scale=scale, threads=threads
        )

    found = np.nan_to_num(quality(data, select, fitted(train, masks), level, kind), nan=-2.0)
    best = np.flatnonzero(found >= found.max() - 1e-9)
    sizes = np.array([bin(int(m)).count("1") for m in masks[best]])
    place = int(best[np.lexsort((masks[best], sizes))[0]])
    mask = int(masks[place])
    return mask, float(found[place]), fitted(again, np.array([mask], dtype=np.int64))


# Fits of a learned measure: on each fold, tested on what is held out, and on all outputs.


def _again(split: Split, refit: str) -> Any:
    """Return the outputs on which the chosen subset of features is fitted again."""
    return split.select if refit == "select" else np.concatenate([split.train, split.select])


def tested_fold(
    data: Outputs, split: Split, masks: Any, method: str, refit: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Choose and fit a subset of features to people's scores, and test it on the outputs that were held out."""
    mask, selected, fit = chosen_fit(
        data, split.train, split.select, _again(split, refit), masks, method=method, **options
    )
    tested = quality(data, split.test, fit, options["level"], options["kind"])
    return {
        "features": [data.features[j] for j in subset_of(mask, len(data.features))],
        "selected": selected,
        "tested": float(tested[0]),
        "outputs": len(split.test),
        "intercept": float(fit.intercepts[0]),
        "weights": _weights(data, fit, mask, _again(split, refit)),
        "predicted": fit.predict(data.x[split.test])[:, 0].tolist(),
    }


def final_split(data: Outputs, protocol: str, splits: list[Split], seed: int) -> Split:
    """Return the split of the final learned measure, which holds out nothing."""
    if protocol == "years":  # the last two years
        return Split("all", splits[-1].select, splits[-1].test, splits[-1].test)
    every = np.arange(len(data))
    first, second = halves(data, every, seed, "final", systems=protocol == "systems")
    return Split("all", first, second, every)


def final_fit(
    data: Outputs, split: Split, masks: Any, method: str, refit: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Choose and fit the final subset of features."""
    again = _again(split, refit)
    mask, _, fit = chosen_fit(
        data, split.train, split.select, again, masks, method=method, **options
    )
    return {"intercept": float(fit.intercepts[0]), "weights": _weights(data, fit, mask, again)}


def _weights(data: Outputs, fit: Fits, mask: int, rows: Any) -> Rows:
    """Return the chosen features of a learned measure with plain and standardised coefficients."""
    spread = data.x[rows].std(axis=0)
    return [
        {
            "feature": data.features[j],
            "coefficient": float(fit.coefficients[0, j]),
            "standardised": float(fit.coefficients[0, j] * spread[j]),
            "turned": bool(fit.flipped[j] < 0),
        }
        for j in subset_of(mask, len(data.features))
    ]


# The result of the study of learned measures.


@dataclass(frozen=True, eq=False, repr=False)
class LearnedMeasures(MultiTableResult):
    """Learned measures and their correlations with people on held-out outputs.

    Attributes
    ----------
    correlations, chosen, coefficients, gaps, tested_coefficients : list of dict
        Correlations; chosen features; coefficients of the final models; human and measured means of
        systems; coefficients of the tested models.
    models : dict of str to LearnedModel
        The final model of each method, fitted to all data.
    features, people : tuple of str
        The features and the human scores; the first human score is the target.
    outputs, subsets : int
        Number of outputs, and of subsets of features.
    protocol, level, kind, refit : str
        How outputs were held out, and how subsets were chosen and refitted.
    draws, seed : int
        Number of resamples, and their seed.
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
    >>> cells = [(f"s{s}", f"i{i:02}", s, (i * 7 + s * 3) % 11) for s in range(4) for i in range(20)]
    >>> rows = [(s, i, a + b, b, a) for s, i, a, b in cells]
    >>> frame = pl.DataFrame(rows, schema=["system", "item", "f1", "f2", "overall"], orient="row")
    >>> features, human = (tare.Scores.load(frame.drop(x)) for x in ("overall", ["f1", "f2"]))
    >>> found = tare.studies.learned_measure(features, human, methods=["ridge"], ridge=0.0, draws=100)
    >>> found.outputs, found.features, list(found.models)
    (80, ('f1', 'f2'), ['ridge'])
    """

    correlations: list[CorrelationRow]
    chosen: Rows
    coefficients: Rows
    gaps: list[GapRow]
    models: dict[str, LearnedModel]
    features: tuple[str, ...]
    people: tuple[str, ...]
    outputs: int
    protocol: str
    level: str
    kind: str
    refit: str
    subsets: int
    draws: int
    confidence: float
    seed: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()
    tested_coefficients: Rows = field(default_factory=list)

    def model(self, method: str = "robust") -> LearnedModel:
        """Return the final model of a method.

        Parameters
        ----------
        method : str
            A key of `models`.

        Returns
        -------
        LearnedModel
            The model. Its method ``save(path)`` writes a file for the measure ``Learned(path=…)``.

        Raises
        ------
        OptionError
            If the method was not used.
        """
        if method not in self.models:
            raise OptionError(
                f"method={method!r} was not used. Accepted: {', '.join(self.models)}."
            )
        return self.models[method]

    def all_rows(self) -> RowsByName:
        """Return the rows by name: correlations, chosen, coefficients, tested_coefficients, gaps."""
        listed = [r | {"features": " + ".join(r["features"])} for r in self.chosen]
        return {
            "correlations": self.correlations,
            "chosen": listed,
            "coefficients": self.coefficients,
            "tested_coefficients": self.tested_coefficients,
            "gaps": self.gaps,
        }

    def headlines(self) -> list[str]:
        """Return the highest correlation with people of learned measures and of single features."""
        sentences = []
        for level in ("system", "item"):
            own = [
                r
                for r in self.correlations
                if r["level"] == level and r["coefficient"] == self.kind and is_known(r["value"])
            ]
            for learned, word in ((True, "learned measures"), (False, "single features")):
                rows = [r for r in own if r["measure"].startswith("learned by") == learned]
                if rows:
                    best = max(rows, key=lambda r: r["value"])
                    sentences.append(
                        f"On held-out outputs, {COEFFICIENTS[self.kind].title} with {self.people[0]} at the {level} "
                        f"level ({best['peers']}) is at most {best['value']:.2f} for {word} ({best['measure']})."
                    )
        if sentences:
            sentences.append("Whether these measures differ was not tested.")
        return sentences

    def answer(self) -> str:
        """Return the highest correlation of a learned measure with people."""
        found = self.headlines()
        return f"{found[0]} {found[-1]}" if found else "No correlation with people is defined."

    def facts(self) -> Row:
        """Return the options, the target, the number of outputs, signatures and notes."""
        names = ("protocol", "level", "kind", "refit", "subsets", "draws", "confidence", "seed")
        return {n: getattr(self, n) for n in names} | {
            "human": self.people[0],
            "outputs": self.outputs,
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Return correlations on held-out outputs, chosen features, and coefficients."""
        keys = ("system", "item")
        measures = dict.fromkeys((r["peers"], r["measure"]) for r in self.correlations)
        by = {
            (r["peers"], r["measure"], r["level"], r["coefficient"]): r for r in self.correlations
        }
        columns: list[Column | str] = ["peers", "measure"]
        for level in keys:
            columns += [
                Column(f"{level} {self.kind}"),
                Column(f"{level} low"),
                Column(f"{level} high"),
            ]
        rows = []
        for peers, measure in measures:
            row: list[Cell] = [peers, measure]
            for level in keys:
                found = by[peers, measure, level, self.kind]
                row += [found["value"], found["low_both"], found["high_both"]]
            rows.append(row)
        notes = [
            f"Human score: {self.people[0]}. Held out: {self.protocol}. All {self.subsets:,} subsets of "
            f"{len(self.features)} features were trained on one part of the data. The best subset was "
            f"chosen on a second part by {self.kind} at {self.level} level, refitted ({self.refit}), and "
            f"tested on {self.outputs:,} held-out outputs.",
            f"{100 * self.confidence:g} % intervals over systems and items, {self.draws:,} draws, seed "
            f"{self.seed}. Single features need no training.",
            *self.notes,
        ]
        made = {
            "correlations": Table.of(
                columns,
                rows,
                title="Learned measures and single features: correlation with people",
                notes=notes,
            )
        }
        made["chosen"] = Table.of_rows(
            ["held out", "method", "features", Column("selected"), Column("tested")],
            self.all_rows()["chosen"],
            title="Chosen features",
            notes=[
                "selected: correlation on the part used to choose the subset, which is too high. "
                "tested: correlation on the held-out part; undefined (–) for a single system."
            ],
        )
        made["coefficients"] = Table.of_rows(
            ["method", "feature", Column("coefficient"), Column("standardised"), Column("chosen")],
            self.coefficients,
            title="Coefficients",
            notes=[
                "Coefficients of the final measures. standardised: per standard deviation of the "
                "feature. chosen: share of tests in which the chosen subset has the feature."
            ],
        )
        made["tested coefficients"] = Table.of_rows(
            ["held out", "method", "feature", Column("coefficient"), Column("standardised")],
            self.tested_coefficients,
            title="Coefficients of the tested models",
            notes=["Coefficients of the model that predicted the held-out part, such as a year."],
        )
        return made


# The study of learned measures: fit all subsets of features, and test on held-out outputs.
#
# Rankel (2016, ch. 5): train on one part, choose and refit on a second, test on a third.


REFITS = ("select", "both")


def learned_measure(
    features: ScoreSource,
    human: ScoreSource,
    *,
    target: str | None = None,
    methods: Sequence[str] = FITS,
    protocol: str = "items",
    by: str | None = None,
    folds: int = 5,
    level: str = "output",
    kind: str = "pearson",
    refit: str = "select",
    ridge: float = 1.0,
    scale: str = "published",
    models: Sequence[str] = (),
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> LearnedMeasures:
    """Learn to predict a human score from features, and test the prediction on held-out outputs.

    Reported correlations are those of outputs that were used neither for training nor for choosing
    features.

    Parameters
    ----------
    features, human : Scores, path or data frame
        Score tables, matched by id. Every measure of `features` is a feature.
    target : str, optional
        The human score to predict; by default the first. The method "cca" uses all human scores.
    methods : sequence of str
        How to fit: "robust", "nnls", "ridge" or "cca".
    protocol : {"items", "systems", "years", "leave-one-out"}
        What is held out: folds of items or of systems, the last of three consecutive values of the
        attribute `by`, or each value of it.
    by : str, optional
        The attribute of the items for "years" and "leave-one-out".
    folds : int
        Number of folds; 0 holds out one item or system at a time.
    level : {"output", "item", "system"}
        The level of the correlation that chooses a subset. The published level is "system", but a
        dozen systems are few to choose among thousands of subsets.
    kind : {"pearson", "spearman", "tau_b"}
        The coefficient of this correlation.
    refit : {"select", "both"}
        Refit the chosen subset on the part used for choosing, as published, or on both parts.
    ridge : float
        Penalty of ridge regression.
    scale : {"published", "matlab"}
        Scale estimate of robust regression.
    models : sequence of str
        Systems that are human authors, for the gap between people and machines.
    draws : int
        Number of resamples behind the intervals.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Seed of splits and random draws.
    threads : int
        Number of threads; 0 uses all cores.
    progress : callable, optional
        Called with a short description of each step.
    journal : path, optional
        A file of finished steps, from which an interrupted study continues.

    Returns
    -------
    LearnedMeasures
        Correlations on held-out outputs, chosen features, and the final models.

    Raises
    ------
    OptionError
        If an option is unknown or out of range.
    MismatchError
        If too few outputs have all features and human scores.

    Examples
    --------
    >>> import polars as pl
    >>> cells = [(f"s{s}", f"i{i:02}", s, (i * 7 + s * 3) % 11) for s in range(4) for i in range(20)]
    >>> features = pl.DataFrame(
    ...     [(s, i, m, x) for s, i, a, b in cells for m, x in (("f1", a + b), ("f2", b))],
    ...     schema=["system", "item", "measure", "value"], orient="row",
    ... )
    >>> human = pl.DataFrame(
    ...     [(s, i, "overall", a) for s, i, a, _ in cells],
    ...     schema=["system", "item", "measure", "value"], orient="row",
    ... )
    >>> found = learned_measure(features, human, methods=["ridge"], ridge=0.0, draws=100)
    >>> found.model("ridge").features
    ('f1', 'f2')
    """
    one = scores_of(features)
    other = scores_of(human)
    for method in methods:
        choose("methods", method, FITS)
    choose("level", level, SELECT_LEVELS)
    choose("kind", kind, WITH_PEOPLE)
    choose("refit", refit, REFITS)
    choose("scale", scale, SCALES)
    check_draws(draws, seed)
    if not methods:
        raise OptionError(f"methods= is empty. Name at least one of {', '.join(FITS)}.")
    if ridge < 0:
        raise OptionError(f"ridge={ridge} is not valid. It must be 0 or greater.")
    data = Outputs.of(one, other, target, by)
    masks = all_subsets(len(data.features))
    splits = splits_of(data, protocol, folds, seed)
    about = {
        "study": "learned measure",
        "data": digest(one, other, data.people, data.groups),
        "options": digest(
            tuple(methods),
            protocol,
            by,
            folds,
            level,
            kind,
            refit,
            ridge,
            tuple(models),
            draws,
            confidence,
            seed,
            scale,
        ),
    }
    record = Journal(journal, about)
    notify = progress or (lambda _: None)
    options = {"level": level, "kind": kind, "ridge": ridge, "threads": threads, "scale": scale}
    predicted = {m: np.full(len(data), np.nan) for m in methods}
    chosen: Rows = []
    used: Rows = []  # coefficients of the tested models
    for split in splits:
        for method in methods:
            notify(f"{split.name}: {method}")
            found = record.step(
                f"{split.name}\t{method}",
                lambda split=split, method=method: tested_fold(
                    data, split, masks, method, refit, options
                ),  # type: ignore[misc]
            )
            predicted[method][split.test] = found["predicted"]
            named = {"held_out": split.name, "method": method}
            summary = {
                k: v for k, v in found.items() if k not in ("predicted", "weights", "intercept")
            }
            chosen.append(named | summary)
            used.append(named | {"feature": "(intercept)", "coefficient": found["intercept"]})
            used += [named | row for row in found["weights"]]
    final: dict[str, LearnedModel] = {}
    weights: Rows = []
    last = final_split(data, protocol, splits, seed)
    kept_refit = refit if protocol == "years" else "both"  # no part is held out here
    for method in methods:
        notify(f"all: {method}")
        rows = record.step(
            f"final\t{method}",
            lambda method=method: final_fit(data, last, masks, method, kept_refit, options),  # type: ignore[misc]
        )
        kept = [r for r in rows["weights"] if r["coefficient"] != 0] or rows["weights"][:1]
        final[method] = LearnedModel(
            tuple(r["feature"] for r in kept),
            tuple(r["coefficient"] for r in kept),
            rows["intercept"],
            data.people[0],
            {
                "method": method,
                "protocol": protocol,
                "level": level,
                "coefficient": kind,
                "outputs": len(data),
                "seed": seed,
                "features": list(data.features),
            },
        )
        times = [r for r in chosen if r["method"] == method]
        for r in rows["weights"]:
            share = sum(r["feature"] in c["features"] for c in times) / len(times)
            weights.append({"method": method} | r | {"chosen": share})
    tested = _side_by_side(data, predicted, models)
    correlations: list[CorrelationRow] = []
    for peers, places in tested.peers(data.people[0]).items():
        for measure in tested.measures:
            notify(f"{peers}: {measure}")
            correlations += record.step(
                f"correlations\t{peers}\t{measure}",
                lambda peers=peers, places=places, measure=measure: correlation_rows(  # type: ignore[misc]
                    tested,
                    data.people[0],
                    peers,
                    places,
                    measure,
                    draws=draws,
                    confidence=confidence,
                    seed=seed,
                    threads=threads,
                ),
            )
    gaps = gap_rows(tested, data.people[0], [f"learned by {m}" for m in methods])
    return LearnedMeasures(
        correlations,
        chosen,
        weights,
        gaps,
        final,
        data.features,
        data.people,
        len(data),
        protocol,
        level,
        kind,
        refit,
        len(masks),
        draws,
        confidence,
        seed,
        (*one.signatures, *other.signatures),
        data.notes,
        used,
    )


def _side_by_side(data: Outputs, predicted: dict[str, Any], models: Sequence[str]) -> SideBySide:
    """Return learned predictions and features of the tested outputs, aligned with human scores."""
    known = ~np.isnan(next(iter(predicted.values())))
    measured = {f"learned by {m}": data.table(v) for m, v in predicted.items()}
    for j, feature in enumerate(data.features):
        measured[feature] = data.table(np.where(known, data.x[:, j], np.nan))
    judged = {data.people[0]: data.table(np.where(known, data.y[:, 0], np.nan))}
    unknown = [m for m in models if m not in data.systems]
    if unknown:
        raise OptionError(f"models={unknown[0]!r} is not a system of the tables.")
    return SideBySide(
        data.systems,
        data.items,
        tuple(measured),
        (data.people[0],),
        measured,
        judged,
        tuple(models),
    )
