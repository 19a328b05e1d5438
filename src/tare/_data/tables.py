"""Tables: a path, data frame, dictionary or rows becomes columns with known roles, each row with its place for messages.

A row of a CSV, TSV or JSON-lines file has the number of its line, as an editor shows it; rows of other
sources are numbered from 1. An id is a text or a number and never empty; the text NA is an id like any
other. A value may be missing: it is empty, NA, NaN or null.
"""

from __future__ import annotations

import numbers
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.columns import COLUMNS, Chosen, as_chosen, column_of, recognise
from tare._data.formats.jsonl import objects
from tare._data.recognised_files import told_apart
from tare._data.table_files import Lines, TableFile, table_in
from tare._files.opening import name_of, read_all
from tare._plain_text import LONE_SURROGATE, has_lone_surrogate
from tare.errors import MAX_REPORTED, FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "MISSING",
    "InputTable",
    "Layout",
    "frame_of_columns",
    "frame_of_records",
    "has_field",
    "ids_of",
    "is_blank",
    "is_columns",
    "is_frame",
    "is_list",
    "is_missing",
    "is_number",
    "missing_values",
    "numbers_of",
    "read_table",
    "records_of",
    "refuse_types",
    "rows_of",
    "text_of",
    "to_polars",
]

MOST_COLUMNS = 1000  # of a dictionary of columns

MISSING = frozenset(("", "na", "n/a", "nan", "null"))
"""The texts that mean a missing value, in lower case."""


# Tables, and what readers need of them.


@dataclass(frozen=True)
class Layout:
    """What a reader needs of a table.

    Attributes
    ----------
    what : str
        The name of the contents in messages, such as "preferences".
    roles : tuple of str
        The roles of the columns that a table must have, and of the cells of plain rows, in their order.
    more : tuple of str
        The roles of columns that it may have.
    nested : str
        The shape of a dictionary whose levels are the roles, such as "{query: {document: grade}}".
    lists : bool
        Whether the innermost level of such a dictionary is a list, with one row per element.
    accepted : str
        The sources that are accepted besides a path and a data frame.
    """

    what: str
    roles: tuple[str, ...]
    more: tuple[str, ...] = ()
    nested: str = ""
    lists: bool = False
    accepted: str = ""


@dataclass(frozen=True, eq=False)
class InputTable:
    """A table whose columns have roles, and the place of each row. Made by `rows_of` and `read_table`."""

    name: str
    frame: pl.DataFrame
    lines: Lines = 1
    columns: Mapping[str, str] = field(default_factory=dict)
    unit: str = "row"

    def __len__(self) -> int:
        return self.frame.height

    def line(self, row: int) -> int:
        """Return the number of a row of the input table, such as its line; `row` counts from 0."""
        return self.lines + row if isinstance(self.lines, int) else int(self.lines[row])

    @property
    def line_numbers(self) -> NDArray[np.int64]:
        """The number of each row."""
        found = self.lines + np.arange(len(self)) if isinstance(self.lines, int) else self.lines
        return found.astype(np.int64)

    def place(self, row: int) -> str:
        """Return the place of a row in the source of an input table, such as "row 2"."""
        return f"{self.unit} {self.line(row)}"

    def where(self, row: int) -> str:
        """Return the source of an input table and the place of a row for messages, such as "run.csv, row 2"."""
        return f"{self.name}, {self.place(row)}"

    def series(self, role: str) -> pl.Series:
        """Return the column of an input table that has a role, as it is."""
        return self.frame[self.columns[role]]

    def ids(self, role: str) -> pl.Series:
        """Return the column of a role in an input table as text; raise an error if an id is empty or missing."""
        column = self.series(role)
        if not _holds_ids(column.dtype):
            raise FormatError(
                f"{self.name}: the column {column.name!r} holds {column.dtype}; ids must be text or numbers."
            )
        found = self.as_text(column)
        self.refuse_missing(found, role)
        return found

    def as_text(self, column: pl.Series) -> pl.Series:
        """Return a column of an input table as text; raise an error if it holds lists, or bytes that are not UTF-8."""
        import polars as pl

        try:
            return ids_of(column)
        except pl.exceptions.PolarsError:
            raise FormatError(
                f"{self.name}: the column {column.name!r} holds {column.dtype} that is not text; "
                "ids must be text or numbers."
            ) from None

    def refuse_missing(self, ids: pl.Series, role: str) -> None:
        """Raise one error for all rows of an input table whose id is empty or missing."""
        bad = (ids.is_null() | (ids.str.strip_chars() == "")).arg_true()
        raise_all(
            [f"{self.where(int(row))}: the {role} is missing." for row in bad[:MAX_REPORTED]],
            len(bad),
        )

    def texts(self, role: str) -> list[str | None]:
        """Return the cells of a role in an input table as text, None where one is missing."""
        if role not in self.columns:
            return [None] * len(self)
        return [
            None if is_missing(cell) else cell for cell in self.as_text(self.series(role)).to_list()
        ]

    def values(self, role: str) -> list[Any]:
        """Return the cells of a role in an input table, None where a value is missing; a role without a column has none."""
        if role not in self.columns:
            return [None] * len(self)
        return [None if is_missing(cell) else cell for cell in self.series(role).to_list()]

    def recognised(self, layout: Layout, chosen: Chosen | None = None) -> InputTable:
        """Return the input table with its columns by role; raise an error if a column is missing."""
        with told_apart(self.name, self.frame.columns, layout.what):
            columns = recognise(
                self.frame.columns, layout.roles, self.name, chosen, frame=self.frame
            )
        for role in layout.more:
            named = as_chosen(self.frame.columns, role, chosen, self.name)
            named = named or column_of(self.frame.columns, role, columns.values())
            if named is not None:
                columns[role] = named
        return InputTable(self.name, self.frame, self.lines, columns, self.unit)


