"""Write docs/explanation/validity.md from the simulations in benchmarks/results/validity.json.

python docs/validity_page.py
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "benchmarks" / "results" / "validity.json"
PAGE = ROOT / "docs" / "explanation" / "validity.md"
QUANTITIES = ("false claims", "power", "coverage", "no interval")

INTRODUCTION = """# How often conclusions are wrong

The tests and intervals behind tare's conclusions were tried on simulated data whose truth is known, and so was what people
usually do instead. This page shows how often each of them was wrong, also where the answer is unpleasant.

- **False claims** are the share of data sets without a difference for which one was claimed, or of certificates given
  although the loss was as large as the margin. Five in 100 are allowed.
- **Coverage** is the share of intervals that hold the truth, of those that were printed. It should be 95 in 100.
- **Power** is the share of true differences that were found.
- **No interval** is the share of data sets for which none was printed.

All figures are percent, one for each *n*. Most come from {repetitions} simulated data sets, none from fewer than {least}. With
{repetitions}, a figure of 5 may be off by {small:.0f} or {large:.0f}, and one of 50 by {wide:.0f}. Tests flip signs {draws:,} times. t and Wilcoxon are those of
scipy; the percentile bootstrap draws 1,000 resamples.
"""

END = """## An earlier simulation

Most worlds on this page were simulated once before, by another program. {near} of its {all} figures are found again here
within 2.5 standard errors; of so many, two or three would be outside by chance.{rest}

## Make this page again

    python benchmarks/validity.py
    python docs/validity_page.py

The first command takes a few minutes on two cores and saves all figures in `benchmarks/results/validity.json`;
`--only gate pairs` runs some sections. Every section has its own seeds. These figures: {machine}.
"""

# Section: heading, what was simulated, what follows. {name} is filled in by `facts`.
SECTIONS: dict[str, tuple[str, str, str]] = {
    "gate": (
        "A gate blocks",
        """One-sided, at α = 0.05. *Noisy*: with probability 0.2 a query changes by ± min(Exp(mean 0.2), 1). A *loss* is added
in bits of 0.3: a mean loss of .02 means that one query in 15 loses 0.3.""",
        """Of builds that differ only by noise about 5 % are blocked, and no build is blocked that changed nothing. Without Holm's
