"""The result of the study of learned measures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from tare._measures.text.learned import LearnedModel
from tare._result import MultiTableResult, Row, Rows
from tare._signature import Signature
from tare._tables import Column, Table
from tare.errors import OptionError

__all__ = ["LearnedMeasures"]


@dataclass(frozen=True, eq=False, repr=False)
class LearnedMeasures(MultiTableResult):
    """Learned measures and their correlations with people on held-out outputs.

    Attributes
    ----------
    correlations, chosen, coefficients, gaps, tested_coefficients : list of dict
        Correlations; chosen features; coefficients of the final models; human and measured means of
        systems; coefficients of the tested models.
    models : dict of str to LearnedModel
        The final model of each method, fitted to all data.
    features, people : tuple of str
        The features and the human scores; the first human score is the target.
    outputs, subsets : int
        Number of outputs, and of subsets of features.
    protocol, level, kind, refit : str
        How outputs were held out, and how subsets were chosen and refitted.
    draws, seed : int
        Number of resamples, and their seed.
    confidence : float
        Confidence level of the intervals.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import polars as pl
    >>> import tare
    >>> cells = [(f"s{s}", f"i{i:02}", s, (i * 7 + s * 3) % 11) for s in range(4) for i in range(20)]
    >>> rows = [(s, i, a + b, b, a) for s, i, a, b in cells]
    >>> frame = pl.DataFrame(rows, schema=["system", "item", "f1", "f2", "overall"], orient="row")
    >>> features, human = (tare.Scores.load(frame.drop(x)) for x in ("overall", ["f1", "f2"]))
    >>> found = tare.studies.learned_measure(features, human, methods=["ridge"], ridge=0.0, draws=100)
    >>> found.outputs, found.features, list(found.models)
    (80, ('f1', 'f2'), ['ridge'])
    """

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
        """Return the final model of a method.

        Parameters
        ----------
        method : str
            A key of `models`.

        Returns
        -------
        LearnedModel
            The model. Its method ``save(path)`` writes a file for the measure ``Learned(path=…)``.

        Raises
        ------
        OptionError
            If the method was not used.
        """
        if method not in self.models:
            raise OptionError(
                f"method={method!r} was not used. Accepted: {', '.join(self.models)}."
            )
        return self.models[method]

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows by name: correlations, chosen, coefficients, tested_coefficients, gaps."""
        listed = [r | {"features": " + ".join(r["features"])} for r in self.chosen]
        return {
            "correlations": self.correlations,
            "chosen": listed,
            "coefficients": self.coefficients,
            "tested_coefficients": self.tested_coefficients,
            "gaps": self.gaps,
        }

    def facts(self) -> Row:
        """Return the options, the target, the number of outputs, signatures and notes."""
        names = ("protocol", "level", "kind", "refit", "subsets", "draws", "confidence", "seed")
        return {n: getattr(self, n) for n in names} | {
            "human": self.people[0],
            "outputs": self.outputs,
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Return correlations on held-out outputs, chosen features, and coefficients."""
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
            f"Human score: {self.people[0]}. Held out: {self.protocol}. All {self.subsets:,} subsets of "
            f"{len(self.features)} features were trained on one part of the data. The best subset was "
            f"chosen on a second part by {self.kind} at {self.level} level, refitted ({self.refit}), and "
            f"tested on {self.outputs:,} held-out outputs.",
            f"{100 * self.confidence:g} % intervals over systems and items, {self.draws:,} draws, seed "
            f"{self.seed}. Single features need no training.",
            *self.notes,
        ]
        made = {
            "correlations": Table.of(
                columns,
                rows,
                title="Learned measures and single features: correlation with people",
                notes=notes,
            )
        }
        shown = [
            [r[k] for k in ("held_out", "method", "features", "selected", "tested")]
            for r in self.all_rows()["chosen"]
        ]
        made["chosen"] = Table.of(
            ["held out", "method", "features", Column("selected"), Column("tested")],
            shown,
            title="Chosen features",
            notes=[
                "selected: correlation on the part used to choose the subset, which is too high. "
                "tested: correlation on the held-out part; undefined (–) for a single system."
            ],
        )
        made["coefficients"] = Table.of(
            ["method", "feature", Column("coefficient"), Column("standardised"), Column("chosen")],
            [
                [r[k] for k in ("method", "feature", "coefficient", "standardised", "chosen")]
                for r in self.coefficients
            ],
            title="Coefficients",
            notes=[
                "Coefficients of the final measures. standardised: per standard deviation of the "
                "feature. chosen: share of tests in which the chosen subset has the feature."
            ],
        )
        names = ("held_out", "method", "feature", "coefficient", "standardised")
        made["tested coefficients"] = Table.of(
            ["held out", "method", "feature", Column("coefficient"), Column("standardised")],
            [[r.get(k) for k in names] for r in self.tested_coefficients],
            title="Coefficients of the tested models",
            notes=["Coefficients of the model that predicted the held-out part, such as a year."],
        )
        return made
