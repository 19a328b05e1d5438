"""Formats of tables by the suffix of their files, loaded when a file needs them, with their errors as errors of tare."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from tare.errors import DataError, FormatError, TareError, UnreadableError

__all__ = ["HEADED", "TABLES", "guarded"]


# Formats of tables by the suffix of their files; a format is loaded when a file needs it.


HEADED = (".csv", ".tsv")  # their first line is a header

_FORMATS = {
    **dict.fromkeys(HEADED, "delimited"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
}


class _Formats(Mapping[str, Any]):
    """The module of each suffix."""

    def __getitem__(self, suffix: str) -> Any:
        return import_module(f"tare._data.formats.{_FORMATS[suffix]}")

    def __contains__(self, suffix: object) -> bool:
        return suffix in _FORMATS

    def __iter__(self) -> Iterator[str]:
        return iter(_FORMATS)

    def __len__(self) -> int:
        return len(_FORMATS)


TABLES: Mapping[str, Any] = _Formats()


# Conversion of errors from table readers to errors of tare.


LONGEST = 300


@contextmanager
def guarded(name: str, what: str) -> Iterator[None]:
    """Within this block, turn a failure of the reader into an error that `name` is not `what`.

    polars panics on some damaged files. A panic is not an Exception, so it is recognised by name.
    """
    try:
        yield
    except TareError:
        raise
    except MemoryError:
        raise DataError(f"{name}: not enough memory. Read the file in parts.") from None
    except OSError as error:
        raise UnreadableError(f"{name}: not {what}: {_short(error)}") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise FormatError(f"{name}: not {what}: {_short(error)}") from error
    except BaseException as error:
        if _of_polars(error):
            raise FormatError(f"{name}: not {what}: {_short(error)}") from error
        if type(error).__name__ != "PanicException":
            raise
        raise FormatError(f"{name}: not {what}: damaged ({_short(error)}).") from None


def _of_polars(error: BaseException) -> bool:
    """Return whether polars raised an error; it is not imported to find out."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(error, polars.exceptions.PolarsError)


def _short(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:LONGEST] if lines else type(error).__name__
