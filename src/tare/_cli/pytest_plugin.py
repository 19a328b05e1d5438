"""A pytest plugin: the fixture `tare_gate` fails a test if search quality got worse.

Baselines are Parquet files next to the test, in a folder `baselines`. `pytest --tare-update` writes them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tare._decide.gate.result import Gate

__all__ = ["pytest_addoption", "tare_gate"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --tare-update and --tare-allow-lower."""
    group = parser.getgroup("tare", "search quality")
    group.addoption(
        "--tare-update",
        action="store_true",
        help="write new baselines, but only where no measure is lower than before",
    )
    group.addoption(
        "--tare-allow-lower",
        action="store_true",
        help="with --tare-update, also write baselines that are lower than before",
    )


@pytest.fixture
def tare_gate(request: pytest.FixtureRequest) -> Callable[..., Gate]:
    """Compare a run with its baseline, and fail the test if it is worse.

    ``tare_gate(qrels, run, {"nDCG@10": 0.01})`` scores the run and compares it with the baseline of this
    test. "Worse" fails the test. "Cannot tell" fails it by default; ``on_unclear="pass"`` accepts it.
    Other keyword arguments are those of `tare.evaluate`, such as ``pool="judged"``.
    """

    def check(
        qrels: Any,
        run: Any,
        margins: Mapping[str, float],
        *,
        baseline: str | os.PathLike[str] | None = None,
        alpha: float = 0.05,
        on_unclear: Literal["pass", "fail"] = "fail",
        **options: Any,
    ) -> Gate:
        import tare
        from tare._decide.gate.baseline import load_baseline

        scores = tare.evaluate(qrels, run, list(margins), **options)
        path = Path(baseline) if baseline is not None else _place(request)
        update = request.config.getoption("--tare-update")
        if not path.exists():
            if not update:
                pytest.fail(
                    f"there is no baseline {path}; run pytest --tare-update to create it.", False
                )
            scores.save(path)
        made = tare.gate(scores, load_baseline(path), margins, alpha=alpha, on_unclear=on_unclear)
        allowed = made.improved or request.config.getoption("--tare-allow-lower")
        if update and allowed:
            scores.save(path)
            return made
        if made.exit_code:
            pytest.fail(made.message(), pytrace=False)
        return made

    return check


def _place(request: pytest.FixtureRequest) -> Path:
    """Return the baseline of a test: a file named after the test, in a folder next to its module."""
    node = request.node
    inside = node.nodeid.rpartition(".py::")[2] or node.name
    name = re.sub(r"[^\w.\-]+", "-", f"{node.path.stem}-{inside}").strip("-")
    return Path(node.path.parent / "baselines" / f"{name}.parquet")
