"""Charts as files for papers: SVG, PNG and PDF, in the light colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tare._writing import write_bytes
from tare.errors import MissingExtraError, OptionError
from tare.report._blocks import Figure
from tare.report._theme import LIGHT, chart_config, painted

__all__ = ["FORMATS", "converter", "figure_bytes", "save_figures"]

FORMATS = ("svg", "png", "pdf")
WIDTH = 480  # of charts that fill a page's width on screen
SCALE = 3.0  # dots a pixel, for print
UNDRAWABLE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff\\ufffe\\uffff]")


def converter() -> Any:
    """The package that draws charts outside a browser."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("vl-convert-python", "report", "Drawing charts") from None
    return vl_convert


def figure_bytes(figure: Figure, format: str) -> bytes:
    """One chart in one format."""
    if format not in FORMATS:
        raise OptionError(f"figures are written as {', '.join(FORMATS)}; {format!r} is not known.")
    spec = painted({**figure.spec(), "config": chart_config()}, LIGHT)
    spec["config"]["background"] = "white"
    if spec.get("width") == "container":
        spec["width"] = WIDTH
    spec = _drawable(spec)
    vlc = converter()
    if format == "svg":
        return str(vlc.vegalite_to_svg(spec)).encode()
    if format == "png":
        return bytes(vlc.vegalite_to_png(spec, scale=SCALE))
    return bytes(vlc.vegalite_to_pdf(spec))


def _drawable(value: Any) -> Any:
    """The same with a sign for each character that no SVG may hold; the drawing would abort."""
    if isinstance(value, str):
        return UNDRAWABLE.sub(_sign, value)
    if isinstance(value, dict):
        return {_drawable(key): _drawable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_drawable(part) for part in value]
    return value


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def save_figures(
    figures: Sequence[Figure], folder: Path, formats: Sequence[str] = FORMATS
) -> tuple[Path, ...]:
    """Writes charts as NN-name.format; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, figure in enumerate(figures, 1):
        stem = re.sub(r"[^a-z0-9]+", "-", figure.name.lower()).strip("-") or "figure"
        for format in formats:
            path = folder / f"{number:02d}-{stem}.{format}"
            write_bytes(path, figure_bytes(figure, format))
            written.append(path)
    return tuple(written)
