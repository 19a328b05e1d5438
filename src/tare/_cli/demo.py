"""`tare demo`: the main job, on a collection that it makes itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tare._cli.output import coloured, width_of_terminal
from tare._cli.reporting import say_if_undrawn
from tare._cli.verb import verb
from tare._measures.scores import Scores
from tare._plain_text import plain
from tare._tables import Column, Table
from tare._tables.table import Cell

__all__ = ["app", "demo"]

GROSS, TARE, NET, PUBLISHED = "nDCG@10", "E(nDCG@10)", "Net(nDCG@10)", "V2(nDCG@10)"
SPLIT = 0.2  # what chance scores on a query: little below, much above
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
    from tare._data.simulation import simulate

    simulation = simulate(seed=seed)
    simulation.write(folder)
    place = plain(str(folder))
    queries = simulation.qrels.items
    print(f"""tare: which system is better, by how much, and is it more than luck?

Made a collection in {place}/: {len(queries)} queries, {len(simulation.qrels):,} judged documents that five systems order.
Some queries have a handful of relevant documents, on others nearly all are relevant.
""")
    scores = evaluate(
        simulation.qrels, simulation.runs, [GROSS, TARE, NET, PUBLISHED], pool="judged"
    )
    print(
        f"1. How good are they?   tare score {place}/qrels.txt {place}/runs/*.run --pool judged\n"
    )
    _show(replace(scores.select(measures=[GROSS, TARE, NET]).table(), notes=()))
    print("""
Gross − tare = net. The tare (E) is what a random order of the judged documents would score;
the net score is (gross − tare)/(ideal − tare): 1 is ideal, 0 is chance. * marks the best.
""")
    _bars(scores)
    _levels(scores)
    _verdict(scores)
    _published(scores)
    page = _report(scores, folder, seed)
    print(f"""
5. The whole story, with charts:

  {plain(str(page))}      <- open this in a browser

Every number carries a signature, so that it can be reproduced:
  {scores.signatures[2]}

Next, try:
  tare score {place}/qrels.txt {place}/runs/*.run -m nDCG@10 --pool judged --kinds
  tare compare {place}/qrels.txt {place}/runs/*.run -m 'Net(nDCG@10)' --pool judged --baseline lexical
  tare report {place}/qrels.txt {place}/runs/*.run -m AP RR --pool judged -o {place}/another.html
  tare check {place}/qrels.txt {place}/runs/*.run
  tare list measures nDCG""")


def _show(table: Table) -> None:
    print(table.render("text", width=width_of_terminal(), bold=coloured()))


def _bars(scores: Scores) -> None:
    """Gross and net scores of the systems, as bars side by side."""
    from tare._tables.bars import bars, side_by_side

    means = scores.means()
    wide = min(WIDTH, width_of_terminal() or WIDTH)
    narrow = wide < 70
    plots = []
    for measure, title in ((GROSS, "gross: nDCG@10"), (NET, "net: Net(nDCG@10)")):
        order = sorted(scores.systems, key=lambda s, m=measure: -means[s][m])  # type: ignore[misc]
        rows = [(system, means[system][measure]) for system in order]
        plots.append(bars(rows, title=title, width=wide if narrow else (wide - 4) // 2))
    left, right = plots
    print("\n".join([*left, "", *right] if narrow else side_by_side(left, right)))


def _levels(scores: Scores) -> None:
    """The same system where chance earns little and where it earns much: gross alike, net apart."""
    chance = scores.matrix(TARE)[0]
    names = (f"little (E < {SPLIT:g})", f"much (E ≥ {SPLIT:g})")
    parts = [
        [item for item, inside in zip(scores.items, inside_of, strict=True) if inside]
        for inside_of in (chance < SPLIT, chance >= SPLIT)
    ]
    if not all(parts):
        return
    means = [scores.select(items=items).means() for items in parts]
    # The system whose gross scores are most alike on the two sets of queries.
    skilled = [s for s in scores.systems if s != "random"]
    system = min(skilled, key=lambda s: abs(means[0][s][GROSS] - means[1][s][GROSS]))
    rows: list[tuple[Cell, ...]] = [
        (name, len(items), *(mean[system][m] for m in (GROSS, TARE, NET)))
        for name, items, mean in zip(names, parts, means, strict=True)
    ]
    columns = [Column("chance earns", align="left"), Column("queries")]
    columns += [Column(name, digits=3) for name in ("gross", "tare", "net")]
    print(f"""
2. What does the net score change?   {system}, on queries where chance earns little and much:
""")
    _show(Table.of(columns, rows))
    gross = [float(mean[system][GROSS]) for mean in means]
    net = [float(mean[system][NET]) for mean in means]
    print(f"""
By gross scores {system} is about equal on both ({gross[0]:.2f} and {gross[1]:.2f}); net of chance it scores
{"higher" if net[0] > net[1] else "lower"} where chance earns little ({net[0]:.2f} and {net[1]:.2f}). Within one set of queries Net orders systems as
the measure does; what it makes comparable are levels, across queries, collections and cutoffs.""")


def _verdict(scores: Scores) -> None:
    """Whether the two best systems differ significantly."""
    from tare.stats import compare
    from tare.stats._p_values import shown

    family = compare(scores[NET]).families[0]
    first, second = family.ranking[:2]
    row = next(r for r in family.rows() if {r["system"], r["against"]} == {first, second})
    outcome = "a significant difference" if row["significant"] else "not significantly different"
    print(f"""
3. Is it luck?   tare compare {NET}

{first} is {abs(row["difference"]):.3f} above {second} (p = {shown(row["p_adjusted"])}, all pairs by Tukey's HSD): {outcome}.
{int(family.significant.sum())} of {len(family)} pairs of systems differ significantly.""")


def _published(scores: Scores) -> None:
    """V2 as published: not 0 at chance, and whether its order of the best two can be relied on."""
    from tare.stats import compare
    from tare.stats._p_values import shown

    means = scores.means()
    order = {m: sorted(means, key=lambda s: -means[s][m])[:2] for m in (GROSS, PUBLISHED)}
    print(f"""
4. Other normalisations weigh queries differently   {PUBLISHED} (Feng and Karmaker 2023)

The published V2 of the random system is {means["random"][PUBLISHED]:.2f}, its net score {means["random"][NET]:.2f}.""".replace("-", "−"))  # fmt: skip
    first, second = order[PUBLISHED]
    family = compare(scores[PUBLISHED]).families[0]
    row = next(r for r in family.rows() if {r["system"], r["against"]} == {first, second})
    if order[GROSS][0] != first:
        outcome = "significant" if row["significant"] else "not significant"
        print(f"V2 puts {first} before {second}, nDCG@10 the other way round; V2's difference is {outcome} (p = {shown(row['p_adjusted'])}).")  # fmt: skip


def _report(scores: Scores, folder: Path, seed: int) -> Path:
    """The report of the demo; without the extra it has no charts, and that is said."""
    from tare.report import write

    title = f"Five systems on a simulated collection (seed {seed})"
    path = write(scores.select(measures=[GROSS, TARE, NET]), folder / "report.html", title=title)
    say_if_undrawn()
    return path
