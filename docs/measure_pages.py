"""Writes docs/reference/measures: a page a measure, from the registry, with an example that runs.

python docs/measure_pages.py
"""

from __future__ import annotations

from pathlib import Path

import tare
from tare.measures import definitions
from tare.measures.definition import Definition, Parameter

FOLDER = Path(__file__).parent / "reference" / "measures"
QRELS = {"q1": {"a": 2, "b": 0, "c": 1, "d": 0, "e": 1}}
RUN = {"q1": {"b": 5.0, "a": 4.0, "x": 3.0, "c": 2.0, "d": 1.0}}
SUBTOPICS = {"q1": {"1": {"a": 1, "b": 1}, "2": {"b": 1, "c": 0}, "3": {"d": 2}}}
PREFERENCES = [("q1", "a", "b", "b"), ("q1", "b", "c", "b"), ("q1", "a", "d", "equal")]
# What the example of a page is made of, by what the measure needs.
GIVEN = {
    "grades": ("qrels", QRELS),
    "subtopics": ("subtopics", SUBTOPICS),
    "preferences": ("preferences", PREFERENCES),
}
CUTOFFS = {"required": "@3", "optional": "@3", "recall": "@0.5", "none": ""}


def example_measures(definition: Definition) -> list[str]:
    """What the example of a page computes."""
    if definition.wraps:
        return ["nDCG@3", f"{definition.name}(nDCG@3)"]
    text = definition.name + CUTOFFS[definition.cutoff]
    return [text, f"E({text})", f"V2({text})"]


def parameter_row(parameter: Parameter) -> str:
    """A line of the table of parameters."""
    accepted = " or ".join(f"`{c}`" for c in parameter.choices) or parameter.kind
    default = "–" if parameter.default is None else f"`{parameter.default}`"
    return f"| `{parameter.name}` | {accepted} | {default} | {parameter.doc} |"


def page(definition: Definition) -> str:
    """The page of one measure."""
    low, high = ("no bound" if b is None else f"{b:g}" for b in definition.bounds)
    cutoff = {
        "required": f"required: `{definition.name}@10`",
        "optional": f"optional: `{definition.name}` or `{definition.name}@10`",
        "recall": f"a recall: `{definition.name}@0.1`",
        "none": "none",
    }[definition.cutoff]
    lines = [f"# {definition.name}: {definition.title}", "", f"    {definition.formula}", ""]
    if definition.notes:
        lines += [definition.notes, ""]
    lines += ["| | |", "| --- | --- |", f"| cutoff | {cutoff} |", f"| bounds | {low} to {high} |"]
    if definition.expected:
        lines.append(f"| expected value under chance | {definition.expected} |")
    if definition.upper:
        lines.append(f"| upper bound | {definition.upper} |")
    lines.append(f"| over queries | {definition.aggregate} |")
    if definition.aliases:
        lines.append(f"| also written | {', '.join(f'`{a}`' for a in definition.aliases)} |")
    lines.append("")
    if definition.parameters:
        lines += ["| parameter | accepts | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [parameter_row(p) for p in definition.parameters]
        lines.append("")
    if definition.expected:
        lines += [
            "n is the size of the pool, R its relevant documents, K = min(k, n), H the harmonic numbers."
            + (
                " R_j, w_j, P(j|q) are those of subtopic j."
                if definition.needs == "subtopics"
                else ""
            ),
            "",
        ]
    measures = example_measures(definition)
    name, given = GIVEN[definition.needs]
    scores = tare.evaluate(given, RUN, measures)
    values = [round(float(v), 4) for v in scores.values[0, 0]]
    lines += [
        "## Example",
        "",
        "```python",
        ">>> import tare",
        f">>> {name} = {given}",
        f">>> run = {RUN}",
        f">>> scores = tare.evaluate({name}, run, {measures})",
        ">>> [round(float(value), 4) for value in scores.values[0, 0]]",
        f"{values}",
        "",
        "```",
        "",
        "## Cite",
        "",
        definition.citation,
        "",
    ]
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """Every page by its file name, and the index."""
    made = {f"{d.name}.md": page(d) for d in definitions()}
    rows = ["# Measures", "", "| measure | title | formula |", "| --- | --- | --- |"]
    rows += [
        f"| [{d.name}]({d.name}.md) | {d.title} | {d.formula.replace('|', chr(92) + '|')} |"
        for d in definitions()
    ]
    made["README.md"] = "\n".join(rows) + "\n"
    return made


def main() -> None:
    """Writes all pages and removes those of measures that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(made)} pages written")


if __name__ == "__main__":
    tare.parse("AP")  # makes every measure known
    main()
