"""A trained ranker: scores documents, says which features matter, and what made it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.letor import Letor, read_letor
from tare._data.run import Run
from tare._signature import Signature, tare_version
from tare._tables import Column, Table
from tare.rankers._scorers import Scorer
from tare.rankers._training import Columns, features_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Model", "digest_of"]


def digest_of(letor: Letor) -> str:
    """What tells these data from others, in eight letters."""
    made = hashlib.blake2b(digest_size=4)
    for array in (letor.features, letor.grades, letor.offsets):
        made.update(np.ascontiguousarray(array).tobytes())
    return made.hexdigest()


@dataclass(frozen=True, eq=False)
class Model:
    """What a ranker learnt, the mode and options it learnt with, and from which data.

    `history` is the training measure or loss, round by round, where the method has rounds.
    """

    ranker: str
    mode: str
    options: Mapping[str, Any]
    seed: int
    columns: Columns
    scorer: Scorer
    trained_on: str
    train_digest: str
    valid_digest: str | None = None
    history: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()

    def score(self, letor: Any) -> NDArray[np.float64]:
        """A score for each row; features are matched by id, absent ones are 0."""
        given = read_letor(letor)
        features = features_of(given, self.columns, str(self.options.get("normalise", "none")))
        return np.ascontiguousarray(self.scorer.scores(features, given), dtype=np.float64)

    def run(self, letor: Any, *, system: str | None = None) -> Run:
        """The documents of each query ranked by their scores."""
        given = read_letor(letor)
        return given.run(scores=self.score(given), system=system or self.ranker)

    def findings(self, letor: Letor) -> tuple[Finding, ...]:
        """What the data to be ranked have or lack, compared with those that were learnt from."""
        last, theirs = (
            self.columns.first + self.columns.count - 1,
            letor.first_feature + letor.n_features - 1,
        )
        if letor.first_feature >= self.columns.first and theirs <= last:
            return ()
        message = (
            f"{letor.name} has the features {letor.first_feature} to {theirs}; {self.ranker} learnt "
            f"from {self.columns.first} to {last} and leaves the others out."
        )
        return (Finding("features not learnt from", message),)

    def importance(self) -> dict[int, float]:
        """{feature: share of what all features weigh}, the heaviest first."""
        found = self.scorer.importance()
        total = found.sum()
        shares = found / total if total > 0 else found
        order = np.argsort(-shares, kind="stable")
        return {int(k) + self.columns.first: float(shares[k]) for k in order}

    @property
    def signature(self) -> Signature:
        """What made this model."""
        facts: dict[str, Any] = {"mode": self.mode, **self.options, "seed": self.seed}
        facts |= {"train": self.train_digest, "valid": self.valid_digest, "tare": tare_version()}
        return Signature.of(self.ranker, facts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes JSON; `load` reads it, and nothing in it is ever run."""
        from tare.rankers._model_files import save

        save(self, path)

    def table(self) -> Table:
        """The features by importance."""
        rows = [(str(feature), share) for feature, share in self.importance().items() if share > 0]
        columns: list[Column | str] = [Column("feature"), Column("share")]
        notes = [f"{self.ranker}, mode {self.mode}; {self.signature}", *self.notes]
        return Table.of(columns, rows, title="Importance of features", notes=notes)

    def to_frame(self) -> pl.DataFrame:
        """A polars frame: feature, share."""
        import polars as pl

        found = self.importance()
        return pl.DataFrame({"feature": list(found), "share": list(found.values())})

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `save` writes it."""
        from tare.rankers._model_files import as_dict

        return as_dict(self)

    def __repr__(self) -> str:
        return f"Model({self.signature})"

    def _repr_html_(self) -> str:
        return self.table().to_html()
