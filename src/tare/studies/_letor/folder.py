"""The folder of a learning-to-rank study: a second call computes only what is missing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._data.letor import Letor
from tare._data.runs import Run
from tare._files.writing import write_text
from tare._measures.scores import Scores
from tare._result import Result
from tare.errors import FormatError, TareError

if TYPE_CHECKING:
    from tare.rankers import Model, Ranker

__all__ = ["StudyFolder"]


class StudyFolder:
    """A folder with models/, runs/, scores.parquet, sets.json, tables/, journals/ and study.json.

    If the path is None, nothing is written.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self.facts = ""  # the content of study.json

    def begin(self, facts: Mapping[str, Any]) -> None:
        """Write study.json, or raise if the folder belongs to a study with other data or options."""
        if self.path is None:
            return
        self.path.mkdir(parents=True, exist_ok=True)
        about = self.path / "study.json"
        wanted = json.loads(json.dumps(facts))
        if about.exists():
            try:
                found = json.loads(about.read_text(encoding="utf-8"))
            except ValueError:
                found = None
            given = found if isinstance(found, dict) else {}
            if given.get("tare", wanted["tare"]) != wanted["tare"]:
                raise FormatError(
                    f"{self.path}: the folder was written by tare {given['tare']}, and this is tare "
                    f"{wanted['tare']}. Finish the study with that version, or choose another folder."
                )
            odd = next((k for k in wanted if given.get(k) != wanted[k]), None)
            if odd is not None:
                raise FormatError(
                    f"{self.path}: the folder belongs to another study ({odd} differs). Use the data "
                    "and options of that study, or choose another folder."
                )
        self.facts = json.dumps(wanted, indent=1, ensure_ascii=False) + "\n"
        write_text(about, self.facts)

    def kept_model(
        self, fold: str, ranker: Ranker, train: Letor, valid: Letor | None, seed: int
    ) -> Model | None:
        """Return the saved model if data, options and seed are the same."""
        if self.path is None:
            return None
        from tare.rankers import load

        path = self._model_path(fold, ranker)
        if not path.exists():
            return None
        try:
            kept = load(path)
        except TareError:
            return None
        if not ranker.would_reproduce(kept, train, valid, seed):
            return None
        return kept

    def keep_model(self, fold: str, ranker: Ranker, model: Model) -> None:
        """Save a model."""
        if self.path is not None:
            model.save(self._model_path(fold, ranker))

    def is_visible(self) -> bool:
        """Return whether this process, perhaps on another machine, sees the folder of this study."""
        if self.path is None:
            return False
        try:
            return (self.path / "study.json").read_text(encoding="utf-8") == self.facts
        except (OSError, ValueError):
            return False

    def _model_path(self, fold: str, ranker: Ranker) -> Path:
        assert self.path is not None
        return self.path / "models" / fold / f"{ranker.name}.json"

    def run(self, run: Run) -> None:
        """Save a run in TREC format."""
        if self.path is not None:
            (self.path / "runs").mkdir(exist_ok=True)
            run.write(self.path / "runs" / f"{run.system}.run")

    def journal(self, name: str) -> Path | None:
        """Return the path of the journal of one step, or None."""
        return None if self.path is None else self.path / "journals" / f"{name}.jsonl"

    def scores(self, scores: Scores, sets: Mapping[str, Any]) -> None:
        """Save the score table and the sets of queries of each case study."""
        if self.path is None:
            return
        scores.save(self.path / "scores.parquet")
        text = json.dumps(sets, indent=1, ensure_ascii=False)
        write_text(self.path / "sets.json", text + "\n")

    def load(self) -> tuple[Scores, dict[str, dict[str, tuple[str, ...]]]]:
        """Read the score table and the sets of queries by case study that another study saved here."""
        if self.path is None or not (self.path / "scores.parquet").exists():
            raise FormatError(
                f"{self.path}: not the folder of a finished study; scores.parquet is missing."
            )
        scores = Scores.load(self.path / "scores.parquet")
        try:
            given = json.loads((self.path / "sets.json").read_text(encoding="utf-8"))
            sets = {
                str(case): {str(k): tuple(str(q) for q in v) for k, v in own.items()}
                for case, own in given.items()
            }
        except (OSError, ValueError, AttributeError, TypeError):
            raise FormatError(
                f"{self.path}: sets.json is damaged. Run the study of this folder again."
            ) from None
        return scores, sets

    def label(self) -> str:
        """Return the name of the folder."""
        return "" if self.path is None else self.path.resolve().name

    def tables(self, found: Result) -> None:
        """Save tables as Markdown and rows as CSV."""
        if self.path is not None:
            found.save(self.path / "tables")
