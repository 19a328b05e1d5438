"""`tare study`: a question, its design, its answer; one file a study, imported when it is called."""

from __future__ import annotations

from tare._cli.verb import verb

__all__ = ["STUDIES", "app"]

# study: (where it is, one line of help)
STUDIES = {
    "discrimination": (
        "tare._cli.study.discrimination:app",
        "Say which measure tells systems apart.",
    ),
    "consistency": (
        "tare._cli.study.consistency:app",
        "Say how often other items put systems in another order.",
    ),
    "items": (
        "tare._cli.study.items:app",
        "Test whether systems, items or groups of items differ.",
    ),
    "letor": (
        "tare._cli.study.letor:app",
        "Train rankers, and say how far the measures of them can be relied on.",
    ),
    "people": ("tare._cli.study.people:app", "Say which measure says what people say."),
    "assessors": (
        "tare._cli.study.assessors:app",
        "Say which assessors repeat themselves, and what changes without the worst.",
    ),
    "power": ("tare._cli.study.power:app", "Say how much tests find on scores like these."),
    "summaries": (
        "tare._cli.study.summaries:app",
        "Say what chance correction does to text measures.",
    ),
    "diversity": (
        "tare._cli.study.diversity:app",
        "Hold preferences against judgements by subtopic.",
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