def rows_of(source: Any, layout: Layout, chosen: Chosen | None = None) -> InputTable:
    """Read a table from a path, a data frame, a dictionary or rows, and recognise its columns.

    >>> layout = Layout("preferences", ("query", "left", "right", "preferred"), ("assessor",))
    >>> table = rows_of([("q1", "a", "b", "a"), ("q1", "b", "c", "NA", "ann")], layout)
    >>> table.where(1), table.ids("left").to_list(), table.values("preferred")
    ('rows, row 2', ['a', 'b'], ['a', None])
    """
    return _table_of(source, layout, chosen).recognised(layout, chosen)


def _table_of(source: Any, layout: Layout, chosen: Chosen | None) -> InputTable:
    if isinstance(source, str | os.PathLike):
        file = table_in(source)
        if file is None:
            raise FormatError(
                f"{name_of(source)}: {layout.what} are read from .csv, .tsv, .jsonl or .parquet files."
            )
        return read_table(file)
    if is_frame(source):
        return InputTable("data frame", to_polars(source))
    if isinstance(source, Mapping):
        if is_columns(source, layout.roles, chosen):
            return InputTable("dictionary", frame_of_columns(source, "dictionary"))
        if layout.nested:
            columns = _unnested(source, layout)
            return InputTable("dictionary", frame_of_columns(columns, "dictionary"), unit="entry")
    elif isinstance(source, Iterable) and not isinstance(source, bytes | AbstractSet):
        frame = frame_of_records(list(source), layout.roles, layout.more)
        return InputTable("rows", frame)
    accepted = f", {layout.accepted}" if layout.accepted else ""
    raise FormatError(
        f"{layout.what} cannot be read from a {type(source).__name__}. Accepted: a path, a data frame"
        f"{accepted}."
    )


def read_table(file: TableFile, *, marks: bool = True) -> InputTable:
    """Read a file of a table into an input table; its columns have no roles yet."""
    return InputTable(name_of(file.source), *file.read_with_lines(marks=marks))


