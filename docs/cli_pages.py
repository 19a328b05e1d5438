"""Write docs/reference/cli: one page per verb of the command line, from the verbs themselves.

python docs/cli_pages.py
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from cyclopts import App

from tare._cli.dropin.ndeval import USAGE_TEXT as NDEVAL_HELP
from tare._cli.dropin.rouge_options import help_text as rouge_help
from tare._cli.dropin.trec_eval import help_text as trec_eval_help
from tare._cli.main import VERBS

FOLDER = Path(__file__).parent / "reference" / "cli"
OPTION = re.compile(r"(?<![\w`-])(--?[A-Za-z][a-z-]*)(?![\w`])")
# Verbs that parse their arguments as another program does; their help is shown as it is.
DROP_INS = {
    "trec_eval": lambda: trec_eval_help({}),
    "ndeval": lambda: NDEVAL_HELP,
    "rouge": lambda: rouge_help("H"),
}


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    made = {f"{verb}.md": _page(verb) for verb in VERBS}
    return {"index.md": _index(), **made}


def _index() -> str:
    rows = [f"| [`tare {verb}`]({verb}.md) | {help_} |" for verb, (_, help_) in VERBS.items()]
    names = "\n".join(VERBS)
    return f"""# Command line

Numbers go to standard output and messages to standard error. A terminal gets tables, a pipe gets TSV, and
`--format` chooses another format. `tare gate` answers in words, in a pipe as well. The exit code is 0 on success, 1 for
findings under `--strict` and for a gate that blocks, 2 for wrong usage, 3 for unreadable data, and 4 for a certification that
could not be given. `tare VERB --help` shows these pages in a terminal.

| verb | purpose |
| --- | --- |
{chr(10).join(rows)}

```{{toctree}}
:hidden:

{names}
```
"""


def _page(verb: str) -> str:
    where, help_ = VERBS[verb]
    if verb in DROP_INS:
        text = DROP_INS[verb]().strip("\n")
        return f"# tare {verb}\n\n{help_}\n\n```text\n{text}\n```\n"
    module, name = where.split(":")
    return _section(getattr(import_module(module), name), f"tare {verb}", "#") + "\n"


def _section(app: App, call: str, level: str) -> str:
    """Return the section of a verb, with the sections of its own verbs."""
    parts = [f"{level} {call}"]
    if app.default_command is None:
        parts.append(_quoted(app.help))
    else:
        parts += _function_parts(app, call)
    parts += _examples(app)
    for name, child in _children(app):
        parts.append(_section(child, f"{call} {name}", level + "#"))
    return "\n\n".join(part for part in parts if part)


def _children(app: App) -> Iterator[tuple[str, App]]:
    for name in app:
        child = app[name]
        if name.startswith("-") or not isinstance(child, App):
            continue
        yield name, child


def _function_parts(app: App, call: str) -> list[str]:
    """Return description, usage, arguments and options of a verb."""
    function = app.default_command
    described = inspect.getdoc(function) or ""
    text = described.split("\n\nParameters\n---")[0]
    arguments = [
        a
        for a in app.assemble_argument_collection(parse_docstring=True)
        if a.parse and "*" not in a.names
    ]
    positional = [a for a in arguments if a.index is not None]
    options = [a for a in arguments if a.index is None]
    usage = " ".join([call, *map(_placeholder, positional), *(["[OPTIONS]"] if options else [])])
    parts = [_quoted(text), f"```text\n{usage}\n```"]
    if positional:
        entries = [_entry(_title(a), a, default=False) for a in positional]
        parts += ["**Arguments**", "\n\n".join(entries)]
    if options:
        entries = [_entry(", ".join(f"`{n}`" for n in a.names), a) for a in options]
        parts += ["**Options**", "\n\n".join(entries)]
    return parts


def _title(argument: Any) -> str:
    return f"`{argument.field_info.names[0].upper()}`"


def _placeholder(argument: Any) -> str:
    name = argument.field_info.names[0].upper()
    many = argument.field_info.kind is inspect.Parameter.VAR_POSITIONAL
    return name if argument.required else f"[{name}{'…' if many else ''}]"


def _entry(title: str, argument: Any, *, default: bool = True) -> str:
    """Return one entry of a definition list."""
    sentences = [_quoted(" ".join((argument.parameter.help or "").split()))]
    choices = argument.get_choices()
    if choices:
        sentences.append(f"Choices: {', '.join(f'`{choice}`' for choice in choices)}.")
    value = argument.field_info.default
    if default and argument.required:
        sentences.append("Required.")
    elif default and _is_shown(value):
        sentences.append(f"Default: `{value}`.")
    return f"{title}\n: {' '.join(s for s in sentences if s) or '–'}"


def _is_shown(value: object) -> bool:
    return (
        value not in (None, (), "") and value is not False and value is not inspect.Parameter.empty
    )


def _quoted(text: str) -> str:
    """Put options in code font; otherwise Sphinx turns two hyphens into a dash."""
    parts = text.split("`")
    parts[::2] = [OPTION.sub(r"`\1`", part) for part in parts[::2]]  # the others are code already
    return "`".join(parts)


def _examples(app: App) -> list[str]:
    """Return the examples of a verb as a code block."""
    lines = [
        line.strip() for line in (app.help_epilogue or "").splitlines() if line.startswith("    ")
    ]
    return ["**Examples**", "```bash\n" + "\n".join(lines) + "\n```"] if lines else []


def main() -> None:
    """Write all pages, and remove those of verbs that no longer exist."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
