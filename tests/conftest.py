"""What all tests share: where real data are, and how hypothesis searches."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile(
    "tare",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("tare")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long studies may take longer than other tests before they count as hanging."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(3600))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("TARE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set TARE_DATA to their folder")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The chromium that is installed, driven by Playwright; nothing is downloaded.

    Its event loop runs as long as it does, so it ends with the module: others start their own.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = os.environ.get("TARE_CHROMIUM") or shutil.which("chromium")
    if found is None:
        pytest.skip("no chromium here (apt install chromium, or set TARE_CHROMIUM to one)")
    with playwright.sync_playwright() as started:
        # Containers give it neither a sandbox of its own nor much shared memory.
        opened = started.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield opened
        opened.close()
