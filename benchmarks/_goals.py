"""The goals of the benchmarks: what is measured, the bound, and whether a figure meets it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GOALS", "Goal", "quantity"]


@dataclass(frozen=True)
class Goal:
    """A bound for one figure of a benchmark."""

    name: str
    bound: float
    unit: str
    at_least: bool

    def met(self, figure: float) -> bool:
        """Return whether a figure is within the bound."""
        return figure >= self.bound if self.at_least else figure <= self.bound

    def words(self) -> str:
        """Return the bound in words."""
        return f"at {'least' if self.at_least else 'most'} {quantity(self.bound, self.unit)}"

    def record(self, figure: float) -> dict[str, object]:
        """Return the figure, its goal and whether it is met, as they are saved."""
        bound = "at least" if self.at_least else "at most"
        return {
            "name": self.name,
            "figure": figure,
            "unit": self.unit,
            "bound": bound,
            "goal": self.bound,
            "met": self.met(figure),
        }


def least(name: str, bound: float, unit: str = "×") -> Goal:
    """Return a goal that large figures meet: a ratio of peer to tare, by default."""
    return Goal(name, bound, unit, True)


def most(name: str, bound: float, unit: str = "s") -> Goal:
    """Return a goal that small figures meet: a number of seconds, by default."""
    return Goal(name, bound, unit, False)


def quantity(figure: float, unit: str) -> str:
    """Return a figure with three significant digits and its unit."""
    digits = f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"
    return f"{digits} {unit}".strip()


# By the name of the script, which is also the name of its file of results.
GOALS: dict[str, tuple[Goal, ...]] = {
    "start": (
        most("`tare score` of 20 lines, less `import numpy`", 0.2),
        least("250 × 1,000 lines, 300,000 judgements: trec_eval ÷ `tare trec_eval`", 1),
    ),
    "ranking": (
        # A plain parse of the file on the same cores would reach 40; Python and its imports are a quarter.
        least("7,000 × 1,000 lines: trec_eval ÷ `tare trec_eval`", 10),
        least("7,000 × 1,000 lines: pytrec_eval ÷ `tare score`", 12),
        least("7,000 × 1,000 lines: ir_measures ÷ `tare score`", 12),
        most("7,000 × 1,000 lines: memory of `tare score` ÷ pytrec_eval", 0.333, "×"),
        least("250 × 1,000 lines: pytrec_eval ÷ `tare score`", 2),
        least("7 M rows in memory: pytrec_eval ÷ tare", 8),
        most("7 M rows in memory: 30 measures ÷ 3 measures", 3, "×"),
    ),
    "files": (
        most("7 M lines, `tare.evaluate` ÷ plain C++ parse on the same cores", 2.5, "×"),
        most("gzip: `tare.evaluate` ÷ decompressor", 1.1, "×"),
        most("zstd: `tare.evaluate` ÷ decompressor and plain parse", 2.5, "×"),
    ),
    "doors": (
        least("1,000 × 1,000 from dictionaries: pytrec_eval ÷ tare", 3),
        least("BEIR's JSON of 100 MB: `json.load` and pytrec_eval ÷ `tare score`", 5),
        most("BEIR's JSON of 100 MB: memory ÷ file", 3, "×"),
    ),
    "compat": (
        least("`tare.compat.pytrec_eval`, 1,000 × 1,000, 3 measures: pytrec_eval ÷ tare", 2),
        least("the evaluator inside MTEB: pytrec_eval ÷ tare", 3),
    ),
    "letor": (
        least("200 MB of LETOR text: scikit-learn ÷ `tare.read_letor`", 20),
        most("200 MB of LETOR text: memory beyond the file ÷ matrix", 1.2, "×"),
    ),
    "chance": (
        most("7 M rows: nDCG@10 with E and Net ÷ nDCG@10", 1.2, "×"),
        most("`tare floor` of 1,000,000 judgements", 1),
        most("band of random rankers over 10,000 queries", 1),
    ),
    "diversity": (
        least("one run × 50 topics: pyndeval ÷ `tare ndeval`", 0.7),
        # Half of it is the start of Python and `import numpy`.
        least("8 runs × 50 topics: pyndeval ÷ `tare score`", 2.5),
        most("preferences of 100 documents, simulated", 1),
        most("nPrf of 60 systems × 50 topics", 2),
    ),
    "statistics": (
        least("paired t: loop over scipy ÷ tare", 400),
        least("Wilcoxon: loop over scipy ÷ tare", 150),
        least("swap test: loop over scipy ÷ tare", 200),
        least("studentised bootstrap: loop over NumPy ÷ tare", 150),
        most("randomised Tukey, 10,000 draws", 1),
        least("τ, 1,000 resamples: loop over scipy ÷ tare", 8),
        least("α (nominal), 1,000 resamples: loop over krippendorff ÷ tare", 100),
        least("α (ordinal), 1,000 resamples: loop over krippendorff ÷ tare", 100),
        least("α (interval), 1,000 resamples: loop over krippendorff ÷ tare", 100),
    ),
    "studies": (
        most("robust regression of all 8,191 subsets, 2,500 rows", 5),
        most("three fits of all subsets, with selection", 10),
        most("discriminative power, 60 systems, 10 measures, 10,000 draws", 5),
    ),
    "judges": (
        most("audit of 33 judges × 4,400 pairs, 2,000 resamples", 5),
        most("estimates of 60 systems × 1,000 queries × 5 measures, all pairs", 2),
        least("estimates: loop over ppi_py ÷ tare", 50),
    ),
    "gate": (
        most("`tare gate`, 10,000 queries × 5 measures", 0.8),
        most("`tare leaderboard`, 181 systems × 41 tasks, 10,000 draws", 3),
        most("`tare leaderboard`, 200 systems × 10 data sets × 1,000 queries", 10),
        most("the same: memory", 2, "GB"),
    ),
    "answers": (
        most("`tare arena`, 1,000,000 battles, 2 covariates, 1,000 draws", 10),
        least("fit and draws without covariates: evalica ÷ tare", 10),
        least("fit and draws without covariates: choix ÷ tare", 10),
    ),
    "text": (
        least("ROUGE with stemming, 55 words: rouge-score ÷ tare", 100),
        least("ROUGE with stemming, 55 words, one thread: rouge-score-rs ÷ tare", 1.3),
        least("ROUGE with stemming, 55 words, all threads: rouge-score-rs ÷ tare", 1.3),
        least("ROUGE with stemming, 1,000 words: rouge-score ÷ tare", 100),
        least("ROUGE with stemming, 1,000 words, one thread: rouge-score-rs ÷ tare", 1.3),
        least("ROUGE with stemming, 1,000 words, all threads: rouge-score-rs ÷ tare", 1.3),
        most("13 features of 10,000 summaries, one thread", 5),
    ),
    "bertscore": (
        least("BERTScore, one reference: bert-score ÷ tare", 1.3),
        most("exact expected ROUGE-2 of 1,600 summaries, one core", 10),
    ),
    "rankers": (
        most("the slowest of eight rankers on MQ2008, one thread", 10),
        most("eight rankers on MQ2008, one thread", 60),
        most("coordinate ascent on data like MSLR, one thread", 120),
        most("LambdaMART on data like MSLR, one thread", 240),
    ),
    "judging": (
        most("200 assessors, SQLite: median of the answers", 20, "ms"),
        most("200 assessors, SQLite: 99 % of the answers", 200, "ms"),
        most("answers lost, duplicate or above the overlap, kills included", 0, ""),
    ),
    "view": (
        most("`tare view`, 100,000 queries: first page", 1),
        most("`tare view`, 100,000 queries: page of a query, median", 0.1),
    ),
    "limits": (
        most("10^7 queries with one document", 20),
        most("10^7 queries with one document: memory", 3, "GB"),
    ),
    "growth": (
        most("exponent of processor time: rows", 1.05, ""),
        most("exponent of processor time: queries", 1.05, ""),
        most("exponent of processor time: systems", 1.05, ""),
        most("exponent of processor time: measures", 1.05, ""),
        most("exponent of processor time: draws", 1.05, ""),
        most("exponent of processor time: characters", 1.05, ""),
    ),
    "nodes": (
        most("200 M rows, grouped: three Ray nodes ÷ `local` on the same cores", 1.5, "×"),
        most("memory of the calling process: 200 M rows ÷ 10 M rows", 1.05, "×"),
        most("200 M rows: `tare part` × 4 and `tare join` ÷ `tare score --engine local`", 1.1, "×"),
    ),
    "report": (),
    "build": (
        most("`make demo` from nothing", 120),
        most("wheel from the sources", 60),
    ),
}
