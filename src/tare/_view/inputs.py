"""The files and options behind an index, and whether an index still describes them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tare._data.passages import folder_files
from tare._signature import tare_version

if TYPE_CHECKING:
    from tare._view.answer_files import AnswerFiles

__all__ = ["Content", "ViewInputs"]

Content = Literal["rankings", "preferences", "texts", "answers"]
LAYOUT = 5  # of the index; a new layout makes older indexes stale


@dataclass(frozen=True)
class ViewInputs:
    """What a view shows: qrels, runs, and the texts of queries and documents.

    With `of_texts`, `qrels` is a file of generated texts with references, and there are no runs. With
    `answers`, it is the first file of assignments. With `of_preferences`, it contains preferences between
    documents.
    `options` are the settings that change the scores, such as measures and pool.
    """

    qrels: Path
    runs: tuple[Path, ...]
    queries: Path | None = None
    documents: str | None = None
    depth: int = 100
    options: tuple[tuple[str, str], ...] = ()
    of_texts: bool = False
    of_preferences: bool = False
    answers: AnswerFiles | None = None

    @property
    def content(self) -> Content:
        """What the pages show."""
        if self.answers is not None:
            return "answers"
        return "texts" if self.of_texts else "preferences" if self.of_preferences else "rankings"

    @property
    def files(self) -> list[Path]:
        """All files that are read; the files of a folder of documents are not listed."""
        first = [self.qrels] if self.answers is None else self.answers.files
        named = [*first, *self.runs, *([self.queries] if self.queries else [])]
        place = self.document_path
        return [*named, *([place] if place is not None else [])]

    @property
    def document_path(self) -> Path | None:
        """The file or folder of the documents, if they are not in ir_datasets."""
        if self.documents is None or self.documents.startswith("ir_datasets:"):
            return None
        return Path(self.documents)

    @property
    def index_folder(self) -> Path:
        """The folder of indexes next to the qrels."""
        return self.qrels.absolute().parent / ".tare-view"

    def index_path(self) -> Path:
        """Return the place of the index next to the qrels; other inputs get another index."""
        named = [str(p.absolute()) for p in self.files] + [str(self.documents), str(self.depth)]
        key = hashlib.sha256(json.dumps([named, self.options]).encode()).hexdigest()[:10]
        return self.index_folder / f"{self.qrels.name}-{key}.sqlite"

    def describe(self) -> dict[str, Any]:
        """Return what identifies the inputs: their paths, the digests of their contents, and the options."""
        return {
            "layout": LAYOUT,
            "tare": tare_version(),
            "files": [[str(path.absolute()), _digest(path)] for path in self.files],
            "documents": self.documents,
            "depth": self.depth,
            "options": [list(option) for option in self.options],
        }


def _digest(path: Path) -> str:
    """Return the SHA-256 digest of a file, or of the names in a folder, whose texts are not in the index."""
    if path.is_dir():
        names = sorted(passage.file for passage in folder_files(path))
        return hashlib.sha256(json.dumps(names).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
