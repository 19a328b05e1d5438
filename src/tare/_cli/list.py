"""`tare list`: the measures and the file formats."""

from __future__ import annotations

from tare._cli.output import emit
from tare._cli.types import Format
from tare._cli.verb import group, verb
from tare._data.columns import COLUMNS
from tare._measures import definitions, parse
from tare._measures.definition import Definition, Parameter
from tare._measures.registry import find, groups
from tare._tables import Table

__all__ = ["app"]

FAMILIES = {
    family: place
    for place, family in enumerate(
        ("ranking", "diversity", "preference", "assessors", "chance", "text")
    )
}

app = group(
    "list",
    "tare list measures",
    "tare list formats --format json",
    help="List measures and formats.",
)


@app.command
@verb("tare list measures", "tare list measures ROUGE-2")
def measures(name: str | None = None, *, format: Format = None) -> None:
    """List the measures, or describe one of them.

    Parameters
    ----------
    name
        Measure to describe: formula, parameters, expected value, citation.
    """
    if name is None:
        rows = [
            (
                d.family,
                d.name
                + _parts(d)
                + {"required": "@k", "optional": "[@k]", "recall": "@recall"}.get(d.cutoff, ""),
                d.title,
                ", ".join(_parameter(p) for p in d.parameters),
                d.formula,
            )
            for d in sorted(definitions(), key=lambda d: FAMILIES.get(d.family, len(FAMILIES)))
        ]
        rows += [
            ("group", name, f"{len(members)} measures", "", ", ".join(members))
            for name, members in groups().items()
        ]
        table = Table.of(["family", "measure", "title", "parameters", "formula"], rows)
        emit(format, lambda: table, lambda: table)
        return
    if name in groups():
        members = Table.of(
            ["measure", "title"], [(m, parse(m).definition.title) for m in groups()[name]]
        )
        emit(format, lambda: members, lambda: members)
        return
    definition = find(name) or parse(name).definition
    facts: list[tuple[str, str | None]] = [
        ("name", definition.name),
        ("title", definition.title),
        ("formula", definition.formula),
        ("cutoff", definition.cutoff),
        *(
            (name, "none" if bound is None else f"{bound:g}")
            for name, bound in zip(
                ("lowest value", "highest value"), definition.bounds, strict=True
            )
        ),
        ("family", definition.family),
        ("needs", definition.needs),
        ("parts", ", ".join(f".{p}" for p in definition.parts) or None),
        ("over items", definition.aggregate),
        ("expected under chance", definition.expected or None),
        ("upper bound", definition.upper or None),
        *((f"parameter {p.name}", f"{_parameter(p)}: {p.doc}") for p in definition.parameters),
        ("also written", ", ".join(definition.aliases) or None),
        ("note", definition.notes or None),
        ("cite", definition.citation),
    ]
    table = Table.of(["what", definition.name], facts)
    emit(format, lambda: table, lambda: table)


@app.command
@verb("tare list formats", "tare list formats --format markdown")
def formats(*, format: Format = None) -> None:
    """List the file formats that are read and written."""
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
        (
            "several assessors",
            "any other suffix",
            "query group document level | query group subgroup document level",
        ),
        ("JSON lines", ".jsonl .ndjson", "one object per line, columns by name"),
        ("JSON", ".json", "{query: {document: number}}, {query: [documents]}, or a list of rows"),
        ("MTEB results", "folder", "model/revision/task.json, for tare leaderboard"),
        ("CSV, TSV", ".csv .tsv", "a header, columns by name"),
        ("Parquet", ".parquet .pq", "columns by name"),
        (
            "ranks",
            ".csv .tsv .jsonl .parquet",
            "query, rank or rank_min and rank_max, candidates[, system], for tare score --ranks",
        ),
        (
            "labels by models",
            "any",
            "qrels with further columns; one label per row; topic, doc and one column per judge",
        ),
        (
            "texts",
            "any other suffix",
            "one text per line; references and sources in files with the same lines",
        ),
        (
            "folder of texts",
            "",
            "one file per text in the folders peers and models, as at DUC and TAC",
        ),
        (
            "nuggets",
            ".jsonl .csv .tsv .parquet",
            "nuggetizer's assignments, or system, item, nugget, assignment[, importance, assigner, answer_to]",
        ),
        (
            "citations",
            ".jsonl .csv .tsv .parquet",
            "system, item, statement, citation, support, for tare answers --citations",
        ),
        ("pyramids", ".pyr .pan", "DUCView's XML: content units, and the units found in a peer"),
        ("compressed", ".gz .zst", "any of the text formats"),
        *((f"column {part}", "", ", ".join(names)) for part, names in COLUMNS.items()),
    ]
    table = Table.of(["format", "suffix", "what"], rows)
    emit(format, lambda: table, lambda: table)


def _parts(definition: Definition) -> str:
    return f"[.{'|.'.join(definition.parts)}]" if definition.parts else ""


def _parameter(parameter: Parameter) -> str:
    if parameter.kind == "flag":
        return f"{parameter.name}={str(parameter.default).lower()}"
    accepted = "|".join(parameter.choices) if parameter.choices else parameter.default
    return f"{parameter.name}={'…' if accepted is None else accepted}"
