"""Numbers by query and document: the base of judgements and rankings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from tare._writing import write_text
from tare.compat._arguments import found, mapping, text
from tare.compat.ranx._files import kind_of
from tare.errors import FormatError

__all__ = ["Dictionary", "DictionaryTable", "Number"]

Dictionary = Mapping[str, Mapping[str, Any]]
Number = Callable[[Any], Any]
Self = TypeVar("Self", bound="DictionaryTable")


class DictionaryTable:
    """Numbers by query and document."""

    _number: ClassVar[Number] = float
    _column: ClassVar[str] = "score"
    _what: ClassVar[str] = "run"

    @classmethod
    def _read(cls, value: Any, where: str) -> Any:
        """Return a grade or a score, or raise an error that names its place."""
        try:
            return cls._number(value)
        except (TypeError, ValueError, ArithmeticError):
            kind = "a whole number" if cls._number is int else "a number"
            raise FormatError(f"{where} is {found(value)}; expected {kind}.") from None

    def __init__(self, values: Dictionary | None = None, name: str | None = None) -> None:
        if name is not None:
            text("name", name)
        self.name = name
        self._values: dict[str, dict[str, Any]] = {}
        for query, documents in mapping(self._what, {} if values is None else values).items():
            where = f"{self._what}[{query!r}]"
            self._values[str(query)] = {
                str(document): self._read(value, f"{where}[{document!r}]")
                for document, value in mapping(where, documents).items()
            }

    def keys(self) -> Iterable[str]:
        """Return the query ids."""
        return self._values.keys()

    def get_query_ids(self) -> list[str]:
        """Return the query ids, sorted."""
        return sorted(self._values)

    def add_score(self, q_id: str, doc_id: str, score: Any) -> None:
        """Set the value of one document."""
        self._values.setdefault(q_id, {})[doc_id] = self._read(score, f"score of {doc_id!r}")

    def add(self, q_id: str, doc_ids: Sequence[str], scores: Sequence[Any]) -> None:
        """Set all documents of one query."""
        self._values[q_id] = {
            doc_id: self._read(score, f"score of {doc_id!r}")
            for doc_id, score in zip(doc_ids, scores, strict=True)
        }

    def add_multi(
        self,
        q_ids: Sequence[str],
        doc_ids: Sequence[Sequence[str]],
        scores: Sequence[Sequence[Any]],
    ) -> None:
        """Set all documents of several queries."""
        for query, documents, values in zip(q_ids, doc_ids, scores, strict=True):
            self.add(query, documents, values)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return a dictionary {query: {document: value}}, best document first."""
        return {
            query: dict(sorted(self._values[query].items(), key=lambda pair: -pair[1]))
            for query in sorted(self._values)
        }

    def to_dataframe(self) -> Any:
        """Return a pandas data frame with the columns q_id, doc_id and the value."""
        import pandas as pd

        rows = [(q, d, v) for q, docs in self.to_dict().items() for d, v in docs.items()]
        return pd.DataFrame(rows, columns=["q_id", "doc_id", self._column])

    def save(self, path: str | Path, kind: str | None = None) -> None:
        """Write a file: json, trec, or parquet, by default from the suffix."""
        kind = kind_of(path, kind)
        if kind == "json":
            write_text(path, json.dumps(self.to_dict(), indent=4))
        elif kind == "parquet":
            self.to_dataframe().to_parquet(path, index=False)
        elif kind == "trec":
            self._write_trec(path)
        else:
            raise FormatError(
                f"{path}: {kind} can be read, not written. Use json, trec or parquet."
            )

    def _write_trec(self, path: str | Path) -> None:
        raise NotImplementedError

    @classmethod
    def from_dict(cls: type[Self], d: Dictionary, name: str | None = None) -> Self:
        """Return the table of a dictionary {query: {document: value}}."""
        return cls(d, name)

    @classmethod
    def _from_frame(
        cls: type[Self], df: Any, columns: tuple[str, str, str], name: str | None
    ) -> Self:
        made: dict[str, dict[str, Any]] = {}
        missing = [column for column in columns if column not in df.columns]
        if missing:
            raise FormatError(
                f"the data frame has no column {missing[0]!r}. Columns: {', '.join(map(str, df.columns))}."
            )
        for query, document, value in zip(*(df[c].to_list() for c in columns), strict=True):
            made.setdefault(str(query), {})[str(document)] = value
        return cls(made, name)

    def __getitem__(self, q_id: str) -> dict[str, Any]:
        return dict(self._values[q_id])

    def __len__(self) -> int:
        return len(self._values)

    @property
    def size(self) -> int:
        """The number of queries."""
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self.to_dict())
