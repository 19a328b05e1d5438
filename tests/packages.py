"""Packages that a module of tests needs, found without loading them: every worker imports every module."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

__all__ = ["imported_later", "need_package"]


def need_package(name: str, reason: str) -> None:
    """Skip the module if a package is not installed."""
    if find_spec(name) is None:
        pytest.skip(reason, allow_module_level=True)


class _Later:
    """A module that is imported when one of its names is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


def imported_later(name: str, reason: str) -> Any:
    """Return a module that its first use imports; without its package the module of tests is skipped."""
    need_package(name.partition(".")[0], reason)
    return _Later(name)