correction three measures would block {uncorrected} %. A build with a loss of the size that the gate prints as detectable
is blocked in {detected} % of cases; 80 are intended. What does not hold: a change that trades many small losses for a
large gain on one query in 50 has a mean of 0, and is blocked in {traded} % with 40 queries, where the gain is often not in
the sample; t and the bootstrap do the same. Wilcoxon's test, which is not about means, blocks all of these.""",
    ),
    "certify": (
        "A gate certifies",
        """`--certify` with a true loss of exactly the margin: each certificate is a false claim. In the last row there is no
loss.""",
        """Where few queries carry the loss, Student's t certifies up to {t_certified} % of builds that lose as much as the margin;
Gaffke's bound at most {gaffke} % in these worlds. Its price: with 50 queries and a margin of .05 hardly anything can be
certified, because 50 queries without any change are too few.""",
    ),
    "two": (
        "Two systems",
        """Two-sided, at α = 0.05. Both systems have the same mean; in the last row one is better.""",
        """Flips and t keep 5 % where differences are symmetric. The percentile bootstrap does not with 10 queries. With skewed
differences none of these keeps 5 % on few queries, tare's default included: up to {skewed} % with 10 queries, and
{skewed_many} % with 200. Wilcoxon's test gets worse with more queries: it claims a difference in {wilcoxon} %
of samples of 200 log-normal differences although the means are equal, because it is about symmetry.""",
    ),
    "pairs": (
        "All pairs of systems",
        """False claims: any pair of all; coverage: all intervals together; power: the share of true differences found.
*Near variants* differ by a standard deviation of 0.02 per query, the *other system* by 0.2. Tukey's HSD has either the
error of the two-way layout (systems and queries) or, as in scipy and statsmodels, of the one-way layout, which takes
queries that are easy or hard for all systems as error.""",
        """The largest |t| of each flip keeps 5 % over all pairs, whether systems are alike or not. Tukey's HSD claims too much if one
system varies more than the others ({tukey} % with 50 systems); its one-way form then finds nothing. What does not hold:
with skewed scores and unequal variances flips claim a difference in {skewed_pairs} % with 10 queries, and t and Tukey's HSD
claim too much, too. t with Holm's correction is no worse than flips in these worlds, but has no joint intervals.""",
    ),
    "baseline": (
        "Systems against a baseline",
        """Nine systems and one baseline.""",
        "",
    ),
    "leaderboard": (
        "Ranks on a leaderboard",
        """The data sets are the sample; n is their number. In one row three data sets are fixed, and n is the number of queries of
each. Coverage: all rank intervals together hold the true ranks. A bootstrap
of ranks, as many leaderboards show it, counts as right if the intervals of all systems overlap.""",
        """Ten equal systems on 8 data sets get bootstrap intervals of ranks that exclude each other in {ranks} % of cases. Flips
keep 95 % unless scores are skewed and variances unequal: there {skewed_board} % with 8 data sets. With 6 data sets hardly
any true difference can be found; that is a property of the data.""",
    ),
    "net": (
        "Net scores",
        """Intervals of one Net score, a ratio of means. The worlds imitate P@10 and nDCG with varied numbers of relevant documents;
in the log-normal world few queries carry the denominator; in the last world only 15 % of the queries have a score above 0.""",
        """Where few queries carry the denominator, the usual linearised interval covers {linearised} % with 10 queries and Fieller's
{fieller} %, at the price that in {absent} % of cases there is none. With rare successes no method covers, because many
samples hold hardly any. tare therefore prints no interval of a Net score with fewer than 6 queries above 0; with 20
queries there is none in {rare} % of these samples.""",
    ),
    "clusters": (
        "Clusters of queries",
        """Queries of one cluster correlate by 0.4; clusters have 5 queries, or log-normal sizes of up to 80. n is the number of
clusters.""",
        """Tests that take queries for independent claim a difference in {by_query} % of cases where there is none. Flips of whole
clusters keep about 5 %, with skewed differences up to {skewed_clusters} %.""",
    ),
    "means": (
        "Means of bounded scores",
        """Intervals of the mean of scores from 0 to 1.""",
        """Student's t covers {t_ones} % with 10 queries of which 5 % score 1: most samples hold no such query, and its interval is then
[0, 0]. The percentile bootstrap has the same fault. The bounded interval covers between {least} and {most} %.""",
    ),
    "estimates": (
        "Estimates from people and a judge",
        """People labelled n queries, or n clusters of queries, and a judge labelled these and others. Shares: the judge errs on a
tenth of the queries. Clusters: the judge overrates; queries of one cluster correlate by 0.4. PPI++ is the estimator of
the package ppi-python, with the normal distribution.""",
        """With a rare label and few labelled queries, intervals of Student's t and of PPI++ cover {rare_share} % and {rare_powered} %,
because most samples hold hardly any; tare then leaves the judge out and uses the bounded interval. In clusters, intervals
that take queries for independent cover {cluster_share} %.""",
    ),
    "people": (
        "Two measures and people",
        """Two measures are wrong about whole systems, by a standard deviation of 0.3; 50 items; n is the number of systems.""",
        """A sign test of wins and losses, and swaps of single items, take the errors that a measure makes on all outputs of one
system for independent, and claim a difference in {signs} % and {items} %. Exchanges of whole systems keep about 5 %.""",
    ),
    "tau": (
        "τ between two sets of items",
        """The same systems on two sets of items; n is the number of items of each. Coverage of the expected τ between two sets of
this size.""",
        """Resampled rankings are noisier than the observed ones, so that percentiles lie too low: with 30 systems they cover
{percentiles} %. None of these intervals is one of τ between the true rankings.""",
    ),
}


def page() -> str:
    """Return the text of the page."""
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))
    rows = kept["figures"]["rows"]
    repetitions = max(row["repetitions"] for row in rows)
    found = facts(rows)
    return "\n".join(
        [
            INTRODUCTION.format(
                repetitions=f"{repetitions:,}",
                least=f"{min(row['repetitions'] for row in rows):,}",
                draws=kept["figures"]["draws"],
                small=math.floor(196 * error(0.05, repetitions)),
                large=math.ceil(196 * error(0.05, repetitions)),
                wide=196 * error(0.5, repetitions),
            ),
            *(part for name in SECTIONS for part in _section(name, rows, found)),
            END.format(machine=_machine(kept["machine"]), **_earlier(rows)),
        ]
    )


def error(share: float, repetitions: int) -> float:
    """Return the standard error of a simulated share."""
    return math.sqrt(share * (1 - share) / repetitions)


def percent(value: float | None) -> str:
    """Return a share in percent."""
    return "–" if value is None else f"{100 * value:.0f}"


