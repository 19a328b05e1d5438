"""Studies: fits of all subsets of features, and discriminative power, beside one fit of the peers.

python benchmarks/studies.py [--small] [--repeats 5]

A peer fits one subset at a time: some subsets are timed and scaled to all 8,191. The fastest of the repeats
counts.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import statsmodels.api as sm
from _records import Comparison, keep, machine, options
from scipy.optimize import nnls
from sklearn.cross_decomposition import CCA

from tare._measures.scores import Scores
from tare._signature import Signature
from tare.stats._regression import all_subsets, fit_subsets, subset_of
from tare.studies import discrimination
from tare.studies._learning import Outputs, chosen_fit

ROWS, MORE_ROWS, FEATURES = 2000, 2500, 13
SYSTEMS, TOPICS, MEASURES, DRAWS = 60, 50, 10, 10_000
SAMPLE = 40  # subsets that a peer fits


def timed(call: Callable[[], Any], repeats: int) -> float:
    """Seconds of the fastest of some calls."""
    return both(call, repeats)[0]


def both(call: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """The same, and the fewest seconds of all cores together, which a busy machine changes less."""
    found = []
    for _ in range(repeats):
        start, used = time.perf_counter(), time.process_time()
        call()
        found.append((time.perf_counter() - start, time.process_time() - used))
    return min(wall for wall, _ in found), min(cores for _, cores in found)


def outputs() -> Outputs:
    """Three parts of 2,000 rows with thirteen correlated features and heavy-tailed human scores."""
    random = np.random.default_rng(0)
    n = 3 * ROWS
    x = random.normal(size=(n, FEATURES)) @ random.normal(size=(FEATURES, FEATURES))
    y = x[:, [1, 4, 7]] @ [1.0, -2.0, 0.5] + 3 * random.standard_t(3, size=n)
    other = y + random.normal(size=n) * 2
    place = np.arange(n)
    systems, items = 40, n // 40
    return Outputs(
        tuple(map(str, range(systems))),
        tuple(map(str, range(items))),
        tuple(f"f{j}" for j in range(FEATURES)),
        ("first", "second"),
        place % systems,
        place // systems,
        x,
        np.column_stack([y, other]),
    )


def peers(x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Seconds of one fit of the peers, the mean over some subsets."""
    random = np.random.default_rng(1)
    masks = random.choice(np.arange(1, 2**FEATURES), SAMPLE, replace=False)
    z = x - x.mean(axis=0)
    target = y[:, 0] - y[:, 0].mean()

    def over(fit: Callable[[list[int]], Any], masks: Any) -> float:
        columns = [subset_of(int(m), FEATURES) for m in masks]
        return timed(lambda: [fit(c) for c in columns], 1) / len(columns)

    norm = sm.robust.norms.TukeyBiweight(4.685)
    return {
        "robust": over(lambda c: sm.RLM(y[:, 0], sm.add_constant(x[:, c]), norm).fit(), masks),
        "nnls": over(lambda c: nnls(z[:, c], target), masks),
        "cca": over(lambda c: CCA(n_components=1).fit(x[:, c], y), masks),
    }


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["scipy", "statsmodels", "scikit-learn"])
    warnings.simplefilter("ignore")
    repeats, draws = given.repeats, 500 if given.small else DRAWS
    data = outputs()
    masks = all_subsets(FEATURES)
    masks = masks[:50] if given.small else masks
    train, select = np.arange(ROWS), np.arange(ROWS, 2 * ROWS)
    one = peers(data.x[train], data.y[train])
    found: dict[str, dict[str, float]] = {}
    for method in ("robust", "nnls", "cca", "ridge"):
        y = data.y[train] if method == "cca" else data.y[train, 0]
        fits = timed(lambda m=method, y=y: fit_subsets(data.x[train], y, masks, method=m), repeats)  # type: ignore[misc]
        whole, cores = both(
            lambda m=method: chosen_fit(  # type: ignore[misc]
                data,
                train,
                select,
                select,
                masks,
                method=m,
                level="system",
                kind="pearson",
                ridge=1.0,
                threads=0,
            ),
            repeats,
        )
        found[method] = {"all_subsets": fits, "train_select_refit": whole, "core_seconds": cores}
        if method in one:
            scaled = one[method] * len(masks)
            found[method] |= {"peer_one": one[method], "peer_all": scaled, "ratio": scaled / fits}
    more = np.arange(MORE_ROWS)
    robust, robust_cores = both(
        lambda: fit_subsets(data.x[more], data.y[more, 0], masks, method="robust"), repeats
    )
    three, three_cores = (
        sum(found[m][key] for m in ("robust", "nnls", "cca"))
        for key in ("train_select_refit", "core_seconds")
    )
    random = np.random.default_rng(2)
    values = random.random((SYSTEMS, TOPICS, MEASURES)) * 0.5 + random.random((SYSTEMS, 1, 1)) * 0.2
    names = tuple(f"nDCG@{k + 1}" for k in range(MEASURES))
    scores = Scores(
        tuple(f"s{k:02d}" for k in range(SYSTEMS)),
        tuple(f"q{k:02d}" for k in range(TOPICS)),
        names,
        values,
        tuple(Signature.of(m, {}) for m in names),
    )
    power, power_cores = both(lambda: discrimination(scores, draws=draws).family_rows(), repeats)

    print(
        f"{'8,191 subsets of 2,000 × 13':28}{'fits':>9}{'+ choice':>10}{'of cores':>10}{'peer, all':>12}{'ratio':>8}"
    )
    for method, row in found.items():
        peer = f"{row['peer_all']:11.1f}s{row['ratio']:7.0f}×" if "ratio" in row else ""
        print(
            f"{method:28}{row['all_subsets']:8.2f}s{row['train_select_refit']:9.2f}s{row['core_seconds']:9.2f}s{peer}"
        )
    goals = {
        "robust regression of all 8,191 subsets, 2,500 rows": robust,
        "three fits of all subsets, with selection": three,
        "discriminative power, 60 systems, 10 measures, 10,000 draws": power,
    }
    programs = {"robust": "statsmodels", "nnls": "scipy", "cca": "scikit-learn"}
    rows = [
        Comparison(
            f"{method}, all subsets of 2,000 × 13",
            found[method]["all_subsets"],
            f"{peer}, one by one",
            found[method]["peer_all"],
        )
        for method, peer in programs.items()
    ]
    rows += [
        Comparison("robust, all subsets of 2,500 × 13", robust),
        Comparison("discriminative power, 10 measures, 60 systems, 10,000 draws", power),
    ]
    raw = {
        "subsets": len(masks),
        "seconds": found,
        "robust, 2,500 rows": {"seconds": robust, "core_seconds": robust_cores},
        "three_fits": {"seconds": three, "core_seconds": three_cores},
        "discriminative_power": {"seconds": power, "core_seconds": power_cores},
    }
    keep("studies", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
