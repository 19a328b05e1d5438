"""What may be concluded from a score table: tests, intervals, effects, agreement, power."""

from tare.stats.agreement import Agreement, agreement
from tare.stats.anova import Anova, anova
from tare.stats.bayes import BayesianSignedRank, bayesian_signed_rank
from tare.stats.comparison import Comparison, compare
from tare.stats.consistency import SelfConsistency, self_consistency
from tare.stats.corrections import CORRECTIONS, adjust
from tare.stats.correlation import Correlation, correlate, correlation
from tare.stats.design import (
    Design,
    items_for_anova,
    items_for_interval,
    items_for_t,
    items_from_pilot,
    pilot_variance,
)
from tare.stats.effects import Effects, effects
from tare.stats.efficiency import relative_efficiency
from tare.stats.intervals import INTERVALS, interval, mean_intervals
from tare.stats.kappa import Kappa, cohen_kappa, fleiss_kappa
from tare.stats.letters import letters
from tare.stats.omnibus import Omnibus, friedman, kruskal_wallis
from tare.stats.overlap import RankBiasedOverlap, rbo
from tare.stats.pair_tests import PairTest
from tare.stats.pairs import Pairs
from tare.stats.power import PowerCurve, document_effect, power_curve
from tare.stats.randomisation import bootstrap_t, hybrid, permutation
from tare.stats.randomised_statistics import hybrid_t, hybrid_w, permutation_t, permutation_w
from tare.stats.range_tests import nemenyi, tukey, tukey_kramer, tukey_randomised, tukey_ranks
from tare.stats.rescaling import rescale
from tare.stats.signs import sign_test, wilcoxon
from tare.stats.size import Sizes, sizes_of_tests
from tare.stats.student import paired_t, pooled_t, welch_t
from tare.stats.tests import TESTS, TestOptions, run_test

__all__ = [
    "CORRECTIONS",
    "INTERVALS",
    "TESTS",
    "Agreement",
    "Anova",
    "BayesianSignedRank",
    "Comparison",
    "Correlation",
    "Design",
    "Effects",
    "Kappa",
    "Omnibus",
    "PairTest",
    "Pairs",
    "PowerCurve",
    "RankBiasedOverlap",
    "SelfConsistency",
    "Sizes",
    "TestOptions",
    "adjust",
    "agreement",
    "anova",
    "bayesian_signed_rank",
    "bootstrap_t",
    "cohen_kappa",
    "compare",
    "correlate",
    "correlation",
    "document_effect",
    "effects",
    "fleiss_kappa",
    "friedman",
    "hybrid",
    "hybrid_t",
    "hybrid_w",
    "interval",
    "items_for_anova",
    "items_for_interval",
    "items_for_t",
    "items_from_pilot",
    "kruskal_wallis",
    "letters",
    "mean_intervals",
    "nemenyi",
    "paired_t",
    "permutation",
    "permutation_t",
    "permutation_w",
    "pilot_variance",
    "pooled_t",
    "power_curve",
    "rbo",
    "relative_efficiency",
    "rescale",
    "run_test",
    "self_consistency",
    "sign_test",
    "sizes_of_tests",
    "tukey",
    "tukey_kramer",
    "tukey_randomised",
    "tukey_ranks",
    "welch_t",
    "wilcoxon",
]
