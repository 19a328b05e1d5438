"""Docstrings of public names: parameters, what is returned and raised, and an example."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap

import pytest

from tests.house.public_names import PUBLIC

# The sections of numpydoc, in the order in which they are written.
ORDER = (
    "Parameters",
    "Attributes",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
)
HEADING = re.compile(rf"^({'|'.join(ORDER)})\n(-+)$", re.MULTILINE)


def public():
    """Yield the name and the thing of every public function and class, each once."""
    seen = set()
    for module in PUBLIC:
        loaded = importlib.import_module(module)
        for name in loaded.__all__:
            thing = getattr(loaded, name)
            if (inspect.isroutine(thing) or inspect.isclass(thing)) and thing not in seen:
                seen.add(thing)
                yield f"{module}.{name}", thing


def sections(thing):
    """Return the sections of a docstring in their order."""
    return [found[1] for found in HEADING.finditer(inspect.cleandoc(thing.__doc__ or ""))]


def is_error(thing):
    """Whether a thing is an error, which programs catch and do not make."""
    return inspect.isclass(thing) and issubclass(thing, BaseException)


def takes_something(thing):
    """Whether a function or a class has parameters of its own."""
    if is_error(thing) and "__init__" not in vars(thing):
        return False
    try:
        return bool(inspect.signature(thing).parameters)
    except ValueError:  # a class made in C, such as an enumeration
        return False


def returns_something(function):
    """Whether a function returns anything but None."""
    return inspect.signature(function).return_annotation not in (None, "None", "NoReturn")


def raises(function):
    """Whether an error is raised in a function's own source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    return any(isinstance(node, ast.Raise) for node in ast.walk(tree))


def lacking(thing):
    """Return the sections that a docstring should have and does not."""
    written = set(sections(thing))
    function = inspect.isroutine(thing)
    made = []
    if takes_something(thing) and not written & {"Parameters", "" if function else "Attributes"}:
        made.append("Parameters")
    if function and returns_something(thing) and not written & {"Returns", "Yields"}:
        made.append("Returns")
    if function and raises(thing) and "Raises" not in written:
        made.append("Raises")
    if not is_error(thing) and "Examples" not in written:
        made.append("Examples")
    return made


def test_every_public_name_has_its_sections():
    found = {name: lacking(thing) for name, thing in public()}
    assert len(found) > 150
    wrong = [f"{name}: {', '.join(missing)}" for name, missing in found.items() if missing]
    assert not wrong, "\n".join(wrong)


def test_sections_stand_in_one_order_and_are_underlined():
    wrong = []
    for name, thing in public():
        titles = sections(thing)
        if titles != sorted(set(titles), key=ORDER.index):
            wrong.append(f"{name}: {', '.join(titles)}")
        headings = HEADING.finditer(inspect.cleandoc(thing.__doc__ or ""))
        wrong += [f"{name}: the line below {h[1]}" for h in headings if len(h[1]) != len(h[2])]
    assert wrong == []


def _half(number: int) -> int:
    """Return half of a number.

    Returns
    -------
    int
        The half.
    """
    if number % 2:
        raise ValueError(number)
    return number // 2


def _nothing() -> None:
    """Do nothing.

    Examples
    --------
    >>> _nothing()
    """


@pytest.mark.parametrize(
    ("function", "expected"),
    [(_half, ["Parameters", "Raises", "Examples"]), (_nothing, [])],
)
def test_the_rule_sees_what_is_missing(function, expected):
    assert lacking(function) == expected
