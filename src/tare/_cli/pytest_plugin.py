"""A pytest plugin: the fixture `tare_gate` fails a test if search quality is shown to be lost.

Baselines are Parquet files next to the test, in a folder `baselines`. `pytest --tare-update` writes them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tare._decide.gate_result import Gate

__all__ = ["pytest_addoption", "tare_gate"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --tare-update and --tare-allow-lower."""
    group = parser.getgroup("tare", "search quality")
    group.addoption(
        "--tare-update",
        action="store_true",
        help="write new baselines, but only where no loss is shown (with certify=True: if certified)",
    )
    group.addoption(
        "--tare-allow-lower",
        action="store_true",
        help="with --tare-update, write all baselines",
    )


@pytest.fixture
def tare_gate(request: pytest.FixtureRequest) -> Callable[..., Gate]:
    """Compare a run with its baseline, and fail the test if a loss is shown.

    ``tare_gate(qrels, run, ["nDCG@10"])`` scores the run and compares it with the baseline of this test.
    ``{"nDCG@10": 0.02}`` gives a margin: a loss that is tolerated, or ruled out with ``certify=True``, which
    fails the test unless it is certified. ``range``, ``cluster``, ``alpha``, ``draws`` and
    ``replicates`` are those of `tare.gate`; other keyword arguments those of `tare.evaluate`, such as
    ``pool="judged"``.
    """

    def check(
        qrels: Any,
        run: Any,
        measures: Sequence[str] | Mapping[str, float | None] | str = "nDCG@10",
        *,
        baseline: str | os.PathLike[str] | None = None,
        certify: bool = False,
        range: tuple[float, float] | None = None,
        cluster: Any = None,
        alpha: float = 0.05,
        draws: int = 10_000,
        replicates: bool = False,
        **options: Any,
    ) -> Gate:
        import tare
        from tare._decide.gate import load_baseline, one_system

        names = [measures] if isinstance(measures, str) else list(measures)
        scored = tare.evaluate(qrels, run, names, **options)
        scores = one_system(scored, None, "candidate", replicates)
        path = Path(baseline) if baseline is not None else _place(request)
        update = request.config.getoption("--tare-update")
        if not path.exists():
            if not update:
                pytest.fail(
                    f"there is no baseline {path}; run pytest --tare-update to create it.", False
                )
            scores.save(path)
        made = tare.gate(
            scores,
            load_baseline(path),
            measures,
            certify=certify,
            range=range,
            cluster=cluster,
            alpha=alpha,
            draws=draws,
        )
        if update and (made.may_update or request.config.getoption("--tare-allow-lower")):
            scores.save(path)
            return made
        if made.exit_code:
            pytest.fail(made.message(), pytrace=False)
        if update:
            pytest.fail(
                f"{made.message()}\nThe baseline {path} was not written: a loss is shown. Add "
                "--tare-allow-lower to write it anyway.",
                pytrace=False,
            )
        return made

    return check


def _place(request: pytest.FixtureRequest) -> Path:
    """Return the baseline of a test with `tare_gate`: a file named after the test, in a folder next to its module."""
    node = request.node
    inside = node.nodeid.rpartition(".py::")[2] or node.name
    name = re.sub(r"[^\w.\-]+", "-", f"{node.path.stem}-{inside}").strip("-")
    return Path(node.path.parent / "baselines" / f"{name}.parquet")
