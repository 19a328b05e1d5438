"""`tare demo`: the main job, on a collection that it makes itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tare.cli.verb import verb

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
    from tare.data.simulation import simulate
    from tare.measures.evaluate import evaluate
    from tare.tables import Column, Table

    simulation = simulate(seed=seed)
    simulation.write(folder)
    print(f"A collection was made in {folder}/: {simulation.qrels!r}")
    for run in simulation.runs:
        print(f"  {run!r}")

    print("\nHow good are the five systems?  tare score qrels.txt runs/*.run\n")
    scores = evaluate(simulation.qrels, simulation.runs, ["nDCG@10", "AP", "RR", "P@10"])
    print(scores.table())

    print("\nWhere do the two best differ most?  tare score … --by-query\n")
    means = scores.means()
    first, second = sorted(means, key=lambda s: -means[s]["nDCG@10"])[:2]
    pair = scores.select(systems=[first, second], measures=["nDCG@10"]).matrix()
    order = abs(pair[0] - pair[1]).argsort()[::-1][:5]
    rows = [
        (scores.items[i], float(pair[0, i]), float(pair[1, i]), float(pair[0, i] - pair[1, i]))
        for i in order
    ]
    columns: list[Column | str] = ["query", Column(first), Column(second), Column("difference")]
    print(Table.of(columns, rows, title="nDCG@10"))

    print(
        f"""
Next, try:
  tare score {folder}/qrels.txt {folder}/runs/hybrid.run -m 'nDCG(gain=exp2)@10' ERR@20 RBP
  tare check {folder}/qrels.txt {folder}/runs/*.run
  tare list measures"""
    )
