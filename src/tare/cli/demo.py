"""`tare demo`: the main job, on a collection that it makes itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tare.cli.verb import verb
from tare.measures.scores import Scores
from tare.tables import Column, Table

__all__ = ["app", "demo"]


app = verb(
    "demo",
    "tare demo",
    "tare demo --folder /tmp/tare-demo --seed 7",
)


@app.default
def demo(
    *,
    folder: Annotated[Path, Parameter(name=["--folder", "-o"])] = Path("tare-demo"),
    seed: int = 1,
) -> None:
    """Show what tare does, on data it makes itself.

    Parameters
    ----------
    folder
        Where the simulated collection is written.
    seed
        Another seed makes another collection.
    """
    from tare import evaluate
    from tare.data.simulation import simulate

    simulation = simulate(seed=seed)
    simulation.write(folder)
    print(
        f"A collection was made in {folder}/: {len(simulation.qrels):,} judgements of 60 queries, "
    )
    print("some with a handful of relevant documents, some with nearly all; and five systems.\n")

    print(f"How good are they?   tare score {folder}/qrels.txt {folder}/runs/*.run -m …\n")
    measures = ["nDCG@10", "E(nDCG@10)", "V2(nDCG@10)", "AP", "RR"]
    scores = evaluate(simulation.qrels, simulation.runs, measures)
    print(replace(scores.table(), notes=()))
    print(
        """
E is what a random ranking would score; V2 is the score net of that: 1 perfect, 0 chance,
−1 nothing found."""
    )
    _disagreement(scores)
    print("\nEvery number carries its signature, such as")
    print(f"  {scores.signatures[2]}")
    print(
        f"""
Next, try:
  tare score {folder}/qrels.txt {folder}/runs/*.run -m 'nDCG@10' 'V2(nDCG@10)' --kinds
  tare score {folder}/qrels.txt {folder}/runs/dense.run -m 'pValue(AP)' 'Z(AP)' --by-query
  tare check {folder}/qrels.txt {folder}/runs/*.run
  tare list measures nDCG"""
    )


def _disagreement(scores: Scores) -> None:
    """Where the two measures name different winners, shows on which queries that comes about."""
    means = scores.means()
    raw = max(means, key=lambda s: means[s]["nDCG@10"])
    net = max(means, key=lambda s: means[s]["V2(nDCG@10)"])
    if raw == net:
        print(
            f"\nBoth nDCG and V2 find {raw} the best here; another --seed may tell another story."
        )
        return
    print(
        f"\nnDCG finds {raw} the best, V2 finds {net} the best. Why? By what chance would score:\n"
    )
    chance = scores.matrix("E(nDCG@10)")[0]
    rows: list[tuple[str | int | float | None, ...]] = []
    for name, queries in (
        ("chance scores little (E < 0.2)", chance < 0.2),
        ("chance scores more (E ≥ 0.2)", chance >= 0.2),
    ):
        items = [item for item, inside in zip(scores.items, queries, strict=True) if inside]
        if not items:
            continue
        part = scores.select(items=items).means()
        cells = [part[s][m] for m in ("nDCG@10", "V2(nDCG@10)") for s in (raw, net)]
        rows.append((name, len(items), *cells))
    columns: list[Column | str] = ["queries", Column("n")]
    columns += [Column(f"{m} {s}") for m in ("nDCG", "V2") for s in (raw, net)]
    print(Table.of(columns, rows))
    gap = abs(float(rows[-1][2] or 0) - float(rows[-1][3] or 0))
    net_gap = abs(float(rows[-1][4] or 0) - float(rows[-1][5] or 0))
    print(
        f"""
Where many documents are relevant, part of every nDCG is luck that all systems share. The gap
there is {gap:.2f} in nDCG and {net_gap:.2f} once that luck is taken out; it is enough to turn the order."""
    )
