"""`tare demo`: the main job, on a collection that it makes itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tare.cli.output import coloured, width_of_terminal
from tare.cli.reporting import say_if_undrawn
from tare.cli.verb import verb
from tare.measures.scores import Scores
from tare.plain_text import plain
from tare.tables import Column, Table

__all__ = ["app", "demo"]

RAW, NET, LUCK = "nDCG@10", "V2(nDCG@10)", "E(nDCG@10)"
SPLIT = 0.2  # what chance scores on a query: little below, more above
WIDTH = 92

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
        Where the simulated collection and the report are written.
    seed
        Another seed makes another collection.
    """
    from tare import evaluate
    from tare.data.simulation import simulate

    simulation = simulate(seed=seed)
    simulation.write(folder)
    place = plain(str(folder))
    queries = simulation.qrels.items
    print(f"""tare: which system is better, by how much, and is it more than luck?

A collection was made in {place}/: {len(simulation.qrels):,} judgements of {len(queries)} queries, some with a handful
of relevant documents, some with nearly all; and five systems.
""")
    scores = evaluate(simulation.qrels, simulation.runs, [RAW, LUCK, NET, "AP", "RR"])
    print(f"1. How good are they?   tare score {place}/qrels.txt {place}/runs/*.run\n")
    _show(replace(scores.table(), notes=()))
    print("\nE is what a random ranking would score; V2 is the score net of it: 1 perfect, 0 chance, −1\nnothing found. * is the best.")  # fmt: skip
    print("\n2. Who wins?\n")
    _plot(scores)
    _disagreement(scores)
    _verdict(scores)
    page = _report(scores, folder, seed)
    print(f"""
4. The whole story, with pictures:

  {plain(str(page))}      <- open this in a browser

Every number carries its signature, so that it can be made again:
  {scores.signatures[2]}

Next, try:
  tare score {place}/qrels.txt {place}/runs/*.run -m 'nDCG@10' 'V2(nDCG@10)' --kinds
  tare compare {place}/qrels.txt {place}/runs/*.run -m 'V2(nDCG@10)' --baseline lexical
  tare report {place}/qrels.txt {place}/runs/*.run -m AP RR -o {place}/another.html
  tare check {place}/qrels.txt {place}/runs/*.run
  tare list measures nDCG""")


def _show(table: Table) -> None:
    print(table.render("text", width=width_of_terminal(), bold=coloured()))


def _plot(scores: Scores) -> None:
    """The systems by both measures, as bars side by side."""
    from tare.tables.bars import bars, beside

    means = scores.means()
    wide = min(WIDTH, width_of_terminal() or WIDTH)
    narrow = wide < 70
    plots = []
    for measure in (RAW, NET):
        order = sorted(scores.systems, key=lambda s, m=measure: -means[s][m])  # type: ignore[misc]
        rows = [(system, means[system][measure]) for system in order]
        plots.append(bars(rows, title=measure, width=wide if narrow else (wide - 4) // 2))
    left, right = plots
    print("\n".join([*left, "", *right] if narrow else beside(left, right)))


def _disagreement(scores: Scores) -> None:
    """Where the two measures name different winners, shows on which queries that comes about."""
    means = scores.means()
    raw, net = (max(means, key=lambda s, m=m: means[s][m]) for m in (RAW, NET))  # type: ignore[misc]
    if raw == net:
        print(f"\nBoth find {raw} the best here; another --seed may tell another story.")
        return
    print(
        f"\nnDCG finds {raw} the best, V2 finds {net} the best. Why? By what chance would score:\n"
    )
    chance = scores.matrix(LUCK)[0]
    rows: list[tuple[str | int | float | None, ...]] = []
    for name, queries in (
        (f"little (E < {SPLIT:g})", chance < SPLIT),
        (f"more (E ≥ {SPLIT:g})", chance >= SPLIT),
    ):
        items = [item for item, inside in zip(scores.items, queries, strict=True) if inside]
        if not items:
            continue
        part = scores.select(items=items).means()
        cells = [part[s][m] for m in (RAW, NET) for s in (raw, net)]
        rows.append((name, len(items), *cells))
    columns: list[Column | str] = ["chance scores", Column("queries")]
    columns += [Column(f"{m} {s}", digits=3) for m in ("nDCG", "V2") for s in (raw, net)]
    _show(Table.of(columns, rows))
    gap = abs(float(rows[-1][2] or 0) - float(rows[-1][3] or 0))
    net_gap = abs(float(rows[-1][4] or 0) - float(rows[-1][5] or 0))
    print(f"""
Where many documents are relevant, part of every nDCG is luck that all systems share. The gap
there is {gap:.2f} in nDCG and {net_gap:.2f} once that luck is taken out; it is enough to turn the order.""")


def _verdict(scores: Scores) -> None:
    """Whether the two best differ by more than luck."""
    from tare.stats import compare
    from tare.stats.p_values import shown

    family = compare(scores[NET]).families[0]
    first, second = family.ranking[:2]
    row = next(r for r in family.rows() if {r["system"], r["against"]} == {first, second})
    differs = "more than luck explains" if row["significant"] else "no more than luck could do"
    print(f"""
3. Is it luck?   tare compare {NET}

{first} is {abs(row["difference"]):.3f} above {second} (p = {shown(row["p_adjusted"])}, all pairs by Tukey's HSD): {differs}.
{int(family.significant.sum())} of {len(family)} pairs of systems do differ significantly.""")


def _report(scores: Scores, folder: Path, seed: int) -> Path:
    """The report of the demo; without the extra it has no charts, and that is said."""
    from tare.report import write

    title = f"Five systems on a simulated collection (seed {seed})"
    path = write(scores, folder / "report.html", title=title)
    say_if_undrawn()
    return path
