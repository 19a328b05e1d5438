"""The annotations of public names: none of them is `Any`.

Aliases are not resolved: values of rows (`Row`) and keys of given dictionaries may have any type.
"""

import importlib
import inspect
import re
from functools import cached_property

from tests.house.public_names import PUBLIC

# The type of a measure's parameter depends on the parameter.
EXCEPTIONS = {"Measure.__getitem__"}
SPECIAL = ("__init__", "__call__", "__getitem__")


def annotated():
    """Yield every public function and method, and every public class with its fields."""
    for module in PUBLIC:
        loaded = importlib.import_module(module)
        for name in loaded.__all__:
            thing = getattr(loaded, name)
            if inspect.isroutine(thing):
                yield f"{module}.{name}", thing
            if not inspect.isclass(thing):
                continue
            for kind in thing.__mro__:
                if not kind.__module__.startswith("tare"):
                    continue
                yield kind.__name__, kind
                for member, value in vars(kind).items():
                    if not member.startswith("_") or member in SPECIAL:
                        yield f"{kind.__name__}.{member}", _function(value)


def _function(value):
    if isinstance(value, property):
        return value.fget
    if isinstance(value, cached_property):
        return value.func
    return getattr(value, "__func__", value)


def test_no_public_annotation_is_any():
    found, checked = set(), 0
    for where, thing in annotated():
        for name, annotation in (getattr(thing, "__annotations__", None) or {}).items():
            checked += 1
            if not name.startswith("_") and re.search(r"\bAny\b", str(annotation)):
                found.add(where)
    assert checked > 1000
    assert found == EXCEPTIONS
