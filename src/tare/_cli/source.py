"""What a verb reads: the name of a file, or "-" for standard input."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tare.errors import OptionError

__all__ = ["Source", "refuse_options"]

Source = Annotated[str, Parameter(allow_leading_hyphen=True)]


def refuse_options(*names: str) -> None:
    """A hyphen alone is standard input; what else begins with one was meant as an option."""
    for name in names:
        if name.startswith("-") and name != "-":
            raise OptionError(f"there is no option {name}. A file of that name is written ./{name}")
