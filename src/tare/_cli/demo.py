"""`tare demo`: the main steps of an evaluation, on a simulated collection."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Annotated

from cyclopts import Parameter

import tare
from tare._cli.output import terminal_width, use_bold
from tare._cli.results import say_if_no_charts
from tare._cli.types import OutputFolder
from tare._cli.verb import verb
from tare._data.simulation import simulate
from tare._measures.scores import Scores
from tare._plain_text import plain
from tare._tables import Column, Table, p_stated
from tare._tables.table import Cell
from tare._tables.text import bars, side_by_side
from tare.chance._net_measures import NET_MEANING

__all__ = ["demo"]

GROSS, TARE, NET, PUBLISHED = "nDCG@10", "E(nDCG@10)", "Net(nDCG@10)", "V2(nDCG@10)"
SPLIT = 0.2  # expected score that separates queries with a low and with a high chance level
WIDTH = 92


@verb(
    "tare demo",
    "tare demo -o /tmp/tare-demo --seed 7",
)
def demo(
    *,
    output: Annotated[OutputFolder, Parameter(name=["--output", "-o"])] = Path("tare-demo"),
    seed: int = 1,
) -> None:
    """Show what tare does, on simulated data.

    Parameters
    ----------
    output
        Folder for the simulated collection and the report.
    seed
        Seed of the simulation; another seed gives another collection.
    """
    folder = output
    simulation = simulate(seed=seed)
    simulation.write(folder)
    place = plain(str(folder))
    queries = simulation.qrels.items
    print(f"""tare: which system is better, by how much, and is the difference more than chance?

Simulated a collection in {place}/: {len(queries)} queries, {len(simulation.qrels):,} judged documents, five systems.
Some queries have only a few relevant documents; for others, nearly all documents are relevant.
""")
    scores = tare.evaluate(
        simulation.qrels, simulation.runs, [GROSS, TARE, NET, PUBLISHED], pool="judged"
    )
    print(
        f"1. How good are they?   tare score {place}/qrels.txt {place}/runs/*.run --pool judged\n"
    )
    _show(replace(scores.select(measures=[GROSS, TARE, NET]).table(), notes=()))
    print("""
Gross − tare = net. The tare (E) is the expected score of a random order of the judged documents;
the net score is (gross − tare)/(ideal − tare): 1 is ideal, 0 is chance. * marks the best.
""")
    _bars(scores)
    _levels(scores)
    _verdict(scores)
    _published(scores)
    page = _report(scores, folder, seed)
    print(f"""
5. The full report, with charts:

  {plain(str(page))}      <- open this in a browser

Every number has a signature, so that it can be reproduced:
  {scores.signatures[2]}

Next, try:
  tare score {place}/qrels.txt {place}/runs/*.run -m nDCG@10 --pool judged --kinds
  tare compare {place}/qrels.txt {place}/runs/*.run -m 'Net(nDCG@10)' --pool judged --baseline lexical
  tare report {place}/qrels.txt {place}/runs/*.run -m AP RR --pool judged -o {place}/another.html
  tare check {place}/qrels.txt {place}/runs/*.run
  tare list measures nDCG""")


def _show(table: Table) -> None:
    print(table.render("text", width=terminal_width(), bold=use_bold()))


def _bars(scores: Scores) -> None:
    """Print gross and net scores of the systems of the demo as bars, next to each other."""
    means = scores.means()
    wide = min(WIDTH, terminal_width() or WIDTH)
    narrow = wide < 70
    plots = []
    for measure, title in ((GROSS, "gross: nDCG@10"), (NET, "net: Net(nDCG@10)")):
        order = sorted(scores.systems, key=lambda s, m=measure: -means[s][m])  # type: ignore[misc]
        rows = [(system, means[system][measure]) for system in order]
        plots.append(bars(rows, title=title, width=wide if narrow else (wide - 4) // 2))
    left, right = plots
    print("\n".join([*left, "", *right] if narrow else side_by_side(left, right)))


def _levels(scores: Scores) -> None:
    """Compare one system of the demo on queries where chance scores low and high: gross is similar, net is not."""
    chance = scores.matrix(TARE)[0]
    names = (f"low (E < {SPLIT:g})", f"high (E ≥ {SPLIT:g})")
    parts = [
        [item for item, inside in zip(scores.items, inside_of, strict=True) if inside]
        for inside_of in (chance < SPLIT, chance >= SPLIT)
    ]
    if not all(parts):
        return
    means = [scores.select(items=items).means() for items in parts]
    # The system whose gross scores differ least between the two sets of queries.
    skilled = [s for s in scores.systems if s != "random"]
    system = min(skilled, key=lambda s: abs(means[0][s][GROSS] - means[1][s][GROSS]))
    rows: list[tuple[Cell, ...]] = [
        (name, len(items), *(mean[system][m] for m in (GROSS, TARE, NET)))
        for name, items, mean in zip(names, parts, means, strict=True)
    ]
    columns = [Column("chance level", align="left"), Column("queries")]
    columns += [Column(name, digits=3) for name in ("gross", "tare", "net")]
    print(f"""
2. What does the net score change?   {system}, on queries with a low and a high chance level:
""")
    _show(Table.of(columns, rows))
    gross = [float(mean[system][GROSS]) for mean in means]
    net = [float(mean[system][NET]) for mean in means]
    print(f"""
The gross scores of {system} are similar on both ({gross[0]:.2f} and {gross[1]:.2f}); its net score is
{"higher" if net[0] > net[1] else "lower"} where the chance level is low ({net[0]:.2f} and {net[1]:.2f}).

{fill(NET_MEANING, WIDTH)}""")


def _verdict(scores: Scores) -> None:
    """Print whether the two best systems differ significantly."""
    family = tare.compare(scores[NET]).families[0]
    first, second = family.ranking[:2]
    row = next(r for r in family.rows() if {r["system"], r["against"]} == {first, second})
    outcome = "a significant difference" if row["significant"] else "not significantly different"
    print(f"""
3. Is the difference significant?   tare compare {NET}

{first} scores {abs(row["difference"]):.3f} more than {second} ({p_stated(row["p_adjusted"])}, adjusted for all pairs): {outcome}.
{int(family.significant.sum())} of {len(family)} pairs of systems differ significantly.""")


def _published(scores: Scores) -> None:
    """Print the measure V2 in the demo as published: not 0 at chance; and whether its order of the best two is significant."""
    means = scores.means()
    order = {m: sorted(means, key=lambda s: -means[s][m])[:2] for m in (GROSS, PUBLISHED)}
    print(
        f"""
4. Other normalisations weigh queries differently   {PUBLISHED} (Feng and Karmaker 2023)

The published V2 of the random system is {means["random"][PUBLISHED]:.2f}, its net score {means["random"][NET]:.2f}.""".replace(
            "-", "−"
        )
    )
    first, second = order[PUBLISHED]
    family = tare.compare(scores[PUBLISHED]).families[0]
    row = next(r for r in family.rows() if {r["system"], r["against"]} == {first, second})
    if order[GROSS][0] != first:
        outcome = "significant" if row["significant"] else "not significant"
        print(
            f"V2 ranks {first} above {second}, nDCG@10 ranks them the other way; the difference in V2 is {outcome} ({p_stated(row['p_adjusted'])})."
        )


def _report(scores: Scores, folder: Path, seed: int) -> Path:
    """Write the report of the demo; say so if it has no charts."""
    title = f"Five systems on a simulated collection (seed {seed})"
    path = tare.report.write(
        scores.select(measures=[GROSS, TARE, NET]), folder / "report.html", title=title
    )
    say_if_no_charts()
    return path
