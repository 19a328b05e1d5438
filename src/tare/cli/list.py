"""`tare list`: what there is."""

from __future__ import annotations

from cyclopts import App

from tare.cli.options import Format
from tare.cli.output import emit
from tare.tables import Table

__all__ = ["app"]

app = App(
    name="list",
    help="List measures and formats.",
    help_epilogue="Examples:\n\n    tare list measures\n    tare list formats --format json",
    help_format="markdown",
)


@app.command
def measures(name: str | None = None, *, format: Format = None) -> None:
    """List the measures, or all about one.

    **Examples**

        tare list measures
        tare list measures nDCG

    Parameters
    ----------
    name
        A measure to tell everything about: formula, parameters, expected value, citation.
    """
    from tare.measures import definitions, parse
    from tare.measures.definition import find

    if name is None:
        rows = [
            (d.name + {"required": "@k", "optional": "[@k]", "recall": "@recall"}.get(d.cutoff, ""),
             d.title, ", ".join(_parameter(p) for p in d.parameters), d.formula)
            for d in definitions()
        ]  # fmt: skip
        table = Table.of(["measure", "title", "parameters", "formula"], rows)
        emit(format, lambda: table, lambda: table)
        return
    definition = find(name) or parse(name).definition
    facts = [
        ("name", definition.name),
        ("title", definition.title),
        ("formula", definition.formula),
        ("cutoff", definition.cutoff),
        ("bounds", " to ".join("any" if b is None else f"{b:g}" for b in definition.bounds)),
        ("over queries", definition.aggregate),
        ("expected under chance", definition.expected),
        ("upper bound", definition.upper),
        *((f"parameter {p.name}", f"{_parameter(p)}: {p.doc}") for p in definition.parameters),
        ("also written", ", ".join(definition.aliases) or "–"),
        ("note", definition.notes or "–"),
        ("cite", definition.citation),
    ]
    table = Table.of(["what", definition.name], facts)
    emit(format, lambda: table, lambda: table)


@app.command
def formats(*, format: Format = None) -> None:
    """List the file formats that are read and written.

    **Examples**

        tare list formats
        tare list formats --format markdown
    """
    from tare.data.columns import COLUMNS

    rows = [
        (
            "TREC text",
            "any other suffix",
            "query Q0 document rank score tag | query 0 document grade",
        ),
        ("subtopics", "any other suffix", "query subtopic document grade"),
        (
            "preferences",
            "any other suffix",
            "query document document winner [assessor [given …]]",
        ),
        ("JSON lines", ".jsonl .ndjson", "an object a line, columns by name"),
        ("CSV, TSV", ".csv .tsv", "a header, columns by name"),
        ("Parquet", ".parquet .pq", "columns by name"),
        ("compressed", ".gz .zst", "any of the texts"),
        *((f"column {part}", "", ", ".join(names)) for part, names in COLUMNS.items()),
    ]
    table = Table.of(["format", "suffix", "what"], rows)
    emit(format, lambda: table, lambda: table)


def _parameter(parameter: object) -> str:
    from tare.measures.definition import Parameter

    assert isinstance(parameter, Parameter)
    accepted = "|".join(parameter.choices) if parameter.choices else parameter.default
    return f"{parameter.name}={'…' if accepted is None else accepted}"
