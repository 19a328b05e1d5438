"""The design: did people label all of some queries, or some documents of every query?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tare._decide.estimate.labels import MatchedLabels, refuse_impossible
from tare.errors import MismatchError, OptionError, choose

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DESIGNS", "SAMPLINGS", "design_of", "with_inclusion"]

DESIGNS = ("auto", "queries", "documents")
SAMPLINGS = ("auto", "fixed", "poisson")
NEARLY_ALL = 0.9  # of the judge's documents in the queries that people labelled


def design_of(labels: MatchedLabels, design: str, inclusion: float | str | None) -> str:
    """Return the design that was asked for, or the one that the labels show."""
    choose("design", design, DESIGNS)
    if design != "auto":
        return design
    if inclusion is not None or "inclusion" in labels.human.columns:
        return "documents"
    both, alone = labels.queries()
    shares = _coverage(labels)
    if all(share >= 1 for share in shares.values()):
        return "queries"
    if not alone:
        return "documents"
    if np.mean(list(shares.values())) >= NEARLY_ALL:
        return "queries"
    partly = [query for query, share in shares.items() if share < 1]
    raise OptionError(
        f"the labels do not show the design: people labelled {len(both):,} of {len(both) + len(alone):,} "
        f"queries, and only some of the documents of {len(partly):,} of them, such as {partly[0]!r} "
        f"({100 * shares[partly[0]]:.0f} %). Give design='queries' if people labelled whole queries "
        "drawn at random, or design='documents' if they labelled documents drawn at random."
    )


def _coverage(labels: MatchedLabels) -> dict[str, float]:
    """Return the share of the judge's documents that people labelled, by query."""
    import polars as pl

    counts = labels.judge.group_by("query").agg(pl.len().alias("all"))
    mine = labels.common.group_by("query").agg(pl.len().alias("labelled"))
    joined = mine.join(counts, on="query").sort("query")
    return dict(zip(joined["query"], (joined["labelled"] / joined["all"]).to_list(), strict=True))


def with_inclusion(
    labels: MatchedLabels, inclusion: float | str | None, sampling: str
) -> tuple[pl.DataFrame, str]:
    """Return the pairs that both labelled with their inclusion probability, and how they were drawn.

    Adds the columns `inclusion`, `drawn` (labelled documents of the query) and `frame` (documents that
    could have been drawn: those that the judge labelled).
    """
    import polars as pl

    choose("sampling", sampling, SAMPLINGS)
    counts = labels.judge.group_by("query").agg(pl.len().cast(pl.Float64).alias("frame"))
    table = labels.common.join(counts, on="query", maintain_order="left").with_columns(
        pl.len().over("query").cast(pl.Float64).alias("drawn")
    )
    share = pl.col("drawn") / pl.col("frame")
    given = True
    if isinstance(inclusion, int | float):
        table = table.with_columns(pl.lit(float(inclusion)).alias("inclusion"))
        if not 0 < inclusion <= 1:
            raise MismatchError(
                f"inclusion={inclusion} is outside (0, 1]. It is the probability with which a document "
                "was drawn for labelling."
            )
    elif "inclusion" not in table.columns:
        given = False
        table = table.with_columns(share.alias("inclusion"))
    refuse_impossible(table)
    gap = table.select((pl.col("inclusion") - share).abs().max()).item()
    if sampling == "fixed" and gap > 1e-6:
        raise MismatchError(
            "sampling='fixed' means that a fixed number of documents was drawn in each query, each with "
            "the same probability; the inclusion probabilities differ from the number of labelled documents "
            f"divided by that of the judge's, by up to {gap:.3g}. Use sampling='poisson'."
        )
    chosen = sampling if sampling != "auto" else "fixed" if gap <= 1e-6 else "poisson"
    _, alone = labels.queries()
    if alone and not (given and chosen == "poisson"):
        raise MismatchError(
            f"{len(alone):,} queries of the judge have no human label, such as {alone[0]!r}. The documents "
            "design needs labelled documents in every query. If documents were drawn independently of each "
            "other, so that a query can end up without any, give their probabilities and "
            "sampling='poisson'; if these queries were not drawn at all, remove them from the judge's labels."
        )
    return table, chosen
