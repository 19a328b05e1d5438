"""Scores: the second narrow waist. System × item × measure, with missing cells and a signature.

Rankings, diversity, preferences, summaries and human ratings all end here; statistics, studies and
reports start here and nowhere else.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare.data.findings import Finding
from tare.errors import MeasureError, MismatchError, OptionError, nearest
from tare.kernels import bootstrap_means
from tare.measures.definition import find
from tare.measures.names import parse
from tare.reportable import Reportable
from tare.signature import Signature

if TYPE_CHECKING:
    import polars as pl

    from tare.tables import Table

__all__ = ["Scores"]

FLOOR = 1e-5  # what a geometric mean takes for 0, as in trec_eval
DRAWS = 1000


@dataclass(frozen=True, eq=False)
class Scores(Reportable):
    """A table of scores: `values[system, item, measure]`, NaN where a cell is missing."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[str, ...]
    values: NDArray[np.float64]
    signatures: tuple[Signature, ...]
    findings: tuple[Finding, ...] = ()
    attributes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    errors: NDArray[np.float64] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        shape = (len(self.systems), len(self.items), len(self.measures))
        if self.values.shape != shape:
            raise MismatchError(f"values of shape {self.values.shape} do not fit {shape}.")
        names = {"systems": self.systems, "items": self.items, "measures": self.measures}
        for name, given in names.items():
            if len(set(given)) != len(given):
                twice = next(x for x in given if given.count(x) > 1)
                raise MismatchError(f"{twice!r} stands twice among the {name}; ids must differ.")
        if len(self.signatures) != len(self.measures):
            raise MismatchError(
                f"{len(self.signatures)} signatures for {len(self.measures)} measures."
            )
        self._close()

    def _close(self) -> None:
        """Makes the arrays read-only here; an array that was passed in stays as it was."""
        for name in ("values", "errors"):
            array = getattr(self, name)
            if array is not None:
                view = array.view()
                view.flags.writeable = False
                object.__setattr__(self, name, view)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._close()  # numpy restores pickled arrays as writable

    # Choosing

    def __getitem__(self, measure: Any) -> Scores:
        """The scores of one measure."""
        return self.select(measures=[measure])

    def select(
        self,
        *,
        systems: Sequence[str] | None = None,
        items: Sequence[str] | None = None,
        measures: Sequence[Any] | None = None,
    ) -> Scores:
        """Only these systems, items and measures, in the order given."""
        s = _places(self.systems, systems, "system")
        i = _places(self.items, items, "item")
        wanted = None if measures is None else [self._name(m) for m in measures]
        m = _places(self.measures, wanted, "measure")
        take = np.ix_(s, i, m)
        return replace(
            self,
            systems=tuple(self.systems[k] for k in s),
            items=tuple(self.items[k] for k in i),
            measures=tuple(self.measures[k] for k in m),
            values=self.values[take],
            signatures=tuple(self.signatures[k] for k in m),
            attributes={
                name: tuple(column[k] for k in i) for name, column in self.attributes.items()
            },
            errors=None if self.errors is None else self.errors[take],
        )

    def _name(self, measure: Any) -> str:
        text = str(measure)
        if text in self.measures:
            return text
        try:
            return str(parse(text))
        except MeasureError:
            return text

    def filter(self, attribute: str, value: Any) -> Scores:
        """Only the items with this value of an attribute."""
        if attribute not in self.attributes:
            known = list(self.attributes)
            raise OptionError(
                f"the items have no attribute {attribute!r}; they have: {', '.join(known) or 'none'}."
                f"{nearest(attribute, known)}"
            )
        column = self.attributes[attribute]
        return self.select(items=[x for x, v in zip(self.items, column, strict=True) if v == value])

    def with_attribute(self, name: str, values: Mapping[str, Any]) -> Scores:
        """The same scores with an attribute of the items, given by item id."""
        column = tuple(values.get(item) for item in self.items)
        return replace(self, attributes={**self.attributes, name: column})

    def join(self, other: Scores) -> Scores:
        """Both tables as one, aligned by ids; cells that neither has are missing."""
        systems = tuple(dict.fromkeys(self.systems + other.systems))
        items = tuple(sorted(set(self.items) | set(other.items)))
        measures = tuple(dict.fromkeys(self.measures + other.measures))
        values = np.full((len(systems), len(items), len(measures)), np.nan)
        for part in (self, other):
            place = np.ix_(
                [systems.index(s) for s in part.systems],
                [items.index(i) for i in part.items],
                [measures.index(m) for m in part.measures],
            )
            there = values[place]
            clash = ~np.isnan(there) & ~np.isnan(part.values) & (there != part.values)
            if clash.any():
                s, i, m = (int(k) for k in np.argwhere(clash)[0])
                raise MismatchError(
                    f"both tables have {part.measures[m]} of {part.systems[s]} on "
                    f"{part.items[i]}, with different values. Drop one of them first."
                )
            values[place] = np.where(np.isnan(part.values), there, part.values)
        signatures = dict(zip(other.measures, other.signatures, strict=True))
        signatures |= dict(zip(self.measures, self.signatures, strict=True))
        attributes = {
            name: tuple(
                _lookup(self, name, item, _lookup(other, name, item, None)) for item in items
            )
            for name in {**self.attributes, **other.attributes}
        }
        return Scores(
            systems,
            items,
            measures,
            values,
            tuple(signatures[m] for m in measures),
            tuple(dict.fromkeys((*self.findings, *other.findings, *_differing(self, other)))),
            attributes,
            seed=self.seed,
        )

    # Numbers

    def matrix(self, measure: Any = None) -> NDArray[np.float64]:
        """Systems × items of one measure (the only one, if none is named)."""
        return self._one(measure).values[:, :, 0]

    def _one(self, measure: Any = None) -> Scores:
        chosen = self if measure is None else self[measure]
        if len(chosen.measures) != 1:
            raise OptionError(
                f"the table has {len(chosen.measures)} measures; choose one, as in "
                f"scores[{chosen.measures[0] if chosen.measures else 'nDCG@10'!r}]."
            )
        return chosen

    def means(self) -> dict[str, dict[str, float]]:
        """{system: {measure: mean}}; some measures are summed or have a geometric mean."""
        return {
            system: {
                measure: _aggregate(self.values[s, :, m], _how(measure))
                for m, measure in enumerate(self.measures)
            }
            for s, system in enumerate(self.systems)
        }

    @property
    def mean(self) -> float:
        """The mean, where the table holds one system and one measure."""
        if len(self.systems) != 1 or len(self.measures) != 1:
            raise OptionError(
                f"the table holds {len(self.systems)} systems and {len(self.measures)} measures; "
                "means() has the mean of each, select() chooses one."
            )
        return _aggregate(self.values[0, :, 0], _how(self.measures[0]))

    def counts(self) -> NDArray[np.int64]:
        """Systems × measures: on how many items there is a value."""
        counted: NDArray[np.int64] = (~np.isnan(self.values)).sum(axis=1)
        return counted

    def intervals(
        self, *, confidence: float = 0.95, draws: int = DRAWS, seed: int | None = None
    ) -> NDArray[np.float64]:
        """Systems × measures × (low, high): percentile bootstrap over items; NaN for sums."""
        if not 0 < confidence < 1:
            raise OptionError(f"confidence={confidence} is not possible; it lies between 0 and 1.")
        if draws < 1:
            raise OptionError(f"draws={draws} is not possible; at least 1 is needed.")
        s, i, m = self.values.shape
        rows = self.values.transpose(0, 2, 1).reshape(s * m, i)
        logs = np.array([_how(measure) == "geometric" for measure in self.measures] * s)
        rows = np.where(logs[:, None], np.log(np.maximum(rows, FLOOR)), rows)
        means = bootstrap_means(rows, draws, self.seed if seed is None else seed)
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        ends = np.stack([_quantile(means, tail) for tail in tails], axis=-1).reshape(s, m, 2)
        for k, measure in enumerate(self.measures):
            if _how(measure) == "geometric":
                ends[:, k] = np.exp(ends[:, k])
            elif _how(measure) == "sum":
                ends[:, k] = np.nan
        return ends

    # Out

    @property
    def by_item(self) -> pl.DataFrame:
        """A polars frame: system, item, measure, value; and the items' attributes."""
        return self.to_frame()

    def to_frame(self) -> pl.DataFrame:
        """A polars frame: system, item, measure, value; and the items' attributes."""
        import polars as pl

        s, i, m = self.values.shape
        columns: dict[str, Any] = {
            "system": np.repeat(np.array(self.systems, dtype=object), i * m).tolist(),
            "item": np.tile(np.repeat(np.array(self.items, dtype=object), m), s).tolist(),
            "measure": list(self.measures) * (s * i),
            "value": self.values.reshape(-1),
        }
        for name, column in self.attributes.items():
            columns[name] = [v for v in column for _ in range(m)] * s
        schema = {"system": pl.String, "item": pl.String, "measure": pl.String}
        return pl.DataFrame(columns, schema_overrides=schema).with_columns(
            pl.col("value").fill_nan(None)
        )

    def to_pandas(self) -> Any:
        """The same as a pandas frame."""
        return self.to_frame().to_pandas()

    def to_arrow(self) -> Any:
        """The same as an Arrow table."""
        return self.to_frame().to_arrow()

    def to_dict(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """{system: {measure: {item: value}}}; a missing cell is None."""
        return {
            system: {
                measure: {
                    item: None if math.isnan(v) else float(v)
                    for item, v in zip(self.items, self.values[s, :, m], strict=True)
                }
                for m, measure in enumerate(self.measures)
            }
            for s, system in enumerate(self.systems)
        }

    def to_json(self) -> str:
        """Means, values, signatures and findings as JSON."""
        whole = {
            "means": {
                system: {m: None if math.isnan(v) else v for m, v in means.items()}
                for system, means in self.means().items()
            },
            "values": self.to_dict(),
            "signatures": {m: str(g) for m, g in zip(self.measures, self.signatures, strict=True)},
            "findings": [str(finding) for finding in self.findings],
        }
        return json.dumps(whole, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a Parquet file with the signatures in it."""
        from tare.measures.score_files import save

        save(self, path)

    @staticmethod
    def load(source: Any) -> Scores:
        """Reads what `save` wrote, or any table with the columns system, item, measure, value."""
        from tare.measures.score_files import load

        return load(source)

    def table(self, *, confidence: float = 0.95) -> Table:
        """Means with intervals, one row a system and measure, or one row a system."""
        from tare.measures.score_table import score_table

        return score_table(self, confidence=confidence)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


def _places(known: tuple[str, ...], wanted: Sequence[str] | None, what: str) -> list[int]:
    if wanted is None:
        return list(range(len(known)))
    place = {name: k for k, name in enumerate(known)}
    for name in wanted:
        if name not in place:
            shown = ", ".join(known[:10]) + (", …" if len(known) > 10 else "")
            raise OptionError(
                f"there is no {what} {name!r}; there are: {shown}.{nearest(str(name), known)}"
            )
    return [place[name] for name in wanted]


def _how(measure: str) -> str:
    try:
        definition = find(parse(measure).name)
    except MeasureError:  # a column that somebody else named, such as human ratings
        return "mean"
    return definition.aggregate if definition else "mean"


def _aggregate(values: NDArray[np.float64], how: str) -> float:
    """One number of an item's values; exact sums, so that their order does not matter."""
    present = values[~np.isnan(values)]
    if how == "sum":
        return math.fsum(present)
    if len(present) == 0:
        return math.nan
    if how == "geometric":
        return math.exp(math.fsum(np.log(np.maximum(present, FLOOR))) / len(present))
    return math.fsum(present) / len(present)


def _quantile(rows: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """The quantile of each row, linear between neighbours (np.quantile loads half of NumPy)."""
    place = share * (rows.shape[1] - 1)
    below = int(place)
    ordered = np.sort(rows, axis=1)
    low, high = ordered[:, below], ordered[:, min(below + 1, rows.shape[1] - 1)]
    return np.asarray(low + (place - below) * (high - low))


def _differing(one: Scores, other: Scores) -> list[Finding]:
    """A finding for each measure that the two tables made in different ways."""

    def made(scores: Scores) -> dict[str, dict[str, str]]:
        return {
            signature.measure: {k: v for k, v in signature.facts if k not in ("n", "source")}
            for signature in scores.signatures
        }

    here, there = made(one), made(other)
    return [
        Finding(
            "different signatures",
            f"{measure} was not made alike in the tables that were joined: "
            + ", ".join(
                f"{key} {here[measure].get(key, '–')} and {there[measure].get(key, '–')}"
                for key in sorted({**here[measure], **there[measure]})
                if here[measure].get(key) != there[measure].get(key)
            )
            + ".",
        )
        for measure in here
        if measure in there and here[measure] != there[measure]
    ]


def _lookup(scores: Scores, attribute: str, item: str, default: Any) -> Any:
    if attribute not in scores.attributes or item not in scores.items:
        return default
    value = scores.attributes[attribute][scores.items.index(item)]
    return default if value is None else value
