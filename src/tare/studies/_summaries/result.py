"""The result of the study of summaries, with published numbers (Feng 2023, ch. 8 and 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tare._measures.names import parse
from tare._result import Row, Rows
from tare._signature import Signature
from tare._tables import Column, PColumn, Table
from tare.chance._kinds_of_queries import DocumentKinds
from tare.studies._named_rows import NamedRowsResult

__all__ = ["PUBLISHED", "SummaryStudy"]

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
# (table, set, measure): correlations on the four dimensions, as printed
PUBLISHED: dict[tuple[str, str, str], tuple[float, float, float, float]] = {
    ("8.1", "100 documents", "BERTScore"): (0.0, -0.106, 0.167, -0.03),
    ("8.1", "100 documents", "V1(BERTScore)"): (0.03, -0.198, 0.25, 0.06),
    ("8.1", "100 documents", "V2(BERTScore)"): (0.15, 0.045, 0.44, 0.18),
    ("8.2", "20 heterogeneous", "BERTScore"): (-0.198, 0.03, 0.29, -0.06),
    ("8.2", "20 heterogeneous", "V1(BERTScore)"): (-0.076, 0.09, 0.351, 0.06),
    ("8.2", "20 heterogeneous", "V2(BERTScore)"): (0.106, 0.151, 0.412, 0.303),
    ("8.3", "20 homogeneous", "BERTScore"): (-0.18, -0.3, -0.2, -0.24),
    ("8.3", "20 homogeneous", "V1(BERTScore)"): (-0.18, -0.24, -0.11, -0.3),
    ("8.3", "20 homogeneous", "V2(BERTScore)"): (-0.21, -0.39, -0.078, -0.39),
    ("9.1", "100 documents", "ROUGE"): (0.08, 0.09, 0.04, 0.13),
    ("9.1", "100 documents", "V1(ROUGE)"): (0.08, 0.1, 0.04, 0.12),
    ("9.1", "100 documents", "V2(ROUGE)"): (0.08, 0.1, 0.4, 0.12),
}
# win, lose, tie against the original measure, in per cent
PUBLISHED_WINS = {
    ("8.4", "V1(BERTScore)"): (24, 10, 66),
    ("8.4", "V2(BERTScore)"): (24, 10, 66),
    ("9.2", "V1(ROUGE)"): (32, 12, 56),
    ("9.2", "V2(ROUGE)"): (32, 14, 54),
}
NAMES = {"system": "system", "item": "summary"}
LEVELS = {"system": "systems", "item": "summaries of one document, mean over documents"}


@dataclass(frozen=True, eq=False, repr=False)
class SummaryStudy(NamedRowsResult):
    """Correlations of text measures with people, with and without normalisation.

    Attributes
    ----------
    rows_by_name : dict of str to list of dict
        Correlations, improvements and wins.
    kinds : DocumentKinds or None
        The kinds of documents, if a model was given.
    systems, items, measures : tuple of str
        What was compared.
    people : tuple of str
        The human ratings.
    kind : str
        The coefficient of the tables.
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
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> import tare
    >>> rows = [
    ...     {"system": f"s{s}", "item": f"d{d}", "text": "one two three"[: 3 + 4 * s],
    ...      "references": ["one two three four"], "source": "one two three four five",
    ...      "scores": {"overall": s + d % 2}}
    ...     for s in range(3) for d in range(4)
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rated.jsonl"
    ...     _ = path.write_text("".join(json.dumps(row) + "\\n" for row in rows))
    ...     found = tare.studies.summaries(path, measures=["ROUGE-1"], draws=100)
    >>> found.systems, found.kind
    (('s0', 's1', 's2'), 'tau_b')
    >>> list(found.all_rows())
    ['correlations', 'improvements', 'wins', 'published', 'published_wins']
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.summaries"

    rows_by_name: dict[str, Rows]
    kinds: DocumentKinds | None
    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[str, ...]
    people: tuple[str, ...]
    kind: str
    draws: int
    confidence: float
    seed: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()

    def all_rows(self) -> dict[str, Rows]:
        """Return rows: correlations, improvements, wins, documents, published, published_wins."""
        documents = [] if self.kinds is None else self.kinds.to_frame().to_dicts()
        published = [
            {"table": table, "set": name, "measure": measure}
            | dict(zip(DIMENSIONS, v, strict=True))
            for (table, name, measure), v in PUBLISHED.items()
        ]
        wins = [
            {"table": table, "measure": measure, "win": v[0], "lose": v[1], "tie": v[2]}
            for (table, measure), v in PUBLISHED_WINS.items()
        ]
        whole = {
            **self.rows_by_name,
            "documents": documents,
            "published": published,
            "published_wins": wins,
        }
        return {name: rows for name, rows in whole.items() if rows}

    def facts(self) -> Row:
        """Return the options, signatures and notes."""
        names = ("kind", "draws", "confidence", "seed")
        return {n: getattr(self, n) for n in names} | {
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def headlines(self) -> list[str]:
        """Return one sentence per normalised measure and level: the change of the correlation."""
        made = []
        for measure in self.measures:
            if parse(measure).inner is None:
                continue
            for level in LEVELS:
                own = self.find(
                    "improvements",
                    set="all documents",
                    level=level,
                    coefficient=self.kind,
                    measure=measure,
                )
                up = sum(r["value"] > r["inside_value"] + 1e-12 for r in own)
                down = sum(r["value"] < r["inside_value"] - 1e-12 for r in own)
                gain = sum(r["value"] - r["inside_value"] for r in own) / max(len(own), 1)
                made.append(
                    f"{measure}, {NAMES[level]} level: mean change of {self.kind} from "
                    f"{own[0]['inside'] if own else '–'} over {len(own)} dimensions {_sign(gain)}; "
                    f"higher on {up}, lower on {down}; not tested."
                )
        return made

    def tables(self) -> dict[str, Table]:
        """Return correlations, intervals, improvements, wins, published numbers, and documents."""
        made = {level: self._correlations(level) for level in LEVELS}
        made["intervals"] = self._intervals()
        made["improvements"] = self._improvements()
        made["wins"] = self._wins()
        made["published"] = self._published()
        made["published wins"] = Table.of(
            ["printed table", "measure", Column("win %"), Column("lose %"), Column("tie %")],
            [(t, m, *v) for (t, m), v in PUBLISHED_WINS.items()],
            title="Published disagreements: win, lose, tie",
            notes=[
                "Feng (2023), Tables 8.4 and 9.2, as printed: compared with the original measure."
            ],
        )
        if self.kinds is not None:
            made["documents"] = self.kinds.table()
        return made

    def _correlations(self, level: str) -> Table:
        cells = {
            (r["set"], r["measure"], r["human"]): r["value"]
            for r in self.find("correlations", level=level, coefficient=self.kind)
        }
        keys = dict.fromkeys((name, measure) for name, measure, _ in cells)
        rows = [(*key, *(cells[(*key, rating)] for rating in self.people)) for key in keys]
        notes = [
            f"{self.kind} over {LEVELS[level]}; {len(self.systems)} systems, {len(self.items)} "
            f"documents, seed {self.seed}."
        ]
        return Table.of(
            ["set", "measure", *(Column(rating) for rating in self.people)],
            rows,
            title=f"Correlation with people, {NAMES[level]} level",
            notes=[*notes, *self.notes],
        )

    def _intervals(self) -> Table:
        rows = [
            (
                r["set"],
                r["human"],
                NAMES[r["level"]],
                r["measure"],
                r["value"],
                r["low_both"],
                r["high_both"],
            )
            for r in self.find("correlations", coefficient=self.kind)
            if r["set"] == "all documents"
        ]
        columns: list[Column | str] = ["set", "human", "level", "measure"]
        columns += [Column(name) for name in ("value", "low", "high")]
        note = (
            f"{100 * self.confidence:g} % intervals of the expected {self.kind} for sets of systems and "
            f"documents of this size ({self.draws:,} resamples), each on its own. The rows have the other "
            "coefficients and sets."
        )
        return Table.of(
            columns, rows, title="Confidence intervals of the correlation with people", notes=[note]
        )

    def _improvements(self) -> Table:
        found = self.find("improvements", coefficient=self.kind)
        cells = {(r["set"], r["level"], r["measure"], r["human"]): r["pai"] for r in found}
        rows = []
        for key in dict.fromkeys(k[:3] for k in cells):
            own = [cells[(*key, rating)] for rating in self.people]
            known = [v for v in own if v is not None]
            shown = (key[0], NAMES[key[1]], key[2])
            rows.append((*shown, *own, sum(known) / len(known) if known else None))
        columns: list[Column | str] = ["set", "level", "measure"]
        columns += [Column(name) for name in (*self.people, "mean")]
        note = (
            f"PAI: 100·(r − r₀)/|r₀|, where r is {self.kind} and r₀ that of the measure without "
            "normalisation; undefined (–) if r₀ = 0. If r₀ is near 0, a large PAI means little."
        )
        return Table.of(
            columns,
            rows,
            title="Improvement of the correlation by normalisation (PAI)",
            notes=[note],
        )

    def _wins(self) -> Table:
        rows = []
        for r in self.rows_by_name["wins"]:
            total = r["win"] + r["lose"] + r["tie"]
            shares = [100 * r[k] / total if total else None for k in ("win", "lose", "tie")]
            rows.append(
                (
                    r["set"],
                    r["human"],
                    r["first"],
                    r["pairs"],
                    r["disagreements"],
                    *shares,
                    r["p_adjusted"],
                )
            )
        numbers = [Column(n) for n in ("pairs", "disagreements")]
        numbers += [Column(n, digits=1) for n in ("win %", "lose %", "tie %")]
        note = (
            "Pairs of summaries of one document that a normalised measure and its original order "
            "differently: people agree with the normalised measure (win), with the original (lose), or "
            "see no difference (tie). p adjusted: the two standardised measures are exchanged system by "
            "system; Holm's correction over the normalised measures of one set and dimension. Assumes that, "
            "if the measures do not differ, each system's scores are as likely to come from one as from "
            "the other."
        )
        columns: list[Column | str] = ["set", "human", "measure", *numbers, PColumn("p adjusted")]
        return Table.of(
            columns,
            rows,
            title="Disagreements with the original measure: win, lose, tie",
            notes=[note],
        )

    def _published(self) -> Table:
        rows = [(t, s, m, *v) for (t, s, m), v in PUBLISHED.items()]
        notes = [
            "Feng (2023), Tables 8.1–8.3 and 9.1, as printed. The encoder differs; expected values are "
            "those of the k most similar tokens (expected=best) and of one random text "
            "(expected=published). Fluency of V2(ROUGE) is printed as 0.4, which must be 0.04. The PAI "
            "of Table 8.1 divides by a correlation of 0. Printed averages of PAI: 160, 210, −1.02, "
            "0.77.",
        ]
        return Table.of(
            ["printed table", "set", "measure", *map(Column, DIMENSIONS)],
            rows,
            title="Published correlations",
            notes=notes,
        )


def _sign(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
