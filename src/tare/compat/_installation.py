"""Installation of a compatible module under the name of the program it replaces."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from types import ModuleType, TracebackType

from tare.errors import UsageError, choose

__all__ = ["Installation", "install", "uninstall"]

_NAMES = {
    "pytrec_eval": ("pytrec_eval",),
    "rouge_score": (
        "rouge_score",
        "rouge_score.rouge_scorer",
        "rouge_score.scoring",
        "rouge_score.tokenizers",
    ),
}
"""The modules of each program that other libraries import to evaluate with."""

_originals: dict[str, dict[str, ModuleType | None]] = {}


class Installation:
    """A program whose modules are replaced; as a context manager, it restores them at the end.

    Made by `install`.

    Attributes
    ----------
    name : str
        The name of the program.

    Examples
    --------
    >>> import sys, tare.compat
    >>> with tare.compat.install("pytrec_eval") as module:
    ...     module is sys.modules["pytrec_eval"]
    True
    >>> tare.compat.install("pytrec_eval")
    Installation('pytrec_eval')
    >>> tare.compat.uninstall("pytrec_eval")
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> ModuleType:
        return sys.modules[self.name]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        uninstall(self.name)

    def __repr__(self) -> str:
        return f"Installation({self.name!r})"


def install(name: str) -> Installation:
    """Put a compatible module into `sys.modules`, so that other code imports it.

    Call this before the code that uses the program is imported. A module that has already imported the
    program keeps it; a warning names these modules.

    Parameters
    ----------
    name : str
        The program: "pytrec_eval" or "rouge_score".

    Returns
    -------
    Installation
        Can be used in a `with` statement, which restores the program at its end.

    Raises
    ------
    OptionError
        If there is no compatible module for this program.

    Examples
    --------
    >>> import tare.compat
    >>> with tare.compat.install("pytrec_eval"):
    ...     import pytrec_eval
    >>> pytrec_eval.__name__
    'tare.compat.pytrec_eval'
    """
    choose("name", name, tuple(_NAMES))
    if name not in _originals:
        _warn_of_users(name)
        _originals[name] = {module: sys.modules.get(module) for module in _NAMES[name]}
    for module in _NAMES[name]:
        sys.modules[module] = import_module(f"tare.compat.{module}")
    return Installation(name)


def uninstall(name: str) -> None:
    """Restore what `install` replaced.

    Parameters
    ----------
    name : str
        The program.

    Raises
    ------
    UsageError
        If it is not installed.

    Examples
    --------
    >>> import sys, tare.compat
    >>> _ = tare.compat.install("pytrec_eval")
    >>> tare.compat.uninstall("pytrec_eval")
    >>> sys.modules.get("pytrec_eval") is tare.compat.pytrec_eval
    False
    """
    if name not in _originals:
        raise UsageError(
            f"{name} is not installed. Installed: {', '.join(_originals) or 'nothing'}."
        )
    for module, original in _originals.pop(name).items():
        if original is None:
            sys.modules.pop(module, None)
        else:
            sys.modules[module] = original


def _warn_of_users(name: str) -> None:
    """Warn if a module has already imported the original of a program that an installation replaces."""
    originals = {id(sys.modules[module]) for module in _NAMES[name] if module in sys.modules}
    if not originals:
        return
    users = sorted(
        user
        for user, module in list(sys.modules.items())
        if user not in ("__main__", *_NAMES[name])
        and any(id(value) in originals for value in list(vars(module or object).values()))
    )
    if users:
        warnings.warn(
            f"{', '.join(users[:5])} imported {name} before it was installed and will not use tare. "
            f"Call tare.compat.install({name!r}) before these modules are imported.",
            stacklevel=3,
        )
