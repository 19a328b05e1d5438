"""Write docs/reference/api: one page per public module, from its docstrings.

python docs/api_pages.py
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from tare._result import Result

FOLDER = Path(__file__).parent / "reference" / "api"
MODULES = (
    "tare",
    "tare.chance",
    "tare.stats",
    "tare.rankers",
    "tare.studies",
    "tare.engines",
    "tare.report",
    "tare.compat",
    "tare.compat.beir",
    "tare.compat.bert_score",
    "tare.compat.ir_measures",
    "tare.compat.pytrec_eval",
    "tare.compat.rouge_score.rouge_scorer",
    "tare.compat.rouge_score.scoring",
    "tare.compat.rouge_score.tokenizers",
    "tare.compat.sentence_transformers",
    "tare.errors",
)
SECTIONS = (
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
LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
_UNDERLINE = re.compile(r"-{3,}")
_CLASS = re.compile(r"<class '(?:\w+\.)*(\w+)'>")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def public_names(module: str) -> list[str]:
    """Return the names in the `__all__` of a public module, without its submodules."""
    loaded = importlib.import_module(module)
    return [name for name in loaded.__all__ if not inspect.ismodule(getattr(loaded, name))]


def sections(docstring: str) -> dict[str, str]:
    """Split a numpydoc docstring into its sections; the text before the first is under "".

    >>> sections("Add.\\n\\nReturns\\n-------\\nint\\n    The sum.")
    {'': 'Add.', 'Returns': 'int\\n    The sum.'}
    """
    found: dict[str, list[str]] = {"": []}
    lines = inspect.cleandoc(docstring).splitlines()
    current, skip = "", False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if skip:
            skip = False
        elif line in SECTIONS and _UNDERLINE.fullmatch(following):
            current, skip = line, True
            found[current] = []
        else:
            found[current].append(line)
    return {name: "\n".join(body).strip() for name, body in found.items()}


def entries(body: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of a list section: the line that names one, and its description.

    >>> list(entries("a, b : int\\n    Terms.\\nc : int"))
    [('a, b : int', 'Terms.'), ('c : int', '')]
    """
    head, text = "", list[str]()
    for line in body.splitlines():
        if line and not line[0].isspace():
            if head:
                yield head, " ".join(text)
            head, text = line, []
        elif line.strip():
            text.append(line.strip())
    if head:
        yield head, " ".join(text)


def markdown(docstring: str) -> list[str]:
    """Return the lines of a docstring as Markdown."""
    lines = []
    for name, body in sections(docstring).items():
        if name:
            lines += [f"**{name}**", ""]
        if name in LISTS:
            for head, text in entries(body):
                names, _, kind = head.partition(" : ")
                label = f"`{names}`" + (f" : {kind}" if kind else "")
                lines.append(
                    f"- {label}"
                    + (f": {text}" if text and not kind else f". {text}" if text else "")
                )
            lines.append("")
        else:
            lines += [*_fenced(body), ""]
    return lines


def _fenced(body: str) -> Iterator[str]:
    """Put examples into code blocks; doctest output belongs to its example."""
    inside = False
    for line in body.splitlines():
        if not inside and line.startswith(">>>"):
            inside = True
            yield "```pycon"
        elif inside and not line.strip():
            inside = False
            yield "```"
        yield line
    if inside:
        yield "```"


def signature(name: str, thing: Any) -> str:
    """Return a name with its parameters, as it is called."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    bare = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in found.parameters.values()
        if p.name != "self"
    ]
    text = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return f"{name}{_ADDRESS.sub('', text)}"


def function_of(member: Any) -> Any:
    """Return the function behind a property; other members as they are."""
    if isinstance(member, cached_property):
        return member.func
    return member.fget if isinstance(member, property) else member


def members(thing: type) -> Iterator[tuple[str, Any]]:
    """Yield the documented public methods and properties of a class, without those of `Result`."""
    for name, member in sorted(inspect.getmembers(thing)):
        function = function_of(member)
        if name.startswith("_") or not (inspect.isroutine(function) and function.__doc__):
            continue
        module = getattr(function, "__module__", "")
        inherited = (
            module == Result.__module__
            and thing is not Result
            and not function.__qualname__.startswith("PaperResult.")
        )
        if module.startswith("tare") and not inherited:
            yield name, member


def entry(module: str, name: str) -> list[str]:
    """Return the lines of one public name."""
    thing = getattr(importlib.import_module(module), name)
    lines = [f"## {name}", ""]
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        if isinstance(thing, set | frozenset):
            thing = sorted(thing)  # the order of a set differs between processes
        value = _CLASS.sub(r"\1", _ADDRESS.sub("", repr(thing)))
        return (
            [*lines, f"Value: `{value}`", ""]
            if len(value) < 400
            else [*lines, f"A {type(thing).__name__}.", ""]
        )
    error = inspect.isclass(thing) and issubclass(thing, Exception)
    lines += [
        "```python",
        f"{module}.{name}" if error else signature(f"{module}.{name}", thing),
        "```",
        "",
    ]
    lines += markdown(thing.__doc__ or "")
    if inspect.isclass(thing) and issubclass(thing, Result) and thing is not Result:
        lines += [
            "A [`Result`](tare.md#result): it has tables, data frames, files, figures and a report.",
            "",
        ]
    if inspect.isclass(thing) and not error:
        for member, value in members(thing):
            function = function_of(value)
            call = signature(member, value) if function is value else member
            lines += [
                f"### {name}.{member}",
                "",
                "```python",
                call,
                "```",
                "",
                *markdown(function.__doc__),
            ]
    return lines


def page(module: str) -> str:
    """Return the page of a public module."""
    loaded = importlib.import_module(module)
    lines = [f"# {module}", "", *markdown(loaded.__doc__ or "")]
    for name in public_names(module):
        if name != "__version__":
            lines += entry(module, name)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def index() -> str:
    """Return the page that lists the modules."""
    lines = ["# Python API", "", "Made from the docstrings by `python docs/api_pages.py`.", ""]
    for module in MODULES:
        summary = (importlib.import_module(module).__doc__ or "").splitlines()[0]
        lines.append(f"- [`{module}`]({module}.md): {summary.removeprefix(f'{module}: ')}")
    lines += ["", "```{toctree}", ":hidden:", "", *MODULES, "```"]
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """Return the pages by file name."""
    return {"index.md": index()} | {f"{module}.md": page(module) for module in MODULES}


def main() -> None:
    """Write every page and remove those of modules that are gone."""
    FOLDER.mkdir(exist_ok=True)
    wanted = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(wanted)} pages written")


if __name__ == "__main__":
    main()
