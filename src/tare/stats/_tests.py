"""The available tests by name, with their null hypothesis and citation."""

from __future__ import annotations

from tare._measures.measure import make
from tare.errors import OptionError, choose
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs
from tare.stats._permutation import permutation
from tare.stats._randomisation import bootstrap_t, hybrid
from tare.stats._randomised_statistics import hybrid_t, hybrid_w, permutation_t, permutation_w
from tare.stats._range_tests import tukey, tukey_kramer, tukey_randomised
from tare.stats._signs import sign_test, wilcoxon
from tare.stats._student import paired_t, pooled_t, welch_t
from tare.stats._summed_pairs import SummedPairs
from tare.stats._summed_tests import centred_bootstrap, summed_bootstrap, summed_permutation
from tare.stats._test_definition import Test, TestOptions

__all__ = ["PAIRED_TESTS", "TESTS", "Test", "TestOptions", "run_test"]


def _all() -> dict[str, Test]:
    offered = [
        Test(
            "t",
            "the paired t-test",
            "the mean difference is 0",
            "Student 1908",
            lambda pairs, o: paired_t(pairs),
        ),
        Test(
            "welch",
            "Welch's unpaired t-test",
            "the means are equal, items ignored",
            "Welch 1947",
            lambda pairs, o: welch_t(pairs),
            paired=False,
        ),
        Test(
            "pooled",
            "the unpaired t-test with pooled variance",
            "the means are equal, items ignored, with equal variances",
            "Student 1908",
            lambda pairs, o: pooled_t(pairs),
            paired=False,
        ),
        Test(
            "wilcoxon",
            "Wilcoxon's signed-rank test",
            "the differences are symmetric about 0",
            "Wilcoxon 1945",
            lambda pairs, o: wilcoxon(pairs, zeros=o.zeros, seed=o.seed),
        ),
        Test(
            "wilcoxon-normal",
            "Wilcoxon's signed-rank test by the normal distribution",
            "the differences are symmetric about 0",
            "Wilcoxon 1945",
            lambda pairs, o: wilcoxon(pairs, zeros=o.zeros, seed=o.seed, exact=0),
        ),
        Test(
            "sign",
            "the sign test",
            "either system wins an item with the same probability",
            "Arbuthnot 1710",
            lambda pairs, o: sign_test(pairs),
        ),
        Test(
            "permutation",
            "the paired permutation test of the mean difference",
            "the difference of an item is as likely to be +x as −x",
            "Smucker, Allan and Carterette 2007",
            lambda pairs, o: permutation(
                pairs,
                draws=o.draws,
                seed=o.seed,
                largest=o.largest,
                alpha=o.alpha,
                threads=o.threads,
                engine=o.engine,
            ),
            random=True,
            by_largest=True,
            summed=lambda pairs, o: summed_permutation(
                pairs, draws=o.draws, seed=o.seed, threads=o.threads, engine=o.engine
            ),
        ),
        Test(
            "permutation-t",
            "the paired permutation test of t",
            "the two scores of an item are exchangeable",
            "Smucker, Allan and Carterette 2007",
            lambda pairs, o: permutation_t(
                pairs, draws=o.draws, seed=o.seed, threads=o.threads, engine=o.engine
            ),
            random=True,
        ),
        Test(
            "permutation-w",
            "the paired permutation test of Wilcoxon's W",
            "the two scores of an item are exchangeable",
            "Rankel 2016",
            lambda pairs, o: permutation_w(
                pairs, draws=o.draws, seed=o.seed, threads=o.threads, engine=o.engine
            ),
            random=True,
        ),
        Test(
            "hybrid",
            "the hybrid of bootstrap and permutation test",
            "the two scores of an item are exchangeable",
            "Rankel 2016",
            lambda pairs, o: hybrid(
                pairs, draws=o.draws, seed=o.seed, threads=o.threads, engine=o.engine
            ),
            random=True,
        ),
        Test(
            "hybrid-t",
            "the hybrid of bootstrap and permutation test of t",
            "the two scores of an item are exchangeable",
            "Rankel 2016",
            lambda pairs, o: hybrid_t(
                pairs, draws=o.draws, seed=o.seed, threads=o.threads, engine=o.engine
            ),
            random=True,
        ),
        Test(
            "hybrid-w",
            "the hybrid of bootstrap and permutation test of Wilcoxon's W",
            "the two scores of an item are exchangeable",
            "Rankel 2016",
            lambda pairs, o: hybrid_w(
                pairs, draws=o.draws, seed=o.seed, threads=o.threads, engine=o.engine
            ),
            random=True,
        ),
        Test(
            "bootstrap",
            "the studentised paired bootstrap test",
            "the mean difference is 0",
            "Sakai 2006",
            lambda pairs, o: bootstrap_t(
                pairs,
                draws=o.draws,
                seed=o.seed,
                largest=o.largest,
                threads=o.threads,
                engine=o.engine,
            ),
            random=True,
            by_largest=True,
            summed=lambda pairs, o: summed_bootstrap(
                pairs, draws=o.draws, seed=o.seed, threads=o.threads, engine=o.engine
            ),
        ),
        Test(
            "bootstrap-sacrebleu",
            "the paired bootstrap test as sacrebleu defines it",
            "the mean difference is 0, one-sided in effect",
            "Koehn 2004; Post 2018",
            lambda pairs, o: centred_bootstrap(
                pairs, draws=o.draws, seed=o.seed, threads=o.threads, engine=o.engine
            ),
            random=True,
            summed=lambda pairs, o: centred_bootstrap(
                pairs, draws=o.draws, seed=o.seed, threads=o.threads, engine=o.engine
            ),
        ),
        Test(
            "tukey",
            "Tukey's HSD with the error term of the layout systems + items",
            "the means of all systems are equal",
            "Tukey 1953; Carterette 2012",
            lambda pairs, o: tukey(pairs, alpha=o.alpha),
            family_wise=True,
        ),
        Test(
            "tukey-kramer",
            "Tukey and Kramer's test on the adjusted means of the layout systems + items",
            "the adjusted means of all systems are equal",
            "Tukey 1953; Kramer 1956",
            lambda pairs, o: tukey_kramer(pairs, alpha=o.alpha),
            family_wise=True,
        ),
        Test(
            "tukey-randomised",
            "randomised Tukey HSD",
            "the scores of an item are exchangeable between systems",
            "Carterette 2012",
            lambda pairs, o: tukey_randomised(
                pairs,
                draws=o.draws,
                seed=o.seed,
                alpha=o.alpha,
                threads=o.threads,
                engine=o.engine,
            ),
            family_wise=True,
            random=True,
        ),
    ]
    return {test.name: test for test in offered}


