"""The answers of the study of learned measures: correlations, chosen features, coefficients, gaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from tare._measures.text.learned import LearnedModel
from tare._result import MultiTableResult, Rows
from tare._signature import Signature
from tare._tables import Column, Table
from tare.errors import OptionError

__all__ = ["LearnedMeasures"]


@dataclass(frozen=True, eq=False, repr=False)
class LearnedMeasures(MultiTableResult):
    """Learned measures and their tests; `models` holds one for use by method, fitted to all parts."""

    figure_module: ClassVar[str] = "tare.report._chapters.studies.learned"

    correlations: Rows
    chosen: Rows
    coefficients: Rows
    gaps: Rows
    models: dict[str, LearnedModel]
    features: tuple[str, ...]
    people: tuple[str, ...]
    outputs: int
    protocol: str
    level: str
    kind: str
    refit: str
    subsets: int
    draws: int
    confidence: float
    seed: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()
    tested_coefficients: Rows = field(default_factory=list)

    def model(self, method: str = "robust") -> LearnedModel:
        """The learned measure of a method."""
        if method not in self.models:
            raise OptionError(
                f"nothing was learned by {method!r}; there are: {', '.join(self.models)}."
            )
        return self.models[method]

    def all_rows(self) -> dict[str, Rows]:
        """Rows by name: correlations, chosen, coefficients, tested coefficients, gaps."""
        listed = [r | {"features": " + ".join(r["features"])} for r in self.chosen]
        return {
            "correlations": self.correlations,
            "chosen": listed,
            "coefficients": self.coefficients,
            "tested_coefficients": self.tested_coefficients,
            "gaps": self.gaps,
        }

    def facts(self) -> dict[str, Any]:
        """What the answers depend on."""
        names = ("protocol", "level", "kind", "refit", "subsets", "draws", "confidence", "seed")
        return {n: getattr(self, n) for n in names} | {
            "human": self.people[0],
            "outputs": self.outputs,
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Correlations on held-out outputs, beside single features; chosen subsets; coefficients."""
        keys = ("system", "item")
        measures = dict.fromkeys((r["peers"], r["measure"]) for r in self.correlations)
        by = {
            (r["peers"], r["measure"], r["level"], r["coefficient"]): r for r in self.correlations
        }
        columns: list[Column | str] = ["peers", "measure"]
        for level in keys:
            columns += [
                Column(f"{level} {self.kind}"),
                Column(f"{level} low"),
                Column(f"{level} high"),
            ]
        rows = []
        for peers, measure in measures:
            row: list[Any] = [peers, measure]
            for level in keys:
                found = by[peers, measure, level, self.kind]
                row += [found["value"], found["low_both"], found["high_both"]]
            rows.append(row)
        notes = [
            f"Human score: {self.people[0]}. Held out by {self.protocol}; each subset of "
            f"{len(self.features)} features ({self.subsets:,}) was trained on one part, chosen on a "
            f"second by the {self.kind} of the level {self.level}, refitted ({self.refit}) and used on "
            f"{self.outputs:,} outputs that took no part.",
            f"{100 * self.confidence:g} % intervals over systems and items, {self.draws:,} draws, seed "
            f"{self.seed}; a single feature needs no training.",
            *self.notes,
        ]
        made = {"correlations": Table.of(columns, rows, title="Learned measures", notes=notes)}
        shown = [[r[k] for k in ("held_out", "method", "features", "selected", "tested")] for r in self.all_rows()["chosen"]]  # fmt: skip
        made["chosen"] = Table.of(
            ["held out", "method", "features", Column("selected"), Column("tested")],
            shown,
            title="Chosen features",
            notes=["selected: the best correlation on the part it was chosen on, which flatters; "
                   "tested: on the part held out, – where it has a single system."],
        )  # fmt: skip
        made["coefficients"] = Table.of(
            ["method", "feature", Column("coefficient"), Column("standardised"), Column("chosen")],
            [[r[k] for k in ("method", "feature", "coefficient", "standardised", "chosen")] for r in self.coefficients],
            title="Coefficients",
            notes=["Of the measure for use; standardised: per standard deviation of the feature; "
                   "chosen: the share of tests whose subset holds the feature."],
        )  # fmt: skip
        names = ("held_out", "method", "feature", "coefficient", "standardised")
        made["tested coefficients"] = Table.of(
            ["held out", "method", "feature", Column("coefficient"), Column("standardised")],
            [[r.get(k) for k in names] for r in self.tested_coefficients],
            title="Coefficients of the models that were tested",
            notes=["Of the model that predicted the part held out, such as the tested year."],
        )
        return made
