"""The charts of reports: each a function of plain rows that gives an altair chart.

| chart | shows |
| --- | --- |
| score_against_chance, expected_histogram | queries and what chance would score on them |
| mean_intervals, simultaneous_intervals, rank_slopes | systems |
| pair_intervals, difference_bars | pairs of systems |
| score_matrix, correlation_heatmap | everything at once |
| curves, asl_curves | power, significance levels, swap rates, incomplete judgements |
| overlaid_orders, grouped_bars | two orders of systems; groups |
| human_machine_gap, correlation_intervals | measures and people |
| contingency, differences_by_group | assessors |
"""

from tare.report._charts.assessors import contingency, differences_by_group
from tare.report._charts.chance import expected_histogram, score_against_chance
from tare.report._charts.curves import asl_curves, curves
from tare.report._charts.differences import difference_bars, pair_intervals
from tare.report._charts.heatmaps import correlation_heatmap, score_matrix
from tare.report._charts.orders import grouped_bars, overlaid_orders, simultaneous_intervals
from tare.report._charts.people import correlation_intervals, human_machine_gap
from tare.report._charts.systems import mean_intervals, rank_slopes

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
