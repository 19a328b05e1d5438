"""What may be concluded from a score table: tests, intervals, effects, agreement, power."""

from tare.stats._agreement import Agreement, agreement
from tare.stats._anova import Anova, anova
from tare.stats._bayes import BayesianSignedRank, bayesian_signed_rank
from tare.stats._comparison import Comparison, compare
from tare.stats._consistency import SelfConsistency, self_consistency
from tare.stats._corrections import CORRECTIONS, adjust
from tare.stats._correlation import Correlation, correlate, correlation
from tare.stats._design import (
    Design,
    items_for_anova,
    items_for_interval,
    items_for_t,
)
from tare.stats._effects import Effects, effects
from tare.stats._efficiency import relative_efficiency
from tare.stats._experiments import document_effect
from tare.stats._intervals import INTERVALS, interval, mean_intervals
from tare.stats._kappa import Kappa, cohen_kappa, fleiss_kappa
from tare.stats._letters import letters
from tare.stats._omnibus import Omnibus, friedman, kruskal_wallis
from tare.stats._overlap import RankBiasedOverlap, rbo
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs
from tare.stats._pilot import items_from_pilot, pilot_variance
from tare.stats._power import PowerCurve, power_curve
from tare.stats._ppi.comparison import EstimateComparison
from tare.stats._ppi.estimates import Estimates
from tare.stats._ppi.needed import JudgeDesign, queries_for_width
from tare.stats._randomisation import bootstrap_t, hybrid, permutation
from tare.stats._randomised_statistics import hybrid_t, hybrid_w, permutation_t, permutation_w
from tare.stats._range_tests import nemenyi, tukey, tukey_kramer, tukey_randomised, tukey_ranks
from tare.stats._rescaling import rescale
from tare.stats._signs import sign_test, wilcoxon
from tare.stats._size import Sizes, sizes_of_tests
from tare.stats._student import paired_t, pooled_t, welch_t
from tare.stats._tests import TESTS, TestOptions, run_test
from tare.stats._two_arrays import DifferenceTest, signed_ranks, signs, student, swap

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
    "DifferenceTest",
    "Effects",
    "EstimateComparison",
    "Estimates",
    "JudgeDesign",
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
    "queries_for_width",
    "rbo",
    "relative_efficiency",
    "rescale",
    "run_test",
    "self_consistency",
    "sign_test",
    "signed_ranks",
    "signs",
    "sizes_of_tests",
    "student",
    "swap",
    "tukey",
    "tukey_kramer",
    "tukey_randomised",
    "tukey_ranks",
    "welch_t",
    "wilcoxon",
]