def records_of(
    file: TableFile, example: str = "query", *, marks: bool = False
) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the number of each row of a table file and its cells by column; those of JSON keep their types.

    `example` is a key of such rows for messages.
    """
    if file.form != "jsonl":
        table = read_table(file, marks=marks)
        return [(table.line(k), row) for k, row in enumerate(table.frame.iter_rows(named=True))]
    data = read_all(file.source)
    if not data.strip():
        raise FormatError(
            f"{name_of(file.source)} is empty. A JSON-lines file has one object per line."
        )
    return list(objects(data, name_of(file.source), example))


def is_columns(
    source: Mapping[Any, Any], roles: Sequence[str], chosen: Chosen | None = None
) -> bool:
    """Return whether a dictionary is {column: values}."""
    if not len(roles) <= len(source) <= MOST_COLUMNS:
        return False
    names = [str(name) for name in source]
    known = all((chosen or {}).get(role) in names or column_of(names, role) for role in roles)
    return known and all(
        is_list(values) and not isinstance(values, AbstractSet) for values in source.values()
    )


def _unnested(source: Mapping[Any, Any], layout: Layout) -> dict[str, list[Any]]:
    """Return the columns of an input table from a dictionary whose levels are the roles."""
    roles = layout.roles

    def rows(value: Any, keys: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        inner = len(keys) == len(roles) - 1
        if inner and (is_list(value) == layout.lists):
            yield from ((*keys, leaf) for leaf in (value if layout.lists else (value,)))
            return
        if inner or not isinstance(value, Mapping):
            place = ", ".join(f"{r} {k!r}" for r, k in zip(roles, keys, strict=False))
            raise FormatError(f"dictionary: {place} does not hold {layout.nested}.")
        for key, below in value.items():
            yield from rows(below, (*keys, key))

    found = list(rows(source, ()))
    return {role: [row[k] for row in found] for k, role in enumerate(roles)}


# Data frames of other libraries.


def is_frame(source: object) -> bool:
    """Return whether an object is a data frame, without importing narwhals."""
    kind = type(source)  # asking a lazy frame for its columns would compute them
    return hasattr(kind, "columns") or hasattr(kind, "__arrow_c_stream__")


def to_polars(source: Any) -> pl.DataFrame:
    """Convert any frame that narwhals supports to polars; the input is not changed."""
    import narwhals as nw

    _refuse_duplicate_columns(source)
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise FormatError(
            f"a {type(source).__name__} is not a supported data frame. Accepted: pandas, polars, Arrow "
            "tables, and other frames that narwhals supports."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    try:
        made: pl.DataFrame = frame.to_polars()
        return made
    except Exception:  # pandas columns that Arrow does not support
        return _by_column(frame)


def _refuse_duplicate_columns(source: Any) -> None:
    """Raise an error if a pandas frame or an Arrow table has two columns of the same name.

    Other frames have unique names, and lazy ones would be computed.
    """
    kind = type(source)
    if hasattr(kind, "iloc") and hasattr(kind, "columns"):
        names = source.columns
    else:
        names = source.column_names if hasattr(kind, "column_names") else ()
    name, count = Counter(map(str, names)).most_common(1)[0] if len(names) else ("", 0)
    if count > 1:
        raise FormatError(
            f"data frame: the column {name!r} appears {count} times. Rename or drop all but one."
        )


def _by_column(frame: Any) -> pl.DataFrame:
    """Convert an input data frame of narwhals to polars column by column; NaN becomes a missing value."""
    import polars as pl

    for name in frame.columns:
        if has_lone_surrogate(str(name)):
            raise FormatError(f"data frame: the column name {name!r} {LONE_SURROGATE}")
    return pl.DataFrame([_column(str(name), frame[name]) for name in frame.columns])


def _column(name: str, column: Any) -> pl.Series:
    """Convert a column of an input data frame. Values without a type become objects, which are rejected if they are needed."""
    import polars as pl

    array = np.asarray(column.to_numpy())
    if array.dtype.kind == "f":
        return pl.Series(name, array.astype(np.float64), nan_to_null=True)
    if array.dtype.kind in "mM":
        return pl.Series(name, array)
    if array.dtype.kind in "iu":
        return pl.Series(name, array.astype(array.dtype.newbyteorder("=")))
    values = [None if _is_none(value) else value for value in column.to_list()]
    if all(value is None or isinstance(value, str) or _is_id(value) for value in values):
        return _series(name, values, "data frame")
    try:
        return pl.Series(name, values)
    except Exception:  # polars has no type for these values
        return pl.Series(name, values, dtype=pl.Object)


# Rows and columns given as Python objects: (named) tuples, dictionaries, and objects with fields.


def is_list(value: object) -> bool:
    """Return whether the value of a table's cell is a list of ids: a list, tuple, set or array."""
    return (
        isinstance(value, list | tuple | AbstractSet | np.ndarray)
        or type(value).__name__ == "Series"
    )


