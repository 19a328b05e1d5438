"""Failures of the readers of tables, such as a panic of polars on a damaged file, as errors of tare."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tare.errors import DataError, FormatError, TareError, UnreadableError

__all__ = ["guarded"]

LONGEST = 300


@contextmanager
def guarded(name: str, what: str) -> Iterator[None]:
    """Within this block, turn a failure of the reader of a table into an error of tare: that `name` is not `what`.

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
    """Return whether polars raised the error of a damaged file; polars is not imported to find out."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(error, polars.exceptions.PolarsError)


def _short(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:LONGEST] if lines else type(error).__name__
