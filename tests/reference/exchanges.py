"""Exchanges of two measures, system by system: the test from its definition, with a given matrix of patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scipy import stats

Table = list[list[float]]


def standardised(table: Table) -> Table:
    """z = (x − mean)/sd over all cells, rounded so that equal scores stay equal."""
    cells = [x for row in table for x in row]
    mean = sum(cells) / len(cells)
    sd = (sum((x - mean) ** 2 for x in cells) / len(cells)) ** 0.5
    return [[round((x - mean) / sd, 9) for x in row] for row in table]


def wins(first: Table, second: Table, people: Table) -> tuple[int, int, int]:
    """Wins, losses and ties of people over pairs of systems that the measures order differently."""
    counted = [0, 0, 0]
    for i in range(len(first)):
        for j in range(i):
            for item in range(len(first[0])):
                a, b, truth = (t[i][item] - t[j][item] for t in (first, second, people))
                if a * b < 0:
                    place = 2 if abs(truth) < 1e-9 else 0 if a * truth > 0 else 1
                    counted[place] += 1
    return counted[0], counted[1], counted[2]


def win_gap(first: Table, second: Table, people: Table) -> float:
    """|W − L|."""
    won, lost, _ = wins(first, second, people)
    return abs(won - lost)


def correlation_gap(level: str, kind: str) -> Callable[[Table, Table, Table], float]:
    """|r₁ − r₂| of means, or of the systems on each item."""
    name = {"pearson": "pearsonr", "spearman": "spearmanr", "tau_b": "kendalltau"}[kind]

    def r(x: list[float], y: list[float]) -> float:
        return float(getattr(stats, name)([round(v, 9) for v in x], y).statistic)

    def coefficient(measure: Table, people: Table) -> float:
        if level == "system":
            x, y = ([sum(row) / len(row) for row in t] for t in (measure, people))
            return r(x, y)
        items = list(zip(zip(*measure, strict=True), zip(*people, strict=True), strict=True))
        return sum(r(list(x), list(y)) for x, y in items) / len(items)

    def gap(first: Table, second: Table, people: Table) -> float:
        return abs(coefficient(first, people) - coefficient(second, people))

    return gap


def reached(
    first: Table,
    second: Table,
    people: Table,
    patterns: Iterable[Iterable[bool]],
    statistic: Callable[[Table, Table, Table], float],
) -> int:
    """The number of patterns whose statistic reaches the observed one; True exchanges a system."""
    x, y = standardised(first), standardised(second)
    observed = statistic(x, y, people)
    count = 0
    for pattern in patterns:
        turned = list(pattern)
        a = [y[s] if t else x[s] for s, t in enumerate(turned)]
        b = [x[s] if t else y[s] for s, t in enumerate(turned)]
        count += statistic(a, b, people) >= observed - 1e-9
    return count
