"""Compare variants of ROUGE with people on SummEval and REALSumm.

python benchmarks/people.py

Needs the real data (TARE_DATA). Writes docs/explanation/rouge-and-people.md. An interrupted run resumes
from its journals in build/.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import tare  # noqa: E402
from tare._tables import Column, Table  # noqa: E402
from tare.studies import learned_measure, measures_and_people  # noqa: E402
from tests.oracles.summaries import collection  # noqa: E402

PAGE = ROOT / "docs" / "explanation" / "rouge-and-people.md"
JOURNALS = ROOT / "build" / "people"
VARIANTS = (
    "ROUGE-1",
    "ROUGE-2",
    "ROUGE-3",
    "ROUGE-4",
    "ROUGE-L",
    "ROUGE-Lsum",
    "ROUGE-W",
    "ROUGE-SU",
)
TOGETHER = ("ROUGE-1", "ROUGE-2", "ROUGE-4", "ROUGE-L")
TARGETS = {
    "SummEval": ("coherence", "consistency", "fluency", "relevance"),
    "REALSumm": ("litepyramid_recall",),
}
LEARNED = {"SummEval": "relevance", "REALSumm": "litepyramid_recall"}
FOLDS = 4
INTRODUCTION = """# ROUGE and human scores: results on SummEval and REALSumm

How well do variants of ROUGE agree with people, and do combined or learned measures agree better? This page looks at these
questions for two collections of 100 documents each: 1,600 summaries of 16 systems with four expert scores (SummEval, Fabbri
et al. 2021; 11 references) and 2,400 summaries of 24 systems with LitePyramid recall (REALSumm, Bhandari et al. 2020; 1
reference). `python benchmarks/people.py` computes the tables.

- **Single variants.** No variant comes first for every human score. The balanced accuracy with which the best one
  finds the significant differences between systems that people find is .59 to .68, that of chance .49.
- **Consensus.** No consensus of ROUGE-1, -2, -4 and -L, in which a difference counts only if all of them find it, has a
  better balanced accuracy than the best single variant.
- **Learned measures.** On other systems, measures learned on some systems have no higher correlation with people than
  the best single feature. The intervals are wide: 16 and 24 systems are few, and no difference was tested. On REALSumm
  both the best feature and the human score are recall values.

Brackets are 95 % intervals of the expected coefficient for sets of systems and items of this size, each on its own.
[Compare measures with human scores](../how-to/measures-and-people.md) explains the columns; `tare study people`
and `tare learn` give the complete tables for your data.

## Variants and consensus
"""
LEARNING = f"""## Learned measures

Pearson's r between means of systems, on systems that were not used for training or selection ({FOLDS} folds), and its
interval. Thirteen features, 8,191 subsets; single features need no training.
"""


def variants(found: Any, title: str, human: str) -> list[Any]:
    """Return the best variant for a human score, next to the best consensus and to chance."""
    own = {r["measure"]: r for r in found.find("agreement", human=human)}
    best = max(VARIANTS, key=lambda name: own[name]["balanced"])
    (tau,) = found.find(
        "correlations", human=human, level="system", coefficient="tau_b", measure=best
    )
    several = [r for r in found.find("consensus", human=human) if " + " in r["measures"]]
    together = max(several, key=lambda r: r["balanced"])
    return [
        f"{title}: {human}",
        best,
        own[best]["balanced"],
        f"{tau['value']:.2f} ({tau['low_both']:.2f} … {tau['high_both']:.2f})",
        together["measures"],
        together["balanced"],
        own["(chance)"]["balanced"],
    ]


def learned(found: Any, title: str, human: str) -> list[Any]:
    """Return the best learned measure and the best single feature."""
    own = [r for r in found.correlations if (r["level"], r["coefficient"]) == ("system", "pearson")]
    row: list[Any] = [f"{title}: {human}"]
    for trained in (True, False):
        best = max(
            (r for r in own if r["measure"].startswith("learned") is trained),
            key=lambda r: r["value"],
        )
        row += [
            best["measure"].removeprefix("learned by ").removeprefix("Feature-"),
            f"{best['value']:.2f} ({best['low_both']:.2f} … {best['high_both']:.2f})",
        ]
    return row


def main() -> None:
    """Run the studies and write the page."""
    folder = Path(os.environ.get("TARE_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "summ").is_dir():
        print(f"No real data found in {folder}. Set TARE_DATA to the folder that contains them.")
        return
    JOURNALS.mkdir(parents=True, exist_ok=True)
    single, trained = [], []
    for title, targets in TARGETS.items():
        name = title.lower()
        texts, human = collection(folder, name)
        people = measures_and_people(
            tare.evaluate_texts(texts, VARIANTS),
            human,
            consensus=TOGETHER,
            journal=JOURNALS / f"{name}.people",
            progress=print,
        )
        model = learned_measure(
            tare.evaluate_texts(texts, "features"),
            human,
            target=LEARNED[title],
            protocol="systems",
            folds=FOLDS,
            journal=JOURNALS / f"{name}.learned",
            progress=print,
        )
        single += [variants(people, title, target) for target in targets]
        trained.append(learned(model, title, LEARNED[title]))
    columns = ["human score", "best variant", Column("balanced accuracy", digits=2), "system τ-b"]
    columns += ["best consensus", *(Column(name, digits=2) for name in ("its accuracy", "chance"))]
    parts = [INTRODUCTION, Table.of(columns, single).to_markdown(), LEARNING]
    columns = ["human score", "best learned", "r", "best feature", "r of the feature"]
    parts.append(Table.of(columns, trained).to_markdown())
    PAGE.write_text("\n".join(part.rstrip("\n") + "\n" for part in parts), encoding="utf-8")


if __name__ == "__main__":
    main()
