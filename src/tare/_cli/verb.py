"""How a verb is made from a function: its signature, defaults and help become those of `tare VERB`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_type_hints

from cyclopts import App, Parameter

from tare._cli import types

__all__ = ["Given", "group", "verb", "verb_of"]

Given: TypeAlias = Any
"""The value of an option whose type, default and description a public function declares."""

Function = Callable[..., Any]

# Parameters of public functions that a command line does not offer: what a call cannot contain, and
# what it leaves at its default. A verb offers one of them by naming it.
NOT_OFFERED = frozenset({"confidence", "digits", "engine", "progress", "sets", "threads"})
# Options that are the same in every verb.
NAMED = {"journal": types.Journal, "measure": types.OneMeasure, "seed": types.Seed}
# Lists, of which an option names one.
SINGULAR = {
    "methods": "--method",
    "models": "--model",
    "tests": "--test",
    "cutoffs": "--cutoff",
}
SCALARS = {"str": str, "int": int, "float": float, "bool": bool}
LISTS = {"str": list[str], "int": list[int], "float": list[float]}
SEQUENCE = re.compile(r"(?:\w+ \| )?Sequence\[(\w+)[^\]]*\](?: \| None)?")
CHOICES = re.compile(r"\{((?:\"[^\"=]*\"(?:, )?)+)\}")
QUOTED = re.compile(r"\"([^\" ]+)\"")
PARAMETERS = re.compile(r"\n\s*Parameters\n\s*-{10}\n")
POSITIONAL = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


def group(name: str, *examples: str, help: str) -> App:
    """Return a verb that has verbs of its own, such as `study`; its help ends with examples that can be pasted."""
    return App(name=name, help=help, help_epilogue=_examples(examples), help_format="markdown")


def verb(*examples: str) -> Callable[[Function], App]:
    """Make a verb of the command line of a function; its help ends with examples that can be pasted.

    Groups of options are keyword-only parameters without a default: they are always passed.
    """

    def made(function: Function) -> App:
        return _app(function, _own(function), inspect.getdoc(function) or "", examples)

    return made


def verb_of(
    public: Function, *examples: str, without: Collection[str] = ()
) -> Callable[[Function], App]:
    """Make a verb of a function whose `**options` are the keyword arguments of a public function.

    The parameters that the function itself names are its own business. All others have the type, the
    default and the description that they have in the public function; only those that were given are
    passed.
    """

    def made(function: Function) -> App:
        description, texts = _described(public)
        said, own_texts = _described(function)
        texts |= {name: (texts.get(name, own)[0], own[1]) for name, own in own_texts.items()}
        own = [_with_help(one, texts, own_texts) for one in _own(function)]
        names = {*NOT_OFFERED, *without, *(one.name for one in own)}
        derived = [
            _derived(one, *texts.get(one.name, ("", "")))
            for one in inspect.signature(public).parameters.values()
            if one.kind is one.KEYWORD_ONLY and one.name not in names
        ]
        plain = [one for one in own if one.kind in POSITIONAL or not _is_group(one)]
        groups = [one for one in own if one not in plain]
        return _app(function, [*plain, *derived, *groups], said or description, examples)

    return made


def _app(
    function: Function, parameters: list[inspect.Parameter], doc: str, examples: Collection[str]
) -> App:
    groups = {one.name: one.annotation() for one in parameters if _is_group(one)}
    shown = [one.replace(default=groups.get(one.name, one.default)) for one in parameters]

    def call(*given: Any, **options: Any) -> Any:
        return function(*given, **groups | options)

    call.__doc__ = doc
    call.__name__ = call.__qualname__ = function.__name__
    call.__annotations__ = {one.name: one.annotation for one in shown}
    call.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    app = App(
        name=function.__name__,
        help_epilogue=_examples(examples),
        help_format="markdown",
        # A file name or a measure may begin with a bracket; it is not JSON. There are no opposites
        # of options, such as --no-strict and --empty-by.
        default_parameter=Parameter(json_list=False, json_dict=False, negative=""),
    )
    app.default(call)
    return app


def _examples(examples: Collection[str]) -> str:
    return "Examples:\n\n" + "\n".join(f"    {example}" for example in examples)


def _own(function: Function) -> list[inspect.Parameter]:
    """Return the parameters that the function of a verb names itself, with their types."""
    types_of = get_type_hints(function, include_extras=True)
    return [
        one.replace(annotation=types_of[one.name])
        for one in inspect.signature(function).parameters.values()
        if one.kind is not one.VAR_KEYWORD
    ]


def _is_group(one: inspect.Parameter) -> bool:
    return is_dataclass(one.annotation)


def _described(function: Function) -> tuple[str, dict[str, tuple[str, str]]]:
    """Return the description in the docstring of a verb's function, and type and description of each parameter."""
    from docstring_parser.numpydoc import parse

    doc = inspect.getdoc(function) or ""
    texts = {
        name: (one.type_name or "", " ".join((one.description or "").split()))
        for one in parse(doc).params
        for name in one.arg_name.split(", ")
    }
    return PARAMETERS.split(doc)[0], texts


def _with_help(
    one: inspect.Parameter, texts: Mapping[str, tuple[str, str]], own: Collection[str]
) -> inspect.Parameter:
    """Return a parameter of a verb with its help: its own, that of its type, or that of the public function."""
    if (
        _is_group(one)
        or one.name not in texts
        or (one.name not in own and any(_helps(one.annotation)))
    ):
        return one
    written = Parameter(help=_spoken(texts[one.name][1]))
    return one.replace(annotation=Annotated[one.annotation, written])


def _helps(annotation: Any) -> Iterator[str]:
    """Yield the descriptions inside a type."""
    for inner in get_args(annotation):
        if isinstance(inner, Parameter) and inner.help:
            yield inner.help
        yield from _helps(inner)


def _derived(one: inspect.Parameter, described: str, text: str) -> inspect.Parameter:
    """Return the option of a verb that a parameter of a public function becomes."""
    if one.name in NAMED:
        return one.replace(annotation=NAMED[one.name])
    kind, default = str(one.annotation), one.default
    names: str | None = None
    made: Any
    items = SEQUENCE.fullmatch(kind)
    if items is not None:
        made, names = LISTS[items[1]], SINGULAR.get(one.name)
        if default:
            text = f"{text.removesuffix('.')} (default: {', '.join(map(str, default))})."
        default = None
    elif choices := CHOICES.match(described):
        made = Literal[tuple(QUOTED.findall(choices[1]))]
    else:
        made = SCALARS.get(kind.split(" ")[0], types.Input)
    written = Parameter(name=names, help=_spoken(text), consume_multiple=items is not None)
    if default is None:
        made = made | None
    return one.replace(annotation=Annotated[made, written], default=default)


def _spoken(text: str) -> str:
    """Return the help of an option without the quotation marks of Python's texts."""
    return QUOTED.sub(r"\1", text)
