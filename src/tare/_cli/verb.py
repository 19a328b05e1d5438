"""A verb of the command: its help ends with examples that work when pasted."""

from __future__ import annotations

from cyclopts import App, Parameter

__all__ = ["verb"]


def verb(name: str, *examples: str, help: str | None = None) -> App:
    """An application for one verb; without `help`, that of its function is shown."""
    epilogue = "Examples:\n\n" + "\n".join(f"    {example}" for example in examples)
    return App(
        name=name,
        help=help,
        help_epilogue=epilogue,
        help_format="markdown",
        default_parameter=Parameter(json_list=False, json_dict=False),  # a bracket is a bracket
    )
