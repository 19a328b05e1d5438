"""`tare study`: one file per study, imported when the study is called."""

from __future__ import annotations

from tare._cli.options import verb

__all__ = ["STUDIES", "app"]

# study: (where it is defined, one line of help)
STUDIES = {
    "discrimination": (
        "tare._cli.study.discrimination:app",
        "Measure how well measures discriminate between systems.",
    ),
    "consistency": (
        "tare._cli.study.consistency:app",
        "Measure how often systems swap places on other items.",
    ),
    "items": (
        "tare._cli.study.items:app",
        "Test whether systems, items or groups of items differ.",
    ),
    "letor": (
        "tare._cli.study.letor:app",
        "Train rankers, and test how reliable the measures of them are.",
    ),
    "people": (
        "tare._cli.study.people:app",
        "Measure how well measures agree with people, and test whether they differ.",
    ),
    "assessors": (
        "tare._cli.study.assessors:app",
        "Measure how consistent assessors are, and what changes without the worst.",
    ),
    "judges": (
        "tare._cli.study.judges:app",
        "Compare labels by models with labels by people.",
    ),
    "power": (
        "tare._cli.study.power:app",
        "Estimate the power of significance tests on scores like these.",
    ),
    "summaries": (
        "tare._cli.study.summaries:app",
        "Show what chance correction does to text measures.",
    ),
    "diversity": (
        "tare._cli.study.diversity:app",
        "Compare preferences with judgements by subtopic.",
    ),
}

app = verb(
    "study",
    "tare study diversity qrels.diversity runs/*.run",
    "tare study diversity qrels.diversity --systems 30 --format csv",
    help="Run a study.",
)
for _name, (_place, _help) in STUDIES.items():
    app.command(_place, name=_name, help=_help)
