"""Charts: functions that take plain rows and return an altair chart.

| module | charts |
| --- | --- |
| bars | difference_bars, grouped_bars, expected_histogram |
| curves | curves, asl_curves |
| heatmaps | correlation_heatmap, score_matrix, contingency |
| intervals | mean_intervals, pair_intervals, simultaneous_intervals, correlation_intervals |
| orders | overlaid_orders, rank_slopes |
| scatters | score_against_chance, human_machine_gap, differences_by_group |
"""

from tare.report._charts.bars import difference_bars, expected_histogram, grouped_bars
from tare.report._charts.curves import asl_curves, curves
from tare.report._charts.heatmaps import contingency, correlation_heatmap, score_matrix
from tare.report._charts.intervals import (
    correlation_intervals,
    mean_intervals,
    pair_intervals,
    simultaneous_intervals,
)
from tare.report._charts.orders import overlaid_orders, rank_slopes
from tare.report._charts.scatters import (
    differences_by_group,
    human_machine_gap,
    score_against_chance,
)

__all__ = [
    "asl_curves",
    "contingency",
    "correlation_heatmap",
    "correlation_intervals",
    "curves",
    "difference_bars",
    "differences_by_group",
    "expected_histogram",
    "grouped_bars",
    "human_machine_gap",
    "mean_intervals",
    "overlaid_orders",
    "pair_intervals",
    "rank_slopes",
    "score_against_chance",
    "score_matrix",
    "simultaneous_intervals",
]
