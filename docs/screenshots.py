"""Screenshots of pages, by the chromium that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTH, HEIGHT = 1100, 1250
SECONDS = 120  # for the browser


def browser_of() -> str | None:
    """Return the browser that takes the pictures."""
    browsers = ("chromium-headless-shell", "chromium")  # the same engine, without and with windows
    found = map(shutil.which, browsers)
    return os.environ.get("TARE_CHROMIUM") or next(filter(None, found), None)


def screenshot(address: str, picture: Path, height: int = HEIGHT) -> Path | None:
    """Return a picture of the beginning of a page, or None if there is no browser."""
    browser = browser_of()
    if browser is None:
        print("docs: no screenshot on the front page: chromium is not installed", file=sys.stderr)
        return None
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--user-data-dir={profile}", f"--window-size={WIDTH},{height}"]
        command += [f"--screenshot={picture}", address]
        try:
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"docs: no screenshot on the front page: {error}", file=sys.stderr)
            return None
    return picture if picture.exists() else None
