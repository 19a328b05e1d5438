"""Tests, certificates and intervals equal their short versions on random data, whatever the data."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import tare
from tare._decide.judge_corrected import Estimator, QuerySample
from tare.stats import (
    adjust,
    certify,
    exchange_test,
    flip_test,
    least_units,
    loss_test,
    macro_max_t,
    max_t,
    mean_interval,
    ratio_interval,
    win_test,
)
from tare.stats._intervals import correlation_interval
from tests.reference import inference as obvious

SEEDS = range(40)


def some_differences(rng, n):
    """Differences in [−1, 1] with ties and zeros, some of few values, some of many."""
    if rng.random() < 0.5:
        made = rng.integers(-10, 11, n) / 10
    else:
        made = np.clip(rng.normal(rng.normal(0, 0.2), 0.3, n), -1, 1)
    made[rng.random(n) < rng.choice([0, 0.5, 0.9])] = 0
    return made


def some_clusters(rng, n):
    """Names of clusters of unlike sizes, in any order."""
    return rng.choice(["c", "a", "d", "b", "g", "f", "e", "h", "j", "i"], n)


def some_scores(rng, n, systems):
    made = rng.integers(0, 11, (n, systems)) / 10
    if rng.random() < 0.5:
        made = np.clip(made + rng.normal(0, 0.1, (n, systems)), 0, 1)
    if rng.random() < 0.5:
        same = rng.random(n) < 0.5
        made[same] = made[same][:, :1]
    if rng.random() < 0.3:
        made[:, 1] = made[:, 0]
    return made


def near(values, places=1e-9):
    return pytest.approx(np.asarray(values, float), abs=places, rel=places, nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_losses(seed):
    rng = np.random.default_rng(seed)
    d = some_differences(rng, int(rng.integers(1, 14)))
    tolerance, measures = float(rng.choice([0, 0.02, 0.2])), int(rng.integers(1, 6))
    found = loss_test(d, tolerance=tolerance, level=0.05 / measures)
    assert found.pvalue == obvious.loss_p(d)
    assert found.detectable == near(obvious.detectable(d, measures, tolerance))
    clusters = some_clusters(rng, len(d))
    found = loss_test(d, clusters=clusters)
    sums = obvious.cleaned(obvious.totals(d, clusters)[0], np.abs(d).max() + 1e-300)
    assert found.pvalue == obvious.loss_p(sums)
    assert found.difference == near(d.mean())
    assert found.differing == np.count_nonzero(sums)


@pytest.mark.parametrize("seed", range(6))
def test_drawn_losses(seed):
    rng = np.random.default_rng(seed)
    d = rng.normal(-0.1 * (seed % 3), 0.3, 16)
    exact = obvious.loss_p(d)
    found = loss_test(d, seed=seed)
    assert not found.exact
    assert found.pvalue == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 1e4) + 2e-4)
    signs = rng.choice([-1, 1], (10_000, 16))
    assert obvious.loss_p(d, signs) == pytest.approx(found.pvalue, abs=0.03)


@pytest.mark.parametrize("seed", SEEDS)
def test_holm_over_measures(seed):
    rng = np.random.default_rng(seed)
    measures = [some_differences(rng, 9) for _ in range(int(rng.integers(1, 6)))]
    p = [loss_test(d).pvalue for d in measures]
    adjusted, blocked = obvious.gate(measures, [0.0] * len(measures))
    assert adjust(p, "holm") == near(adjusted)
    assert (adjust(p, "holm") <= 0.05).tolist() == blocked.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_certificates(seed):
    rng = np.random.default_rng(seed)
    reach = float(rng.choice([1, 4, 100, 0.3]))
    d = some_differences(rng, int(rng.integers(1, 30))) * reach
    margin = float(rng.choice([0.02, 0.1, 0.5, 0.95])) * reach
    clusters = some_clusters(rng, len(d)) if seed % 2 else None
    found = certify(d, margin, range=reach, clusters=clusters)
    if clusters is not None:
        sums, sizes = obvious.totals(d, clusters)
        d = sums / sizes
    p = obvious.certificate_p(d, margin, reach)
    assert found.pvalue == near(p)
    assert found.certified == (p <= 0.05)
    assert found.n == len(d)
    assert found.needed == obvious.queries_to_certify(margin, reach)
    assert found.needed <= found.n or not found.certified or d.max() > 0
    assert found.bound == near(obvious.certificate_bound(d, reach), 1e-8 * reach)


def test_large_gains_are_certified_with_fewer_queries_than_no_change():
    found = certify(np.ones(5), 0.01)
    assert found.certified
    assert found.pvalue == near(obvious.certificate_p(np.ones(5), 0.01)) == near((0.99 / 2) ** 5)
    assert found.needed == 299


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_pairs(seed, clustered):
    rng = np.random.default_rng(seed)
    n, systems = int(rng.integers(2, 13)), int(rng.integers(2, 6))
    if clustered:
        n = 3 * n
    scores = some_scores(rng, n, systems)
    baseline = None if seed % 3 else int(rng.integers(systems))
    alpha = float(rng.choice([0.05, 0.1, 0.01]))
    clusters = some_clusters(rng, n) if clustered else None
    found = max_t(scores, baseline, clusters=clusters, alpha=alpha)
    d = obvious.all_pairs(scores, baseline)
    if baseline is not None:
        d = -d
    mean, sizes = d.mean(axis=0), None
    if clustered:
        totals = [obvious.totals(column, clusters) for column in d.T]
        d, sizes = np.stack([sums for sums, _ in totals], axis=1), totals[0][1]
    d = obvious.cleaned(d, np.abs(scores).max())
    short = obvious.max_t(d, alpha, sizes=sizes)
    assert found.p == near(short.p)
    assert found.u == near(short.u)
    assert found.difference == near(mean)
    assert found.critical == near(short.critical)
    assert found.critical_t == near(short.critical_t, 1e-6)
    assert found.significant.tolist() == short.significant.tolist()
    assert found.low == near(short.low, 1e-8)
    assert found.high == near(short.high, 1e-8)
    for k, column in enumerate(d.T):
        assert found.alone[k] == near(obvious.max_t(column[:, None]).p[0])
    assert least_units(alpha) == obvious.fewest(alpha)


@pytest.mark.parametrize("seed", range(6))
def test_drawn_pairs(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal((0, 0, 0.1, 0.2), 0.2, (16, 4))
    short = obvious.max_t(obvious.all_pairs(scores))
    found = max_t(scores, seed=seed)
    assert not found.exact
    error = 5 * np.sqrt(short.p * (1 - short.p) / 1e4) + 2e-4
    assert (np.abs(found.p - short.p) < error).all()
    assert found.critical == pytest.approx(short.critical, rel=0.03)
    assert found.high - found.low == pytest.approx(short.high - short.low, rel=0.1)
    signs = rng.choice([-1, 1], (10_000, 16))
    drawn = obvious.max_t(obvious.all_pairs(scores), signs=signs)
    assert (np.abs(found.p - drawn.p) < 1.5 * error).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_two_systems(seed):
    rng = np.random.default_rng(seed)
    a, b = some_scores(rng, 12, 2).T
    found = flip_test(a, b)
    short = obvious.max_t(obvious.cleaned(a - b, 1.0)[:, None])
    assert found.pvalue == near(short.p[0])
    assert (found.low, found.high) == near((short.low[0], short.high[0]), 1e-8)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_means(seed, clustered):
    rng = np.random.default_rng(seed)
    values = np.clip(np.abs(some_differences(rng, int(rng.integers(1, 40)))), 0, 1)
    low, high = [(0, 1), (1, 5), (-1, 1)][seed % 3]
    values = low + (high - low) * values
    clusters = some_clusters(rng, len(values)) if clustered else None
    found = mean_interval(values, bounds=(low, high), clusters=clusters)
    assert tuple(found) == near(obvious.mean_interval(values, clusters, low, high), 1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_ratios(seed):
    rng = np.random.default_rng(seed)
    y = rng.lognormal(0, rng.choice([0.3, 1.2]), int(rng.integers(2, 20)))
    x = y * rng.normal(0.3, 0.4, len(y))
    assert tuple(ratio_interval(x, y)) == near(obvious.net_interval(x, y))


@pytest.mark.parametrize("seed", SEEDS)
def test_incomplete_tables(seed):
    rng = np.random.default_rng(seed)
    n, systems = int(rng.integers(8, 15)), int(rng.integers(3, 5))
    scores = some_scores(rng, n, systems)
    scores[rng.random((n, systems)) < 0.15] = np.nan
    scores[0, 0] = np.nan
    rows = [
        {"system": f"s{k}", "item": f"q{q:02}", "measure": "AP", "value": scores[q, k]}
        for q in range(n)
        for k in range(systems)
        if not np.isnan(scores[q, k])
    ]
    found = tare.compare(pl.DataFrame(rows))
    assert (found.test, found.correction) == ("permutation", "holm")
    rows = found.rows()
    d = []
    for row in rows:
        both = scores[:, int(row["system"][1:])] - scores[:, int(row["against"][1:])]
        d.append(obvious.cleaned(both[~np.isnan(both)], 1.0))
    p, adjusted, ends = obvious.incomplete(d)
    assert [row["p"] for row in rows] == near(p)
    assert [row["p_adjusted"] for row in rows] == near(adjusted)
    assert [(row["low"], row["high"]) for row in rows] == near(ends, 1e-8)
    assert [row["significant"] for row in rows] == (adjusted <= 0.05).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_two_measures_against_people(seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(2, 8)), int(rng.integers(2, 6))
    people = rng.integers(1, 6, shape) / 5
    first, second = (people + rng.normal(0, 0.3, shape) for _ in range(2))
    if seed % 4 == 0:
        first = np.round(first, 1)
    counts, p_counts, r, p_r = obvious.opposite(people, first, second)
    found = win_test(first, second, people)
    assert (found.wins, found.losses, found.ties) == counts
    assert found.pvalue == near(p_counts)
    means = people.mean(axis=1)
    if len(means) > 2 and np.ptp(means) > 0:
        found = exchange_test(first, second, people)
        assert (found.first, found.second) == near(r)
        assert found.pvalue == near(p_r)


@pytest.mark.parametrize("seed", range(5))
def test_intervals_of_tau(seed):
    rng = np.random.default_rng(seed)
    draws = np.clip(rng.normal(0.8, 0.1, 200), -1, 1)
    expected = obvious.tau_interval(0.85, draws)
    assert correlation_interval(0.85, draws) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("measure", ["nDCG@10", "P@5", "RR"])
@pytest.mark.parametrize("seed", range(4))
def test_differences_of_nets(measure, seed):
    data = tare.simulate(queries=12, seed=seed)
    measures = [measure, f"E({measure})", f"Ideal({measure})", f"Net({measure})"]
    scores = tare.evaluate(data.qrels, data.runs, measures, pool="judged")
    gross, chance, ideal = (scores[name].values[:, :, 0].T for name in measures[:3])
    x, y = gross - chance, (ideal - chance)[:, 0]
    found = tare.compare(scores[f"Net({measure})"]).rows()
    columns = [[scores.systems.index(row[end]) for row in found] for end in ("system", "against")]
    d = obvious.cleaned(x[:, columns[0]] - x[:, columns[1]], 1.0)
    short = obvious.max_t(d, sizes=y)
    assert [row["p_adjusted"] for row in found] == near(short.p)
    assert [row["difference"] for row in found] == near(d.sum(axis=0) / y.sum())
    assert [row["low"] for row in found] == near(short.low, 1e-7)
    assert [row["high"] for row in found] == near(short.high, 1e-7)


def score_rows(system, values, measure, items=None):
    items = [f"q{k:02}" for k in range(len(values))] if items is None else items
    return [
        {"system": system, "item": item, "measure": measure, "value": float(value)}
        for item, value in zip(items, values, strict=True)
    ]


def table_of(rows):
    return tare.Scores.load(pl.DataFrame(rows))


@pytest.mark.parametrize("seed", SEEDS)
def test_gates(seed):
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(6, 14)), int(rng.integers(1, 4))
    old = rng.integers(0, 11, (n, count)) / 10
    new = np.clip(old + np.stack([some_differences(rng, n) for _ in range(count)], axis=1), 0, 1)
    margins = [float(m) for m in rng.choice([0, 0.02, 0.2], count)]
    names = ["nDCG@10", "AP", "RR"][:count]
    tables = [
        table_of([row for k, m in enumerate(names) for row in score_rows(who, x[:, k], m)])
        for who, x in (("new", new), ("old", old))
    ]
    found = tare.gate(
        *tables, {m: margin or None for m, margin in zip(names, margins, strict=True)}
    )
    d = [obvious.cleaned(new[:, k] - old[:, k], 1.0) for k in range(count)]
    adjusted, blocked = obvious.gate(d, margins)
    rows = found.rows()
    assert [row["p_adjusted"] for row in rows] == near(adjusted)
    assert found.exit_code == int(blocked.any())
    for row, values, margin in zip(rows, d, margins, strict=True):
        assert row["p"] == near(obvious.loss_p(values))
        assert row["difference"] == near(values.mean())
        detectable = obvious.detectable(values, count, margin)
        shown = row["detectable"]
        assert (math.nan if shown is None else shown) == near(detectable)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_certifying_gates(seed, clustered):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 14))
    low, high = [(0, 1), (1, 5), (-2, 2)][seed % 3]
    old = low + (high - low) * rng.integers(0, 11, n) / 10
    new = np.clip(old + (high - low) * some_differences(rng, n) * 0.5, low, high)
    margin = float(rng.choice([0.1, 0.4])) * (high - low)
    measure = "RR" if (low, high) == (0, 1) else "stars"
    tables = [table_of(score_rows(who, x, measure)) for who, x in (("new", new), ("old", old))]
    groups = some_clusters(rng, n)
    cluster = {f"q{k:02}": str(c) for k, c in enumerate(groups)} if clustered else None
    options = {} if measure == "RR" else {"range": (low, high)}
    found = tare.gate(*tables, {measure: margin}, certify=True, cluster=cluster, **options)
    d = new - old
    if clustered:
        sums, sizes = obvious.totals(d, groups)
        d, flipped = sums / sizes, sums
    else:
        flipped = d
    d, flipped = obvious.cleaned(d, 10.0), obvious.cleaned(flipped, 10.0)
    p = obvious.certificate_p(d, margin, high - low)
    (row,) = found.rows()
    assert row["certificate_p"] == near(p)
    assert row["bound"] == near(obvious.certificate_bound(d, high - low), 1e-7)
    assert row["p"] == near(obvious.loss_p(flipped))
    expected = 0 if p <= 0.05 else 1 if obvious.loss_p(flipped) <= 0.05 else 4
    assert found.exit_code == expected


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_estimates(seed, clustered):
    rng = np.random.default_rng(seed)
    n, more = int(rng.integers(8, 50)), 100
    share = float(rng.choice([0.1, 0.5]))
    y = (rng.random(n + more) < share) * 1.0
    if seed % 2:
        y = np.clip(y * rng.random(n + more), 0, 1)
    f = np.where(rng.random(n + more) < 0.8, y, 1 - y)
    groups = None
    if clustered:
        groups = np.sort(rng.integers(0, 6, n)), np.sort(rng.integers(0, 20, more))
        groups = tuple(np.unique(ids, return_inverse=True)[1] for ids in groups)
    sample = QuerySample(y[None, :n], f[None, :n], f[None, n:], None, groups)
    made = Estimator("x", sample, bounds=(0.0, 1.0))
    _, low, high = made.interval(None, 0.95, 0, 0)
    weight = float(replace(made, bounds=None).fit.weight)
    short = obvious.estimate_interval(y[:n], f[:n], f[n:], weight, *(groups or (None, None)))
    assert (low[0], high[0]) == near(short[1:], 1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_on_fixed_data_sets(seed):
    rng = np.random.default_rng(seed)
    sizes = [(3, 4, 2), (6, 5), (2, 2, 2, 3)][seed % 3]
    systems = int(rng.integers(2, 5))
    sets = [some_scores(rng, n, systems) for n in sizes]
    found = macro_max_t(sets)
    assert found.p == near(obvious.over_queries(sets))
    assert found.exact


@pytest.mark.parametrize("over", ["datasets", "queries"])
@pytest.mark.parametrize("seed", range(12))
def test_ranks(seed, over):
    rng = np.random.default_rng(seed)
    count = 8 if over == "datasets" else 3
    systems, queries = 4, 1 if over == "datasets" else 4
    gains = rng.choice([0, 0.2, 0.4], systems)
    sets = [np.round(rng.normal(0.4, 0.05, (queries, systems)) + gains, 2) for _ in range(count)]
    rows = [
        {"system": f"s{k}", "item": f"d{d}/q{q}", "measure": "AP", "value": scores[q, k]}
        for d, scores in enumerate(sets)
        for q in range(queries)
        for k in range(systems)
    ]
    frame = pl.DataFrame(rows).with_columns(collection=pl.col("item").str.slice(0, 2))
    found = tare.leaderboard(tare.Scores.load(frame), by="collection", over=over)
    if over == "datasets":
        expected = obvious.over_data_sets(np.concatenate(sets))
    else:
        means = np.mean([scores.mean(axis=0) for scores in sets], axis=0)
        expected = obvious.rank_intervals(means, obvious.over_queries(sets))
    ranks = {place.system: (place.low, place.high) for place in found.places}
    assert [ranks[f"s{k}"] for k in range(systems)] == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_clusters_in_comparisons(seed):
    rng = np.random.default_rng(seed)
    n, systems = int(rng.integers(15, 40)), 4
    scores, groups = some_scores(rng, n, systems), some_clusters(rng, n)
    rows = [row for k in range(systems) for row in score_rows(f"s{k}", scores[:, k], "AP")]
    cluster = {f"q{k:02}": str(c) for k, c in enumerate(groups)}
    found = tare.compare(table_of(rows), cluster=cluster).rows()
    totals = [obvious.totals(column, groups) for column in obvious.all_pairs(scores).T]
    d = obvious.cleaned(np.stack([sums for sums, _ in totals], axis=1), 1.0)
    short = obvious.max_t(d, sizes=totals[0][1])
    if len(d) < obvious.fewest(0.05):
        assert all(math.isnan(row["low"]) for row in found)
        return
    assert [row["p_adjusted"] for row in found] == near(short.p)
    assert [row["difference"] for row in found] == near(obvious.all_pairs(scores).mean(axis=0))
    assert [row["low"] for row in found] == near(short.low, 1e-8)
    assert [row["high"] for row in found] == near(short.high, 1e-8)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_intervals_of_scores(seed, clustered):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    values = np.abs(some_differences(rng, n))
    groups = some_clusters(rng, n)
    cluster = {f"q{k:02}": str(c) for k, c in enumerate(groups)}
    tables = [
        table_of(score_rows("s", values * times, m)) for m, times in (("AP", 1), ("stars", 5))
    ]
    bounds = tables[1].with_range(0, 5)
    for table, high in ((tables[0], 1), (bounds, 5)):
        found = table.clustered(cluster).intervals() if clustered else table.intervals()
        short = obvious.mean_interval(values * high, groups if clustered else None, 0, high)
        assert found[0, 0] == near(short[1:3], 1e-7)
    free = tables[1].clustered(cluster).intervals() if clustered else tables[1].intervals()
    sums, sizes = obvious.totals(values * 5, groups) if clustered else (values * 5, np.ones(n))
    _, *ends = obvious.fieller(sums, sizes, obvious.student_u(len(sums)))
    assert free[0, 0] == near(ends if np.ptp(ends) > 0 else (math.nan, math.nan), 1e-7)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_intervals_of_nets(seed, clustered):
    data = tare.simulate(queries=24, seed=seed)
    measures = ["P@5", "E(P@5)", "Ideal(P@5)", "Net(P@5)"]
    scores = tare.evaluate(data.qrels, data.runs, measures, pool="judged")
    gross, chance, ideal = (scores[name].values[:, :, 0] for name in measures[:3])
    groups = some_clusters(np.random.default_rng(seed), len(scores.items))
    table = scores["Net(P@5)"]
    if clustered:
        named = zip(scores.items, groups, strict=True)
        table = table.clustered({item: str(c) for item, c in named})
    found = table.intervals()[:, 0]
    for k in range(len(scores.systems)):
        x, y, hits = (gross - chance)[k], (ideal - chance)[k], (gross[k] > 0) * 1.0
        if clustered:
            x, y, hits = (obvious.totals(part, groups)[0] for part in (x, y, hits))
        ends = obvious.net_interval(x, y, hits)[1:]
        assert found[k] == near(np.minimum(ends, 1.0), 1e-7)  # no Net is above 1
