"""The charts of reports: each a function of plain rows that gives an altair chart."""

from tare.report.charts.chance import expected_histogram, score_against_chance
from tare.report.charts.curves import asl_curves, curves
from tare.report.charts.differences import difference_bars, pair_intervals
from tare.report.charts.heatmaps import correlation_heatmap, score_matrix
from tare.report.charts.systems import mean_intervals, rank_slopes

__all__ = [
    "asl_curves",
    "correlation_heatmap",
    "curves",
    "difference_bars",
    "expected_histogram",
    "mean_intervals",
    "pair_intervals",
    "rank_slopes",
    "score_against_chance",
    "score_matrix",
]
