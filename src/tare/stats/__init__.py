"""What may be concluded from a score table: tests, intervals, effects, agreement, power."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare.stats._agreement import Agreement, agreement
    from tare.stats._anova import Anova, anova
    from tare.stats._bounded_intervals import MeanInterval, mean_interval
    from tare.stats._certification import Certificate, certify, queries_to_certify
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
    from tare.stats._exchange import ExchangeTest, WinTest, exchange_test, win_test
    from tare.stats._experiments import document_effect
    from tare.stats._flips import FlipTest, MaxT, flip_test, least_units, max_t
    from tare.stats._intervals import INTERVALS, interval, mean_intervals
    from tare.stats._kappa import Kappa, cohen_kappa, fleiss_kappa
    from tare.stats._letters import letters
    from tare.stats._losses import LossTest, loss_test
    from tare.stats._macro_flips import MacroMaxT, macro_max_t
    from tare.stats._omnibus import Omnibus, friedman, kruskal_wallis
    from tare.stats._overlap import RankBiasedOverlap, rbo
    from tare.stats._pair_tests import PairTest
    from tare.stats._pairs import Pairs
    from tare.stats._permutation import permutation
    from tare.stats._pilot import items_from_pilot, pilot_variance
    from tare.stats._power import PowerCurve, power_curve
    from tare.stats._randomisation import bootstrap_t, hybrid
    from tare.stats._randomised_statistics import hybrid_t, hybrid_w, permutation_t, permutation_w
    from tare.stats._range_tests import tukey, tukey_kramer, tukey_randomised, tukey_ranks
    from tare.stats._ratio_intervals import RatioInterval, ratio_interval
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
    "Certificate",
    "Correlation",
    "Design",
    "DifferenceTest",
    "Effects",
    "ExchangeTest",
    "FlipTest",
    "Kappa",
    "LossTest",
    "MacroMaxT",
    "MaxT",
    "MeanInterval",
    "Omnibus",
    "PairTest",
    "Pairs",
    "PowerCurve",
    "RankBiasedOverlap",
    "RatioInterval",
    "SelfConsistency",
    "Sizes",
    "TestOptions",
    "WinTest",
    "adjust",
    "agreement",
    "anova",
    "bootstrap_t",
    "certify",
    "cohen_kappa",
    "correlate",
    "correlation",
    "document_effect",
    "effects",
    "exchange_test",
    "fleiss_kappa",
    "flip_test",
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
    "least_units",
    "letters",
    "loss_test",
    "macro_max_t",
    "max_t",
    "mean_interval",
    "mean_intervals",
    "paired_t",
    "permutation",
    "permutation_t",
    "permutation_w",
    "pilot_variance",
    "pooled_t",
    "power_curve",
    "queries_to_certify",
    "ratio_interval",
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
    "win_test",
]

# Loaded on first use: a paired test loads no regression, a gate no resampling.
_MODULES = {
    "FlipTest": "tare.stats._flips",
    "LossTest": "tare.stats._losses",
    "MaxT": "tare.stats._flips",
    "flip_test": "tare.stats._flips",
    "least_units": "tare.stats._flips",
    "loss_test": "tare.stats._losses",
    "max_t": "tare.stats._flips",
    "RatioInterval": "tare.stats._ratio_intervals",
    "ratio_interval": "tare.stats._ratio_intervals",
    "MeanInterval": "tare.stats._bounded_intervals",
    "mean_interval": "tare.stats._bounded_intervals",
    "Certificate": "tare.stats._certification",
    "certify": "tare.stats._certification",
    "queries_to_certify": "tare.stats._certification",
    "Agreement": "tare.stats._agreement",
    "Anova": "tare.stats._anova",
    "CORRECTIONS": "tare.stats._corrections",
    "Correlation": "tare.stats._correlation",
    "Design": "tare.stats._design",
    "DifferenceTest": "tare.stats._two_arrays",
    "Effects": "tare.stats._effects",
    "INTERVALS": "tare.stats._intervals",
    "ExchangeTest": "tare.stats._exchange",
    "WinTest": "tare.stats._exchange",
    "exchange_test": "tare.stats._exchange",
    "win_test": "tare.stats._exchange",
    "Kappa": "tare.stats._kappa",
    "Omnibus": "tare.stats._omnibus",
    "PairTest": "tare.stats._pair_tests",
    "Pairs": "tare.stats._pairs",
    "PowerCurve": "tare.stats._power",
    "RankBiasedOverlap": "tare.stats._overlap",
    "SelfConsistency": "tare.stats._consistency",
    "Sizes": "tare.stats._size",
    "TESTS": "tare.stats._tests",
    "TestOptions": "tare.stats._tests",
    "adjust": "tare.stats._corrections",
    "agreement": "tare.stats._agreement",
    "anova": "tare.stats._anova",
    "bootstrap_t": "tare.stats._randomisation",
    "cohen_kappa": "tare.stats._kappa",
    "correlate": "tare.stats._correlation",
    "correlation": "tare.stats._correlation",
    "document_effect": "tare.stats._experiments",
    "effects": "tare.stats._effects",
    "fleiss_kappa": "tare.stats._kappa",
    "friedman": "tare.stats._omnibus",
    "hybrid": "tare.stats._randomisation",
    "hybrid_t": "tare.stats._randomised_statistics",
    "hybrid_w": "tare.stats._randomised_statistics",
    "interval": "tare.stats._intervals",
    "items_for_anova": "tare.stats._design",
    "items_for_interval": "tare.stats._design",
    "items_for_t": "tare.stats._design",
    "items_from_pilot": "tare.stats._pilot",
    "kruskal_wallis": "tare.stats._omnibus",
    "letters": "tare.stats._letters",
    "MacroMaxT": "tare.stats._macro_flips",
    "macro_max_t": "tare.stats._macro_flips",
    "mean_intervals": "tare.stats._intervals",
    "paired_t": "tare.stats._student",
    "permutation": "tare.stats._permutation",
    "permutation_t": "tare.stats._randomised_statistics",
    "permutation_w": "tare.stats._randomised_statistics",
    "pilot_variance": "tare.stats._pilot",
    "pooled_t": "tare.stats._student",
    "power_curve": "tare.stats._power",
    "rbo": "tare.stats._overlap",
    "relative_efficiency": "tare.stats._efficiency",
    "rescale": "tare.stats._rescaling",
    "run_test": "tare.stats._tests",
    "self_consistency": "tare.stats._consistency",
    "sign_test": "tare.stats._signs",
    "signed_ranks": "tare.stats._two_arrays",
    "signs": "tare.stats._two_arrays",
    "sizes_of_tests": "tare.stats._size",
    "student": "tare.stats._two_arrays",
    "swap": "tare.stats._two_arrays",
    "tukey": "tare.stats._range_tests",
    "tukey_kramer": "tare.stats._range_tests",
    "tukey_randomised": "tare.stats._range_tests",
    "tukey_ranks": "tare.stats._range_tests",
    "welch_t": "tare.stats._student",
    "wilcoxon": "tare.stats._signs",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
