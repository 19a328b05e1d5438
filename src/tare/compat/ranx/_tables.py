"""Qrels and Run: judgements and rankings, with the readers and writers of ranx."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from tare._data.qrels import read_qrels
from tare._data.run import read_run
from tare.compat.ranx._dictionary import Dictionary, DictionaryTable, Number
from tare.compat.ranx._files import kind_of, load_dictionary, load_parquet

__all__ = ["Qrels", "Run"]


class Qrels(DictionaryTable):
    """Relevance judgements.

    Parameters
    ----------
    qrels : dict, optional
        The grades, {query: {document: grade}}.
    name : str, optional
        A name.

    Examples
    --------
    >>> Qrels({"q_1": {"d_12": 5, "d_25": 3}}).to_dict()
    {'q_1': {'d_12': 5, 'd_25': 3}}
    """

    _number: ClassVar[Number] = int
    _column: ClassVar[str] = "score"
    _what: ClassVar[str] = "qrels"

    def __init__(self, qrels: Dictionary | None = None, name: str | None = None) -> None:
        super().__init__(qrels, name)

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The grades, {query: {document: grade}}."""
        return self._values

    @staticmethod
    def from_file(path: str | Path, kind: str | None = None) -> Qrels:
        """Read a file: json, trec, gz, lz4 or parquet, by default from the suffix.

        Parameters
        ----------
        path : path-like
            The file.
        kind : str, optional
            The format.

        Returns
        -------
        Qrels
            The judgements.
        """
        kind = kind_of(path, kind)
        if kind == "parquet":
            return Qrels.from_parquet(path)
        return Qrels(
            load_dictionary(path, kind) if kind in ("json", "lz4") else read_qrels(path).to_dict()
        )

    @staticmethod
    def from_df(
        df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score"
    ) -> Qrels:
        """Return the judgements of a data frame.

        Parameters
        ----------
        df : data frame
            One row per judgement.
        q_id_col, doc_id_col, score_col : str
            The names of the columns.

        Returns
        -------
        Qrels
            The judgements.
        """
        return Qrels._from_frame(df, (q_id_col, doc_id_col, score_col), None)

    @staticmethod
    def from_parquet(
        path: str | Path,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
    ) -> Qrels:
        """Read a Parquet file; the parameters are those of `from_df`."""
        return Qrels.from_df(load_parquet(path), q_id_col, doc_id_col, score_col)

    def _write_trec(self, path: str | Path) -> None:
        read_qrels(self.to_dict()).write(path)


class Run(DictionaryTable):
    """The ranked documents of one system.

    Parameters
    ----------
    run : dict, optional
        The scores, {query: {document: score}}.
    name : str, optional
        The name of the system.

    Attributes
    ----------
    scores, mean_scores, std_scores : dict
        Results of `evaluate`, by measure.

    Examples
    --------
    >>> Run({"q_1": {"d_12": 0.5, "d_23": 0.8}}, name="bm25").to_dict()
    {'q_1': {'d_23': 0.8, 'd_12': 0.5}}
    """

    _number: ClassVar[Number] = float

    def __init__(self, run: Dictionary | None = None, name: str | None = None) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, float]] = {}
        self.mean_scores: dict[str, Any] = {}
        self.std_scores: dict[str, Any] = {}

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """The scores, {query: {document: score}}."""
        return self._values

    def make_comparable(self, qrels: Qrels) -> Run:
        """Return a run of the same queries as the qrels; this one is not changed.

        Parameters
        ----------
        qrels : Qrels
            The judgements.

        Returns
        -------
        Run
            Without queries that are not judged, and with empty rankings for missing ones.
        """
        return Run({query: self.run.get(query, {}) for query in qrels.qrels}, self.name)

    @staticmethod
    def from_file(path: str | Path, kind: str | None = None, name: str | None = None) -> Run:
        """Read a file: json, trec, gz, lz4 or parquet, by default from the suffix.

        Parameters
        ----------
        path : path-like
            The file.
        kind : str, optional
            The format.
        name : str, optional
            The name of the system; by default the tag of a TREC run.

        Returns
        -------
        Run
            The ranked documents.
        """
        kind = kind_of(path, kind)
        if kind == "parquet":
            return Run.from_parquet(path, name=name)
        if kind in ("json", "lz4"):
            return Run(load_dictionary(path, kind), name)
        run = read_run(path, system_names="tag")
        return Run(run.to_dict(), name or run.system)

    @staticmethod
    def from_df(
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Run:
        """Return the run of a data frame.

        Parameters
        ----------
        df : data frame
            One row per document.
        q_id_col, doc_id_col, score_col : str
            The names of the columns.
        name : str, optional
            The name of the system.

        Returns
        -------
        Run
            The ranked documents.
        """
        return Run._from_frame(df, (q_id_col, doc_id_col, score_col), name)

    @staticmethod
    def from_parquet(
        path: str | Path,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Run:
        """Read a Parquet file; the parameters are those of `from_df`."""
        return Run.from_df(load_parquet(path), q_id_col, doc_id_col, score_col, name)

    def _write_trec(self, path: str | Path) -> None:
        read_run(self.to_dict(), system=self.name or "run").write(path)
