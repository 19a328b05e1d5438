"""Sphinx configuration. `make docs` builds the docs; warnings are errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from pictures import make_pictures

from tare import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "tare"
author = "The tare developers"
project_copyright = author
version = release = __version__

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_pictures/*.md"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nitpicky = True

html_theme = "furo"
html_title = f"tare {__version__}"
html_static_path: list[str] = []
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"


def setup(app: Sphinx) -> None:
    """Make the pictures of the front page before the pages are read."""
    app.connect("builder-inited", lambda _: make_pictures())
