"""Studies with a blind slice: plans on disk, and people who answer with known labels."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

from tare._judging import Event, Outcomes, Study, read_study

__all__ = ["answered", "answers_of", "grades_folder", "pairs_file", "plan", "summaries_folder"]

GRADES = "".join(f'[[grades]]\nvalue = {g}\nlabel = "grade {g}"\n' for g in range(4))


def grades_folder(folder: Path, *, queries: int = 12, documents: int = 6, seed: int = 1) -> Path:
    """Write documents, two runs, the labels of a model and the truth; return the folder."""
    draw = random.Random(seed)
    names = [f"d{d:02}" for d in range(documents)]
    rows = [{"id": d, "text": f"The text of {d}."} for d in names]
    (folder / "documents.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.tsv").write_text("".join(f"q{q:02}\tquestion {q}\n" for q in range(queries)))
    truth = {f"q{q:02}": {d: draw.choice((0, 0, 1, 2, 3)) for d in names} for q in range(queries)}
    model = {
        q: {
            d: min(3, g + (draw.random() < 0.3)) if draw.random() < 0.9 else draw.randrange(4)
            for d, g in own.items()
        }
        for q, own in truth.items()
    }
    for name, noise in (("good", 1.0), ("poor", 4.0)):
        lines = []
        for q, own in truth.items():
            order = sorted(own, key=lambda d: -own[d] + noise * draw.random())
            lines += [f"{q} Q0 {d} {i} {-i} {name}\n" for i, d in enumerate(order, 1)]
        (folder / f"{name}.run").write_text("".join(lines))
    for name, labels in (("model", model), ("truth", truth)):
        lines = [f"{q} 0 {d} {g}\n" for q, own in labels.items() for d, g in own.items()]
        (folder / f"{name}.qrels").write_text("".join(lines))
    (folder / "truth.json").write_text(json.dumps(truth))
    return folder


def summaries_folder(folder: Path, *, items: int = 12, seed: int = 1) -> Path:
    """Write summaries of three systems, pyramids, and labels of a model for every kind of study."""
    draw = random.Random(seed)
    systems = ("alpha", "beta", "gamma")
    rows, ratings, preferences, presence = [], [], [], []
    for i in range(items):
        item = f"i{i:02}"
        rows += [{"system": s, "item": item, "text": f"{s} writes."} for s in systems]
        units = "".join(f"{u},1,unit {u}\n" for u in range(3))
        (folder / f"{item}.csv").write_text(f"scu,weight,label\n{units}")
        for place, s in enumerate(systems):
            ratings.append(f"{item},{s},{draw.randint(1, 5)},{draw.randint(1, 3)}\n")
            presence += [
                f"{item},{s},{u},{int(draw.random() < 0.3 + 0.2 * place)}\n" for u in range(3)
            ]
        for a, b in (("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma")):
            preferences.append(f"{item},{b},{a},{draw.choice((a, b, 'equal'))}\n")
    files = {
        "summaries.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "ratings.csv": "item,system,fluency,focus\n" + "".join(ratings),
        "preferences.csv": "query,left,right,preferred\n" + "".join(preferences),
        "presence.csv": "item,system,scu,present\n" + "".join(presence),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def pairs_file(folder: Path, *, queries: int = 12, documents: int = 6, seed: int = 2) -> None:
    """Write the preferences of a model on all pairs of documents."""
    draw = random.Random(seed)
    names = [f"d{d:02}" for d in range(documents)]
    rows = [
        f"q{q:02},{a},{b},{draw.choice(('left', 'right', 'equal'))}\n"
        for q in range(queries)
        for a, b in itertools.combinations(names, 2)
    ]
    (folder / "pairs.csv").write_text("query,left,right,preferred\n" + "".join(rows))


KINDS = {
    "grades": 'documents = "documents.jsonl"\nqueries = "queries.tsv"\nruns = ["good.run", "poor.run"]\ndepth = 6\n',
    "preference": 'documents = "documents.jsonl"\nqueries = "queries.tsv"\nruns = ["good.run", "poor.run"]\ndepth = 6\n',
    "ratings": 'summaries = "summaries.jsonl"\n',
    "headtohead": 'summaries = "summaries.jsonl"\n',
    "scus": 'summaries = "summaries.jsonl"\npyramids = "i*.csv"\n',
}
DIMENSIONS = '[[dimensions]]\nname = "fluency"\n[[dimensions]]\nname = "focus"\nhigh = 3\n'
LABELS = {
    "grades": "model.qrels",
    "preference": "pairs.csv",
    "ratings": "ratings.csv",
    "headtohead": "preferences.csv",
    "scus": "presence.csv",
}


def plan(folder: Path, kind: str = "grades", *, more: str = "", **judge: Any) -> Study:
    """Write and read the plan of a study with a slice."""
    values = {"labels": LABELS[kind], "slice": 6} | judge
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
    scales = {"grades": GRADES, "ratings": DIMENSIONS}.get(kind, "")
    text = f'kind = "{kind}"\nseed = 3\n{more}\n[data]\n{KINDS[kind]}[judge]\n{lines}{scales}'
    (folder / "study.toml").write_text(text)
    return read_study(folder / "study.toml")


def answers_of(study: Study, folder: Path, *, seed: int = 5) -> dict[str, dict[str, Any]]:
    """Return what people would answer to each task: the truth for grades, else chance."""
    draw = random.Random(seed)
    truth = json.loads((folder / "truth.json").read_text()) if study.design.kind == "grades" else {}
    made: dict[str, dict[str, Any]] = {}
    for task in study.tasks:
        if study.design.kind == "grades":
            made[task.id] = {"grade": truth[task.query][task.shown[0]]}
        elif study.design.compares:
            made[task.id] = {"choice": draw.choice(("left", "right", "equal"))}
        elif study.design.kind == "ratings":
            made[task.id] = {
                "ratings": {"fluency": draw.randint(1, 5), "focus": draw.randint(1, 3)}
            }
        else:
            made[task.id] = {"present": {u: draw.random() < 0.5 for u, _ in task.units}}
    return made


def answered(study: Study, answers: dict[str, dict[str, Any]]) -> Outcomes:
    """Return the outcomes after one assessor gave these answers, in the order of the dictionary."""
    events = [Event(0.0, "invited", "a1", data={"token": "t"})]
    for number, (task, answer) in enumerate(answers.items(), 1):
        data = {"number": number, "task": task, "role": "fresh", "slot": 0, "swapped": False}
        data |= {"seconds": 1.0, "answer": answer}
        events.append(Event(float(number), "judged", "a1", str(number), data))
    return Outcomes.of(study, events)
