"""Battles: `tare arena` on a million battles, next to evalica and choix for the same fit and draws.

1,000,000 battles of 100 systems on 20,000 prompts. A draw of ours flips the signs of all prompts. The peers have no
test over prompts: a draw of theirs is a refit with resampled prompts; evalica takes the weights of the battles. choix takes a list of wins (`ilsr_pairwise`); a
draw is the resampled list, without ties, as in its documentation. "choix, matrix" gets the matrix of wins, which we
count with NumPy: its fastest door, which takes over most of the work. They do some draws, and their time is scaled to all. A tie is half a win for each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import choix
import evalica
import numpy as np
import pandas as pd
import polars as pl

from tare import arena
from tare._data.battles import read_battles
from tare._decide.arena_model import design_of, fit_ratings, pair_flips, sandwich

SYSTEMS = 100
PEER_DRAWS = 2

__all__ = ["battles"]


def table(count: int) -> pl.DataFrame:
    """Return battles with lengths and positions, 50 per prompt."""
    random = np.random.default_rng(1)
    strength = random.normal(0, 0.5, SYSTEMS)
    a = random.integers(0, SYSTEMS, count)
    b = (a + random.integers(1, SYSTEMS, count)) % SYSTEMS
    length = random.normal(500, 200, (2, count))
    eta = strength[a] - strength[b] + 0.0004 * (length[0] - length[1]) + 0.1
    won = np.where(random.random(count) < 1 / (1 + np.exp(-eta)), "a", "b")
    names = np.array([f"system {k:03}" for k in range(SYSTEMS)])
    return pl.DataFrame(
        {
            "prompt": random.integers(0, count // 50, count),
            "system_a": names[a],
            "system_b": names[b],
            "winner": np.where(random.random(count) < 0.2, "tie", won),
            "length_a": length[0],
            "length_b": length[1],
        }
    )


def timed(call: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return the result, and wall-clock and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = call()
    return found, time.perf_counter() - wall, time.process_time() - cpu


def battles(count: int, draws: int) -> dict[str, Any]:
    """Time the whole study with two covariates, and the fit and draws without covariates."""
    frame = table(count)
    whole = timed(lambda: arena(frame, covariates=["length", "position"], first="a", draws=draws))
    read = read_battles(frame)

    def ours() -> Any:
        fit = fit_ratings(design_of(read), "half")
        return fit, pair_flips(fit, sandwich(fit), draws=draws, seed=1, alpha=0.05)

    (fit, _), wall, cpu = timed(ours)
    design = design_of(read)
    names = list(design.systems)
    words = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
    xs, ys = (pd.Series([names[k] for k in side]) for side in (design.a, design.b))
    winners = [words[int(o)] for o in design.outcome]
    index = pd.Index(names)
    random, units = np.random.default_rng(1), len(design.times)
    chosen = random.integers(0, units, (PEER_DRAWS, units))
    drawn = [np.bincount(row, minlength=units)[design.unit] * design.within for row in chosen]

    def by_evalica(weights: Any) -> Any:
        return evalica.bradley_terry(
            xs, ys, winners, index=index, weights=weights, tolerance=1e-8
        ).scores[names]

    def by_choix(weights: Any) -> Any:
        size = design.size
        share = (design.outcome + 1) / 2
        wins = np.bincount(design.a * size + design.b, weights * share, size * size)
        wins += np.bincount(design.b * size + design.a, weights * (1 - share), size * size)
        return choix.ilsr_pairwise_dense(wins.reshape(size, size), tol=1e-8)

    def by_choix_list(weights: Any) -> Any:
        times = weights.astype(np.int64) * (design.outcome != 0)
        first = np.where(design.outcome > 0, design.a, design.b)
        last = np.where(design.outcome > 0, design.b, design.a)
        pairs = list(
            zip(np.repeat(first, times).tolist(), np.repeat(last, times).tolist(), strict=True)
        )
        return choix.ilsr_pairwise(design.size, pairs, tol=1e-8)

    peers: dict[str, Any] = {}
    calls = {"evalica": by_evalica, "choix": by_choix_list, "choix, matrix": by_choix}
    for name, call in calls.items():
        found, *_ = timed(lambda call=call: call(design.within))  # type: ignore[misc]
        logs = np.log(np.asarray(found)) if name == "evalica" else np.asarray(found)
        _, peer_wall, peer_cpu = timed(lambda call=call: [call(w) for w in drawn])  # type: ignore[misc]
        scale = (draws + 1) / PEER_DRAWS
        peers[name] = {
            "version": version(name.split(",")[0]),
            "wall_seconds": peer_wall * scale,
            "cpu_seconds": peer_cpu * scale,
            "ratio_wall": peer_wall * scale / wall,
            "ratio_cpu": peer_cpu * scale / cpu,
        }
        if call is not by_choix_list:  # which leaves out ties
            peers[name]["largest_difference"] = float(
                np.abs(logs - logs.mean() - fit.ratings).max()
            )
    return {
        "battles": count,
        "systems": SYSTEMS,
        "prompts": count // 50,
        "draws": draws,
        "study with 2 covariates": {"wall_seconds": whole[1], "cpu_seconds": whole[2]},
        "fit and draws without covariates": {"wall_seconds": wall, "cpu_seconds": cpu},
        "peers": peers,
    }