def frame_of_records(
    rows: Sequence[Any],
    roles: Sequence[str],
    more: Sequence[str] = (),
    known: Collection[str] | None = None,
) -> pl.DataFrame:
    """Return an input table's frame of rows, which are all tuples or lists, all dictionaries or all objects.

    Plain tuples have a cell per role, in this order; those of `more` can be missing. Dictionaries and
    objects have the columns whose lower-case names are `known`, by default the spellings of the roles;
    dictionaries without any of these keep all columns.
    """
    if not rows:
        return frame_of_columns({role: [] for role in roles}, "rows")
    first = rows[0]
    kinds = Mapping if isinstance(first, Mapping) else type(first)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, kinds):
            raise FormatError(
                f"rows, row {number}: a {type(row).__name__}, but row 1 is a {type(first).__name__}."
            )
    wanted = known or {spelling for role in (*roles, *more) for spelling in COLUMNS[role]}
    if isinstance(first, Mapping):
        names = dict.fromkeys(str(name) for row in rows for name in row)
        kept = [name for name in names if name.strip().lower() in wanted] or list(names)
        return frame_of_columns({name: [row.get(name) for row in rows] for name in kept}, "rows")
    if isinstance(first, tuple | list):
        fields = getattr(first, "_fields", (*roles, *more))
        least = len(fields) if hasattr(first, "_fields") else len(roles)
        return _of_tuples(rows, tuple(map(str, fields)), least)
    kept = [name for name in sorted(wanted) if has_field(first, name)]
    if not kept:
        shape = ", ".join(roles)
        raise FormatError(
            f"rows, row 1: a {type(first).__name__}; expected ({shape}), a dictionary or an object with "
            "such fields."
        )
    return frame_of_columns({n: [getattr(row, n, None) for row in rows] for n in kept}, "rows")


def _of_tuples(rows: Sequence[Sequence[Any]], fields: tuple[str, ...], least: int) -> pl.DataFrame:
    for number, row in enumerate(rows, 1):
        if not least <= len(row) <= len(fields):
            expected = str(least) if least == len(fields) else f"{least} to {len(fields)}"
            raise FormatError(
                f"rows, row {number}: {len(row)} values; expected {expected}: ({', '.join(fields)})."
            )
    width = max(map(len, rows))
    cells = zip(*((*row, *[None] * (width - len(row))) for row in rows), strict=True)
    return frame_of_columns(dict(zip(fields, map(list, cells), strict=False)), "rows")


def frame_of_columns(columns: Mapping[str, Iterable[Any]], name: str) -> pl.DataFrame:
    """Return an input table's frame of columns given as Python lists; ids of mixed types become text."""
    import polars as pl

    made = [_series(str(column), list(values), name) for column, values in columns.items()]
    lengths = {len(series) for series in made}
    if len(lengths) > 1:
        found = ", ".join(f"{series.name!r} {len(series):,}" for series in made)
        raise FormatError(f"{name}: the columns have different lengths: {found}.")
    return pl.DataFrame(made)


def _series(column: str, values: list[Any], name: str) -> pl.Series:
    import polars as pl

    given = [value for value in values if not _is_none(value)]
    if given and all(map(is_list, given)):
        lists = [None if _is_none(value) else list(value) for value in values]
        if any(isinstance(item, Mapping) for items in lists if items for item in items):
            return _structs(column, lists, name)
        texts = [
            None if items is None else [_text(x, name, row, column) for x in items]
            for row, items in enumerate(lists, 1)
        ]
        return pl.Series(column, texts, dtype=pl.List(pl.String))
    if given and all(map(is_number, given)):
        kinds = {isinstance(value, bool | np.bool_) for value in given}
        whole = all(
            isinstance(value, numbers.Integral) and abs(int(value)) < 2**63 for value in given
        )
        if whole and kinds == {False}:
            return pl.Series(
                column, [None if _is_none(v) else int(v) for v in values], dtype=pl.Int64
            )
        if not any(isinstance(value, numbers.Integral) for value in given):
            return pl.Series(
                column, [None if _is_none(v) else _float(v) for v in values], dtype=pl.Float64
            )
    plain = [_text(v, name, row, column) for row, v in enumerate(values, 1)]
    return pl.Series(column, plain, dtype=pl.String)


def _structs(column: str, lists: list[Any], name: str) -> pl.Series:
    """Return a column of an input table that holds lists of objects, each reduced to a document and a score."""
    import polars as pl

    documents, scores = (*COLUMNS["document"], "id"), COLUMNS["score"]
    out: list[Any] = []
    for row, items in enumerate(lists, 1):
        made = []
        for item in items or []:
            if not isinstance(item, Mapping):
                raise FormatError(
                    f"{name}, row {row}, column {column!r}: expected objects, found {item!r:.60}."
                )
            document = next((item[n] for n in documents if n in item), None)
            score = next((item[n] for n in scores if n in item), None)
            if document is None or not is_number(score):
                raise FormatError(
                    f"{name}, row {row}, column {column!r}: expected a document and a score, as in "
                    f'{{"corpus_id": "d1", "score": 0.5}}; found {item!r:.60}.'
                )
            made.append({"document": _text(document, name, row, column), "score": _float(score)})
        out.append(None if items is None else made)
    kind = pl.List(pl.Struct({"document": pl.String, "score": pl.Float64}))
    return pl.Series(column, out, dtype=kind)


