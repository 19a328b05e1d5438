"""Answers: ratings from battles, next to evalica and choix.

Times are wall-clock, and CPU time of the process is next to them. `ratio` is peer ÷ tare.
"""

from __future__ import annotations

import json
import platform
from pathlib import Path

from _battles import battles

RESULTS = Path(__file__).parent / "results" / "answers.json"


def main() -> None:
    """Run the benchmarks and keep their figures."""
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    found |= {"python": platform.python_version(), "battles": battles()}
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found["battles"], indent=2))


if __name__ == "__main__":
    main()
