"""Charts: functions that take plain rows and return an altair chart.

| module | charts |
| --- | --- |
| answers | nuggets_by_topic, vital_against_all |
| bars | difference_bars, grouped_bars, expected_histogram |
| battles | rating_intervals, win_matrix |
| curves | curves, asl_curves |
| heatmaps | correlation_heatmap, score_matrix, contingency |
| judges | label_confusion, judge_leniency, systems_by_labels, nine_cells |
| leaderboards | critical_differences, rank_interval_chart |
| intervals | mean_intervals, pair_intervals, simultaneous_intervals, correlation_intervals |
| orders | overlaid_orders, rank_slopes |
| scatters | score_against_chance, human_machine_gap, differences_by_group |
"""

from tare.report._answers import nuggets_by_topic, vital_against_all
from tare.report._arena import rating_intervals, win_matrix
from tare.report._diversity import overlaid_orders, rank_slopes
from tare.report._judges import (
    judge_leniency,
    label_confusion,
    nine_cells,
    systems_by_labels,
)
from tare.report._leaderboard import critical_differences, rank_interval_chart
from tare.report._marks.curves import (
    asl_curves,
    differences_by_group,
    human_machine_gap,
    score_against_chance,
)
from tare.report._marks.heatmaps import contingency, correlation_heatmap, score_matrix
from tare.report._marks.intervals import (
    correlation_intervals,
    difference_bars,
    expected_histogram,
    grouped_bars,
    mean_intervals,
    pair_intervals,
    simultaneous_intervals,
)

__all__ = [
    "asl_curves",
    "contingency",
    "correlation_heatmap",
    "correlation_intervals",
    "critical_differences",
    "difference_bars",
    "differences_by_group",
    "expected_histogram",
    "grouped_bars",
    "human_machine_gap",
    "judge_leniency",
    "label_confusion",
    "mean_intervals",
    "nine_cells",
    "nuggets_by_topic",
    "overlaid_orders",
    "pair_intervals",
    "rank_interval_chart",
    "rank_slopes",
    "rating_intervals",
    "score_against_chance",
    "score_matrix",
    "simultaneous_intervals",
    "systems_by_labels",
    "vital_against_all",
    "win_matrix",
]
