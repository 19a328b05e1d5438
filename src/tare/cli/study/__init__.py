"""`tare study`: a question, its design, its answer; one file a study, imported when it is called."""

from __future__ import annotations

from tare.cli.verb import verb

__all__ = ["STUDIES", "app"]

# study: (where it is, one line of help)
STUDIES = {
    "diversity": (
        "tare.cli.study.diversity:app",
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
