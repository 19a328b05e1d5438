"""Report: the result of a comparison, as text, LaTeX, dictionary or data frame."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tare._writing import write_text
from tare.compat.ranx._names import label_of

__all__ = ["Report"]

SUPERSCRIPTS = dict(zip("abcdefghijklmnopqrstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
TESTS = {
    "student": "a paired Student's t-test",
    "fisher": "Fisher's randomization test",
    "tukey": "Tukey's HSD test",
}
_ESCAPES = {c: f"\\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\^{}"}
_ESCAPES |= {"\\": r"\textbackslash{}"}


class Report:
    """Means of systems, with p-values of all pairs. Made by `compare`.

    Attributes
    ----------
    model_names, metrics : list of str
        The systems and the measures.
    results : dict
        Means by system and measure.
    comparisons : dict
        By pair of systems (a frozenset) and measure: `p_value` and `significant`.
    win_tie_loss : dict
        By ordered pair and measure: the number of queries won (W), tied (T) and lost (L).

    Examples
    --------
    >>> from tare.compat.ranx import Qrels, Run, compare
    >>> run = Run({"q": {"a": 1.0}}, name="x")
    >>> compare(Qrels({"q": {"a": 1}}), [run], "mrr").to_dict()["x"]["scores"]
    {'mrr': 1.0}
    """

    def __init__(
        self,
        model_names: Sequence[str],
        results: Mapping[str, Mapping[str, float]],
        comparisons: Mapping[frozenset[str], Mapping[str, Mapping[str, Any]]],
        metrics: Sequence[str],
        max_p: float,
        win_tie_loss: Mapping[tuple[str, str], Mapping[str, Mapping[str, int]]],
        rounding_digits: int = 3,
        show_percentages: bool = False,
        stat_test: str = "student",
    ) -> None:
        self.model_names = list(model_names)
        self.results = results
        self.comparisons = comparisons
        self.metrics = list(metrics)
        self.max_p = max_p
        self.win_tie_loss = win_tie_loss
        self.rounding_digits = rounding_digits
        self.show_percentages = show_percentages
        self.stat_test = stat_test

    def to_table(self) -> str:
        """Return the table as text; a superscript names a system that is significantly worse.

        Returns
        -------
        str
            One line per system.
        """
        rows = [["#", "Model", *map(label_of, self.metrics)]]
        for i, model in enumerate(self.model_names):
            cells = [
                self._shown(model, name)
                + "".join(
                    "".join(SUPERSCRIPTS[c] for c in _letter(j)) for j in self._worse(model, name)
                )
                for name in self.metrics
            ]
            rows.append([_letter(i), model, *cells])
        widths = [max(3, *(len(row[c]) for row in rows)) for c in range(len(rows[0]))]
        rows.insert(1, ["-" * width for width in widths])
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        ]
        return "\n".join(line.rstrip() for line in lines)

    def to_latex(self) -> str:
        """Return a LaTeX table for a paper; it needs the package booktabs.

        Returns
        -------
        str
            A table with the best means in bold and superscripts for significant differences.
        """
        best = {n: max(self.results[m][n] for m in self.model_names) for n in self.metrics}
        lines = [
            "% needs \\usepackage{booktabs}",
            "\\begin{table*}[ht]",
            "\\centering",
            "\\caption{Effectiveness of the systems. The best means are in boldface. A superscript names a "
            f"system that is significantly worse by {TESTS[self.stat_test]} ($p \\le {self.max_p:g}$).}}",
            "\\label{tab:results}",
            "\\begin{tabular}{ll" + "l" * len(self.metrics) + "}",
            "\\toprule",
            " & ".join(["\\#", "Model", *(_escaped(label_of(n)) for n in self.metrics)]) + r" \\",
            "\\midrule",
        ]
        for i, model in enumerate(self.model_names):
            cells = []
            for name in self.metrics:
                shown = self._shown(model, name)
                if self.results[model][name] == best[name]:
                    shown = f"\\textbf{{{shown}}}"
                worse = "".join(_letter(j) for j in self._worse(model, name))
                cells.append(shown + (f"$^{{{worse}}}$" if worse else ""))
            lines.append(" & ".join([_letter(i), _escaped(model), *cells]) + r" \\")
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table*}"])

    def to_dict(self) -> dict[str, Any]:
        """Return means, p-values, wins, ties and losses by system.

        Returns
        -------
        dict
            The keys stat_test, metrics and model_names, and one key per system.
        """
        found: dict[str, Any] = {
            "stat_test": self.stat_test,
            "metrics": self.metrics,
            "model_names": self.model_names,
        }
        for model in self.model_names:
            others = [other for other in self.model_names if other != model]
            found[model] = {
                "scores": dict(self.results[model]),
                "comparisons": {
                    other: {
                        name: self.comparisons[frozenset((model, other))][name]["p_value"]
                        for name in self.metrics
                    }
                    for other in others
                },
                "win_tie_loss": {
                    other: {n: dict(v) for n, v in self.win_tie_loss[model, other].items()}
                    for other in others
                },
            }
        return found

    def to_dataframe(self) -> Any:
        """Return the means as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row per system, with the column model_names and one column per measure.
        """
        import pandas as pd

        rows = [{"model_names": m, **self.results[m]} for m in self.model_names]
        return pd.DataFrame(rows)

    def save(self, path: str | Path) -> None:
        """Write `to_dict` as JSON.

        Parameters
        ----------
        path : path-like
            The file.
        """
        write_text(path, json.dumps(self.to_dict(), indent=4))

    def _shown(self, model: str, name: str) -> str:
        value = self.results[model][name]
        if self.show_percentages:
            return f"{100 * value:.{max(0, self.rounding_digits - 2)}f}"
        return f"{value:.{self.rounding_digits}f}"

    def _worse(self, model: str, name: str) -> list[int]:
        """Return the positions of the systems that are significantly worse."""
        return [
            j
            for j, other in enumerate(self.model_names)
            if other != model
            and self.comparisons[frozenset((model, other))][name]["significant"]
            and self.results[model][name] > self.results[other][name]
        ]

    def __repr__(self) -> str:
        return self.to_table()


def _letter(i: int) -> str:
    """Return a, b, …, z, aa, ab, …

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'aa')
    """
    before, at = divmod(i, 26)
    return (_letter(before - 1) if before else "") + "abcdefghijklmnopqrstuvwxyz"[at]


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)