TESTS: dict[str, Test] = _all()
PAIRED_TESTS = tuple(name for name, test in TESTS.items() if test.paired)


def run_test(pairs: Pairs, test: str, options: TestOptions | None = None) -> PairTest:
    """Run one of `TESTS` on pairs of systems.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    test : str
        The name of the test.
    options : TestOptions, optional
        Draws, seed and other options.

    Returns
    -------
    PairTest
        Statistic and p-value of each pair.

    Raises
    ------
    OptionError
        If the test is unknown, an option is out of range, or the test does not suit the measure.
    MismatchError
        If there are too few items for a test of all systems.

    Examples
    --------
    >>> run_test(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6]), "t").p.round(4).tolist()
    [0.0742]
    """
    choose("test", test, tuple(TESTS))
    options = options or TestOptions()
    if isinstance(pairs, SummedPairs):
        return _run_summed(pairs, test, options)
    return TESTS[test].run(pairs, options)


def _run_summed(pairs: SummedPairs, test: str, options: TestOptions) -> PairTest:
    """Run a test on summed statistics, if there is one."""
    run, measure = TESTS[test].summed, pairs.summed.measure
    items = make(measure.full_name, {**dict(measure.parameters), "mean": "items"})
    if run is None:
        able = " or ".join(repr(name) for name, one in TESTS.items() if one.summed is not None)
        raise OptionError(
            f"{measure} is computed from the summed statistics of all items, and test={test!r} needs a value "
            f"per item. Use test={able}, or compare the means of the items' values: {items}."
        )
    if options.largest:
        raise OptionError(
            f"correction='max-t' is not available for {measure}, which is computed from summed statistics. "
            f"Use correction='holm', or compare the means of the items' values: {items}."
        )
    return run(pairs, options)
