"""What all tests share: where real data are, and how hypothesis searches."""

from __future__ import annotations

import os
from pathlib import Path

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


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("TARE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set TARE_DATA to their folder")
    return folder