def facts(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the figures that the text quotes."""

    def values(section: str, method: str, world: str = "", quantity: str = "") -> list[float]:
        made = [
            value
            for row in rows
            if row["section"] == section and row["method"] == method
            if row["world"].startswith(world) and row["quantity"].startswith(quantity)
            for value in row["values"]
            if value is not None
        ]
        if not made:
            raise ValueError(f"no figures of {section}: {method}, {world}, {quantity}")
        return made

    def around(made: Sequence[float]) -> str:
        low, high = percent(min(made)), percent(max(made))
        return low if low == high else f"{low}–{high}"

    flips, max_t = "tare: flips", "tare: flips, max-t"
    skewed = values("two", flips, "very strongly")
    log_normal = "log-normal denominator"
    return {
        "uncorrected": percent(values("gate", flips, "3 noisy measures, no")[0]),
        "detected": around(values("gate", flips, "a loss of the printed")),
        "traded": percent(values("gate", flips, "many small")[0]),
        "t_certified": percent(max(values("certify", "t", quantity="false"))),
        "gaffke": percent(max(values("certify", "tare: Gaffke's bound", quantity="false"))),
        "skewed": percent(skewed[0]),
        "skewed_many": percent(skewed[-1]),
        "wilcoxon": percent(values("two", "Wilcoxon", "strongly skewed")[-1]),
        "tukey": percent(max(values("pairs", "Tukey, two-way", "the same, 50"))),
        "skewed_pairs": percent(values("pairs", max_t, "skewed")[0]),
        "ranks": percent(1 - values("leaderboard", "bootstrap of ranks", "10 equal")[1]),
        "skewed_board": percent(values("leaderboard", max_t, "skewed, unequal")[0]),
        "linearised": percent(values("net", "t, linearised", log_normal, "cov")[0]),
        "fieller": percent(values("net", "tare: Fieller", log_normal, "cov")[0]),
        "rare": percent(values("net", "tare: Fieller", "15 % successes, at least", "no")[1]),
        "absent": percent(values("net", "tare: Fieller", log_normal, "no")[0]),
        "by_query": around(values("clusters", "flips by query", quantity="false")),
        "skewed_clusters": percent(
            max(values("clusters", "tare: by cluster", "unlike sizes, skewed"))
        ),
        "t_ones": percent(values("means", "t", "5 % ones")[0]),
        "least": percent(min(values("means", "tare: bounded"))),
        "most": percent(max(values("means", "tare: bounded"))),
        "rare_share": percent(values("estimates", "people only, t by query", "share of 0.02")[0]),
        "rare_powered": percent(values("estimates", "PPI++, normal, by query", "share of 0.02")[0]),
        "cluster_share": around(values("estimates", "people only, t by query", "graded")),
        "signs": around(values("people", "sign test")),
        "items": around(values("people", "swaps of items")),
        "percentiles": around(values("tau", "percentile bootstrap", "30 systems")),
    }


def _section(
    name: str, rows: Sequence[Mapping[str, Any]], found: Mapping[str, str]
) -> Iterator[str]:
    heading, setting, outcome = SECTIONS[name]
    own = [row for row in rows if row["section"] == name]
    yield f"## {heading}\n\n{setting}\n"
    yield "\n".join(_table(own)) + "\n"
    if outcome:
        yield outcome.format(**found) + "\n"


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a table with a row for each world and a column for each method."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    yield f"| | world | n | {' | '.join(methods)} |"
    yield f"| --- | --- | --- | {' | '.join('---' for _ in methods)} |"
    worlds = dict.fromkeys((row["quantity"], row["world"]) for row in rows)
    for quantity, world in sorted(worlds, key=lambda key: QUANTITIES.index(key[0])):
        own = {
            row["method"]: row
            for row in rows
            if (row["quantity"], row["world"]) == (quantity, world)
        }
        sizes = " / ".join(map(str, next(iter(own.values()))["sizes"]))
        cells = [
            " / ".join(map(percent, own[method]["values"])) if method in own else ""
            for method in methods
        ]
        yield f"| {quantity} | {world} | {sizes} | {' | '.join(cells)} |"


def _earlier(rows: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """Count the figures of the earlier simulation that were found again, and name the others."""
    cells, odd = 0, []
    for row in rows:
        for size, value, known in zip(
            row["sizes"], row["values"], row["earlier"] or (), strict=False
        ):
            if known is None or value is None:
                continue
            cells += 1
            spread = max(value * (1 - value), known * (1 - known), 0.01)
            allowed = math.hypot(math.sqrt(spread * (1 / row["repetitions"] + 1 / 1000)), 0.003)
            if abs(value - known) > 2.5 * allowed:
                odd.append(
                    f"{row['world']}, n = {size}, {row['method']}: {percent(value)} here, {percent(known)} there"
                )
    rest = "\n".join([" The others:\n", *(f"- {one}" for one in odd)]) if odd else ""
    return {"near": cells - len(odd), "all": cells, "rest": rest}


def _machine(about: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return f"{about['date']}, Python {about['python']}, {versions}"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
