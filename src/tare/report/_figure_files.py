"""Charts as files for papers: SVG, PNG and PDF, in light colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tare._files.writing import write_bytes
from tare.errors import MissingExtraError, OptionError
from tare.report._blocks import Figure
from tare.report._theme import LIGHT, chart_config, resolve_colours

__all__ = ["FORMATS", "converter", "figure_bytes", "save_figures"]

FORMATS = ("svg", "png", "pdf")
WIDTH = 480  # pixels, for charts that are as wide as the page on screen
SCALE = 3.0  # dots per pixel, for print
FORBIDDEN_IN_SVG = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff\\ufffe\\uffff]")


def converter() -> Any:
    """Return the package that draws charts without a browser."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("vl-convert-python", "report", "Drawing charts") from None
    return vl_convert


def figure_bytes(figure: Figure, format: str) -> bytes:
    """Return a chart in one format."""
    if format not in FORMATS:
        raise OptionError(
            f"unknown figure format {format!r}. Accepted formats are {', '.join(FORMATS)}."
        )
    spec = resolve_colours({**figure.spec(), "config": chart_config()}, LIGHT)
    spec["config"]["background"] = "white"
    if spec.get("width") == "container":
        spec["width"] = WIDTH
    spec = _printable(spec)
    vlc = converter()
    if format == "svg":
        return str(vlc.vegalite_to_svg(spec)).encode()
    if format == "png":
        return bytes(vlc.vegalite_to_png(spec, scale=SCALE))
    return bytes(vlc.vegalite_to_pdf(spec))


def _printable(value: Any) -> Any:
    """Replace characters that are not allowed in SVG; vl-convert would abort on them."""
    if isinstance(value, str):
        return FORBIDDEN_IN_SVG.sub(_visible, value)
    if isinstance(value, dict):
        return {_printable(key): _printable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_printable(part) for part in value]
    return value


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def save_figures(
    figures: Sequence[Figure], folder: Path, formats: Sequence[str] = FORMATS
) -> tuple[Path, ...]:
    """Write charts as NN-name.format and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, figure in enumerate(figures, 1):
        stem = re.sub(r"[^a-z0-9]+", "-", figure.name.lower()).strip("-") or "figure"
        for format in formats:
            path = folder / f"{number:02d}-{stem}.{format}"
            write_bytes(path, figure_bytes(figure, format))
            written.append(path)
    return tuple(written)
