"""What all tests share: where real data are, and how hypothesis searches."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tare._kernels.threads_and_blocks import SEAMS_VARIABLE, Seams, cut, drawn_seams

ROOT = Path(__file__).resolve().parent.parent
REAL_DATA = Path(os.environ.get("TARE_DATA", ROOT.parent / "shared" / "data")).resolve()

# What reports keep for later ones; commands that tests start use it too.
os.environ.setdefault("TARE_CACHE", str(ROOT / "build" / "cache"))

settings.register_profile(
    "tare",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
# Examples that were not tried before: make nightly. A failure prints what repeats it.
settings.register_profile(
    "nightly", settings.get_profile("tare"), derandomize=False, print_blob=True
)
settings.load_profile(os.environ.get("TARE_HYPOTHESIS", "tare"))


CUT_SMALL = ("laws", "oracles")
"""Rooms whose tests read and work in tiny blocks and shares, so that small data are cut everywhere."""


LONG_FILES = (
    "journeys",
    "unit/engines",
    "fuzz",
    "oracles",
    "laws",
    "unit/studies",
    "unit/report",
    "house",
)
"""Where the longest files are. They come first, so that all workers end at about the same time."""


NO_DATA = "TARE_DATA"
"""In the reason of every test that is skipped because real data are absent."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seams",
        default="1",
        help="the seed of the block and share sizes of laws and oracles, or 'off' for the usual sizes",
    )


def pytest_report_header(config: pytest.Config) -> str:
    return f"block and share sizes of laws and oracles: seed {config.getoption('seams')} (--seams)"


@pytest.fixture(autouse=True)
def small_seams(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Seams | None]:
    """Laws and oracles run with sizes drawn for each test, in this process and those it starts."""
    given = request.config.getoption("seams")
    room = Path(str(request.node.path)).parent.relative_to(ROOT / "tests").parts[:1]
    if given == "off" or room[:1] not in [(name,) for name in CUT_SMALL]:
        yield None
        return
    seed = f"{given}/{request.node.nodeid}"
    large = "real_data" in request.fixturenames
    sizes = drawn_seams(seed, 1000 if large else 1)
    if not large:
        monkeypatch.setenv(SEAMS_VARIABLE, seed)
    request.node.add_report_section("call", "seams", f"drawn from {seed!r}: {sizes}")
    with cut(sizes):
        yield sizes


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line for all tests that were skipped because real data are absent."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [str(report.longrepr[2]) for report in skipped if isinstance(report.longrepr, tuple)]
    if count := sum(NO_DATA in reason for reason in reasons):
        terminalreporter.write_line(
            f"{count} of {len(skipped)} skipped tests need real data: set TARE_DATA to their folder."
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long studies may take longer than others before they count as hanging; workers start with long files."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(3600))
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _turn(item.path))  # stable


def _turn(path: Path) -> int:
    room = path.relative_to(ROOT / "tests").as_posix()
    return next(
        (n for n, first in enumerate(LONG_FILES) if room.startswith(first)), len(LONG_FILES)
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file is run by one worker: what a module starts (Ray, a browser, a study) is started once."""
    if config.getoption("dist") != "load":
        return None  # another way was asked for
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # keep the order of `_turn`
    return LoadFileScheduling(config, log)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; a test that needs it is skipped where it is absent."""
    if not REAL_DATA.is_dir():
        pytest.skip(f"no real data at {REAL_DATA}; set {NO_DATA} to their folder")
    return REAL_DATA


BROWSERS = ("chromium-headless-shell", "chromium")
"""The same engine with and without windows; without, a new page takes a quarter of the processor time."""

PATIENCE_MS = 300_000  # a page on a busy machine is late, not broken


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The chromium that is installed, driven by Playwright; nothing is downloaded.

    Its event loop runs as long as it does, so it ends with the module: others start their own.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = os.environ.get("TARE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no chromium here (apt install {BROWSERS[0]}, or set TARE_CHROMIUM to one)")
    with playwright.sync_playwright() as started:
        # Containers give it neither a sandbox of its own nor much shared memory.
        opened = started.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        playwright.expect.set_options(timeout=PATIENCE_MS)
        plain_context = opened.new_context

        def patient_context(**options: Any) -> Any:
            context = plain_context(**options)
            context.set_default_timeout(PATIENCE_MS)
            return context

        opened.new_context = patient_context  # type: ignore[method-assign]
        yield opened
        opened.close()
