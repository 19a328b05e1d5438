"""Packages that a module of tests needs, found without loading them: every worker imports every module."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

__all__ = ["need_package"]


def need_package(name: str, reason: str) -> None:
    """Skip the module if a package is not installed."""
    if find_spec(name) is None:
        pytest.skip(reason, allow_module_level=True)
