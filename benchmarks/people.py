"""Find the ROUGE variant that best agrees with people on SummEval and REALSumm.

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
    "summeval": ("coherence", "consistency", "fluency", "relevance"),
    "realsumm": ("litepyramid_recall",),
}
LEARNED = {"summeval": "relevance", "realsumm": "litepyramid_recall"}
FOLDS = 4
INTRODUCTION = """# ROUGE and human scores: results on SummEval and REALSumm

Which variant of ROUGE agrees best with people, and do combined or learned measures agree better? This page answers these
questions for two collections of 100 documents each: 1,600 summaries of 16 systems with four expert scores (SummEval, Fabbri
et al. 2021; 11 references) and 2,400 summaries of 24 systems with LitePyramid recall (REALSumm, Bhandari et al. 2020; 1
reference). `python benchmarks/people.py` writes this page.

- **Single variants.** The variant with the best balanced accuracy is ROUGE-L for coherence (.59), ROUGE-4 for consistency
  (.60) and fluency (.65), ROUGE-SU for relevance (.68), and ROUGE-SU and ROUGE-4 for LitePyramid (.64). Chance reaches .49.
  No variant finds much more than half of the differences that people find.
- **Consensus.** No consensus of ROUGE-1, -2, -4 and -L has a better balanced accuracy than the best single variant.
- **Learned measures.** Measures learned on some systems are not better than the best single feature on other systems: .44
  against .58 on SummEval, .85 against .96 on REALSumm (r of system means, with wide intervals). On REALSumm both the best
  feature and the human score are recall values.

For each human score there are three tables. The first shows how well each variant finds the significant differences between
systems that people find. The second shows the correlation with people. The third shows all subsets of
ROUGE-1, -2, -4 and -L; a difference counts only if all variants of the subset find it. [Compare measures with human scores](../how-to/measures-and-people.md)
explains the columns.
"""


def significance(found: Any, human: str) -> Table:
    """Return the accuracy table of one human score, with chance and a constant measure."""
    keys = (
        "accuracy",
        "precision",
        "recall",
        "balanced",
        "balanced_predictions",
        "pairwise",
        "tie_calibrated",
        "soft",
    )
    rows = [[r["measure"], *(r.get(k) for k in keys)] for r in found.find("agreement", human=human)]
    columns = ["measure", *(Column(k.replace("_", " "), digits=2) for k in keys)]
    return Table.of(columns, rows)


def correlations(found: Any, human: str) -> Table:
    """Return τ-b with intervals over systems and items, at both levels."""
    columns: list[Column | str] = ["measure"]
    rows = []
    for level in ("system", "item"):
        columns += [Column(f"{level} τ-b", digits=2), "interval"]
    for measure in found.measures:
        row: list[Any] = [measure]
        for level in ("system", "item"):
            (r,) = found.find(
                "correlations", human=human, level=level, coefficient="tau_b", measure=measure
            )
            row += [r["value"], f"{r['low_both']:.2f} … {r['high_both']:.2f}"]
        rows.append(row)
    return Table.of(columns, rows)


def consensus(found: Any, human: str) -> Table:
    """Return all subsets of four measures, best balanced accuracy first."""
    keys = ("accuracy", "precision", "recall", "balanced", "balanced_predictions")
    own = sorted(found.find("consensus", human=human), key=lambda r: -(r["balanced"] or 0))
    columns = ["consensus of", *(Column(k.replace("_", " "), digits=2) for k in keys)]
    return Table.of(columns, [[r["measures"], *(r[k] for k in keys)] for r in own])


def learned(found: Any) -> Table:
    """Return held-out correlations of learned measures and single features."""
    rows = []
    for measure in dict.fromkeys(r["measure"] for r in found.correlations):
        row: list[Any] = [measure]
        for level in ("system", "item"):
            (r,) = [
                r
                for r in found.correlations
                if (r["measure"], r["level"], r["coefficient"]) == (measure, level, "pearson")
            ]
            row += [r["value"], f"{r['low_both']:.2f} … {r['high_both']:.2f}"]
        rows.append(row)
    columns: list[Column | str] = ["measure", Column("system r", digits=2), "interval"]
    return Table.of([*columns, Column("item r", digits=2), "interval"], rows)


def chosen(found: Any) -> Table:
    """Return the selected features and their correlation for each fold of systems."""
    rows = [
        [
            r["held_out"],
            r["method"],
            " + ".join(f.removeprefix("Feature-") for f in r["features"]),
            r["selected"],
            r["tested"],
        ]
        for r in found.chosen
    ]
    columns: list[Column | str] = ["held out", "method", "features"]
    columns += [Column("selected r", digits=2), Column("tested r", digits=2)]
    return Table.of(columns, rows)


def main() -> None:
    """Run the studies and write the page."""
    folder = Path(os.environ.get("TARE_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "summ").is_dir():
        print(f"No real data found in {folder}. Set TARE_DATA to the folder that contains them.")
        return
    JOURNALS.mkdir(parents=True, exist_ok=True)
    parts = [INTRODUCTION]
    for name, title in (("summeval", "SummEval"), ("realsumm", "REALSumm")):
        texts, human = collection(folder, name)
        scores = tare.evaluate_texts(texts, VARIANTS)
        people = measures_and_people(
            scores, human, consensus=TOGETHER, journal=JOURNALS / f"{name}.people", progress=print
        )
        model = learned_measure(
            tare.evaluate_texts(texts, "features"),
            human,
            target=LEARNED[name],
            protocol="systems",
            folds=FOLDS,
            journal=JOURNALS / f"{name}.learned",
            progress=print,
        )
        for target in TARGETS[name]:
            parts += [
                f"## {title}: {target}\n",
                significance(people, target).to_markdown(),
                correlations(people, target).to_markdown(),
                consensus(people, target).to_markdown(),
            ]
        parts += [
            f"## {title}: learned measures of {LEARNED[name]}\n",
            f"Thirteen features, {model.subsets:,} subsets. Training, selection and test use three different "
            f"sets of systems in {FOLDS} folds. Single features need no training.\n",
            learned(model).to_markdown(),
            chosen(model).to_markdown(),
        ]
    PAGE.write_text("\n".join(part.rstrip("\n") + "\n" for part in parts), encoding="utf-8")


if __name__ == "__main__":
    main()