def _text(value: Any, name: str, row: int, column: str) -> str | None:
    if _is_none(value):
        return None
    if isinstance(value, Mapping | list | tuple | AbstractSet):
        raise FormatError(
            f"{name}, row {row}, column {column!r}: an id is a {type(value).__name__}; expected a text or a number."
        )
    text = text_of(value)
    if has_lone_surrogate(text):
        raise FormatError(f"{name}, row {row}, column {column!r}: {text!r} {LONE_SURROGATE}")
    return text


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")  # refused as not finite, with its row


def has_field(value: Any, name: str) -> bool:
    """Return whether an object has a field."""
    try:
        return hasattr(value, name)
    except Exception:  # a property of a foreign object
        return False


# Cells: ids, numbers and missing values.


def is_blank(value: Any) -> bool:
    """Return whether the id in a table's cell is missing: None, NaN or an empty text; the text NA is an id.

    >>> [is_blank(value) for value in (None, float("nan"), " ", "NA", 0)]
    [True, True, True, False, False]
    """
    return not value.strip() if isinstance(value, str) else _is_none(value)


def is_missing(value: Any) -> bool:
    """Return whether the value of a table's cell is missing: None, NaN, or an empty text, NA, NaN or null.

    >>> [is_missing(value) for value in (None, float("nan"), " NA ", "none", 0)]
    [True, True, True, False, False]
    """
    if isinstance(value, str):
        return value.strip().lower() in MISSING
    return _is_none(value)


def _is_none(value: Any) -> bool:
    return (
        value is None
        or (isinstance(value, float | np.floating) and bool(value != value))
        or type(value).__name__ == "NAType"
    )


def is_number(value: Any) -> bool:
    """Return whether the value of a table's cell is a real number or a truth value."""
    decimal = isinstance(value, numbers.Number) and not isinstance(value, numbers.Complex)
    return decimal or isinstance(value, numbers.Real | np.bool_)


def _is_id(value: Any) -> bool:
    return is_number(value) and not isinstance(value, bool | np.bool_)


def text_of(value: Any) -> str:
    """Return the number or text of a table's cell as text; a whole float, which a column with gaps holds, as an integer.

    >>> text_of(3.0), text_of("3.0"), text_of(2.5)
    ('3', '3.0', '2.5')
    """
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole and abs(value) < 2**53 else str(value)


def ids_of(column: pl.Series) -> pl.Series:
    """Return a column of ids of an input table as text. Floats that are all whole become integers; NaN is missing."""
    import polars as pl

    if column.dtype in (pl.Float32, pl.Float64):
        column = column.fill_nan(None)
        if bool(((column == column.round(0)) & (column.abs() < 2**53)).all()):
            column = column.cast(pl.Int64)
    return column.cast(pl.String)


def numbers_of(column: pl.Series) -> pl.Series:
    """Return a column of values of an input table as 64-bit floats; null for cells that are not numbers."""
    import polars as pl

    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)  # the category names, not their codes
    if column.dtype == pl.String:
        column = column.str.strip_chars()
    return column.cast(pl.Float64, strict=False)


def missing_values(column: pl.Series) -> pl.Series:
    """Return which values of a table's column are missing: null, NaN, or an empty text, NA, NaN or null."""
    import polars as pl

    if column.dtype == pl.String:
        return column.is_null() | column.str.strip_chars().str.to_lowercase().is_in(list(MISSING))
    return column.is_null() | (column.is_nan() if column.dtype.is_float() else False)


def _holds_ids(kind: pl.DataType) -> bool:
    import polars as pl

    return kind.is_numeric() or kind in (pl.String, pl.Categorical, pl.Enum, pl.Binary, pl.Null)


def refuse_types(
    frame: pl.DataFrame, ids: Sequence[str], number: str, name: str, value: str
) -> None:
    """Raise an error if a table's column has a type that is neither an id nor a number, such as a date or list."""
    import polars as pl

    kind = frame.schema[number]
    numeric = kind == pl.Boolean or (_holds_ids(kind) and kind != pl.Binary)
    if numeric and all(_holds_ids(frame.schema[column]) for column in ids):
        return
    types = ", ".join(f"{column!r} {frame.schema[column]}" for column in (*ids, number))
    raise FormatError(
        f"{name}: the columns hold {types}; ids must be text or numbers, and the {value} a number."
    )
