"""Answers: ratings from battles, next to evalica and choix.

    python benchmarks/answers.py [--small]

Times are wall-clock, and CPU time of the process is next to them. `ratio` is peer ÷ tare.
"""

from __future__ import annotations

import json

from _battles import battles
from _records import Comparison, keep, machine, options


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["evalica", "choix"])
    found = battles(20_000 if given.small else 1_000_000, 200 if given.small else 1000)
    print(json.dumps(found, indent=1))
    whole, plain, peers = (
        found[key]
        for key in ("study with 2 covariates", "fit and draws without covariates", "peers")
    )
    goals = {
        "`tare arena`, 1,000,000 battles, 2 covariates, 1,000 draws": whole["wall_seconds"],
        "fit and draws without covariates: evalica ÷ tare": peers["evalica"]["ratio_wall"],
        "fit and draws without covariates: choix ÷ tare": peers["choix"]["ratio_wall"],
    }
    task = "1,000,000 battles of 100 systems, fit and 1,000 draws"
    rows = [
        Comparison("`tare arena`, the same with 2 covariates and all tables", whole["wall_seconds"])
    ]
    rows += [
        Comparison(task, plain["wall_seconds"], name, peer["wall_seconds"])
        for name, peer in peers.items()
    ]
    keep("answers", found, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
