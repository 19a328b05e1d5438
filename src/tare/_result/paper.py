"""Results with a table for a paper: systems × measures, as LaTeX, Markdown or HTML."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from tare._files.writing import write_text
from tare._result.result import Result
from tare._tables import Table

__all__ = ["PaperResult"]


class PaperResult(Result):
    """A result with a table for a paper: a subclass defines `paper_table()`."""

    @abstractmethod
    def paper_table(self, *, marks: str | None = None, digits: int = 3) -> Table:
        """Return the table of systems × measures; its notes explain the marks."""

    def to_latex(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        marks: str | None = None,
        digits: int = 3,
        caption: str | None = None,
        label: str | None = None,
        notes: bool | str | Sequence[str] = True,
    ) -> str:
        r"""Return the table of systems × measures as LaTeX, for the package booktabs.

        Parameters
        ----------
        path : path, optional
            A file to write as well.
        marks : {"superscript", "dagger", "bold"}, optional
            How significant differences are marked. "superscript" names the systems that a score is
            significantly better than, as ranx does. "dagger" marks scores that differ from the
            baseline, or from the best score if there is no baseline. "bold" prints the best score in
            bold, and those that do not differ significantly from it. A comparison uses "superscript"
            by default. Scores by default mark only the best; with marks, `tare.compare` tests them.
        digits : int
            Digits after the decimal point.
        caption, label : str, optional
            Caption and label; with one of them, the table is inside a table environment.
        notes : bool, str or sequence of str
            The notes below the table: True explains the marks and names the test, False leaves them
            out, and a text replaces them.

        Returns
        -------
        str
            The LaTeX source.

        Examples
        --------
        >>> import tare
        >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
        >>> run = {"q1": {"a": 2.0}, "q2": {"c": 2.0, "b": 1.0}}
        >>> print(tare.evaluate(qrels, run, ["RR", "P@1"]).to_latex(notes=False))
        % needs \usepackage{booktabs}
        \begin{tabular}{lll}
        \toprule
        system & RR & P@1 \\
        \midrule
        run & \textbf{0.750} & \textbf{0.500} \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
        """
        from tare._tables import writers

        table = self._for_paper(marks, digits, notes)
        return _written(writers.render_latex(table, caption=caption, label=label), path)

    def to_markdown(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        marks: str | None = None,
        digits: int = 3,
        caption: str | None = None,
        notes: bool | str | Sequence[str] = True,
    ) -> str:
        """Return the table of systems × measures as Markdown; the options are those of `to_latex`."""
        table = replace(self._for_paper(marks, digits, notes), title=caption or "")
        return _written(table.render("markdown"), path)

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        marks: str | None = None,
        digits: int = 3,
        caption: str | None = None,
        notes: bool | str | Sequence[str] = True,
    ) -> str:
        """Return the table of systems × measures as HTML; the options are those of `to_latex`."""
        table = replace(self._for_paper(marks, digits, notes), title=caption or "")
        return _written(table.render("html"), path)

    def _for_paper(
        self, marks: str | None, digits: int, notes: bool | str | Sequence[str]
    ) -> Table:
        table = self.paper_table(marks=marks, digits=digits)
        if notes is True:
            return table
        own = () if notes is False else (notes,) if isinstance(notes, str) else tuple(notes)
        return replace(table, notes=own)


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        write_text(path, text)
    return text
