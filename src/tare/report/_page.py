"""A report as one self-contained HTML page, and its charts as SVG, PNG and PDF files for papers."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from tare._files.writing import write_bytes
from tare._signature import tare_version
from tare.errors import MissingExtraError, OptionError
from tare.report._blocks import (
    Figure,
    FilterableBoard,
    Headlines,
    Paragraph,
    RankedQueries,
    Snippet,
    SortableTable,
)
from tare.report._encoding import charts_available
from tare.report._theme import (
    LIGHT,
    Json,
    Spec,
    chart_config,
    each_leaf,
    resolve_colours,
    stylesheet,
    template_text,
    templates,
)

if TYPE_CHECKING:
    from jinja2 import Environment

    from tare.report._report import Report

__all__ = [
    "FORMATS",
    "VARIABLE",
    "cache_folder",
    "converter",
    "figure_bytes",
    "json_in_html",
    "page",
    "save_figures",
    "vega_script",
]


# Charts as files for papers: SVG, PNG and PDF, in light colours.


FORMATS = ("svg", "png", "pdf")
WIDTH = 480  # pixels, for charts that are as wide as the page on screen
SCALE = 3.0  # dots per pixel, for print
FORBIDDEN_IN_SVG = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff\\ufffe\\uffff]")


def converter() -> Any:
    """Return the package (vl-convert) that draws charts of a report as files without a browser."""
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
    spec = each_leaf(spec, _printable)
    vlc = converter()
    if format == "svg":
        return str(vlc.vegalite_to_svg(spec)).encode()
    if format == "png":
        return bytes(vlc.vegalite_to_png(spec, scale=SCALE))
    return bytes(vlc.vegalite_to_pdf(spec))


def _printable(leaf: Json) -> Json:
    """Replace characters of a chart that are not allowed in SVG; vl-convert would abort on them."""
    return FORBIDDEN_IN_SVG.sub(_visible, leaf) if isinstance(leaf, str) else leaf


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


# The script that draws charts in a page: Vega, Vega-Lite and Vega-Embed, from the installed vl-
# convert.
#
# vl-convert takes seconds to bundle it, longer than the rest of a report. The script depends only on
# its version, so a copy is kept in a cache folder of the user. A copy is used only if no other user
# can have changed it.


VARIABLE = "TARE_CACHE"


def cache_folder() -> Path | None:
    """Return the folder of the cached Vega script: in TARE_CACHE, or that of the user; None if the variable is empty."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return Path(given) if given else None
    home = Path("~").expanduser()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "tare"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "tare" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "tare"


@cache
def vega_script() -> str:
    """Return the Vega script that a page of a report contains, from the cache if it is there."""
    vl_convert = converter()
    path = None
    with suppress(OSError, RuntimeError):  # no home folder
        folder = cache_folder()
        path = None if folder is None else folder / f"vega-{vl_convert.__version__}.js"
    if path is not None and (kept := _read(path)) is not None:
        return kept
    made = str(vl_convert.javascript_bundle())
    if path is not None:
        with suppress(OSError):  # a full or read-only disk: the next report makes it again
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_bytes(path, _sealed(made.encode()))
            path.chmod(0o600)  # whatever the umask
    return made


def _sealed(script: bytes) -> bytes:
    """Return the Vega script for the cache, after a line with its digest."""
    return hashlib.sha256(script).hexdigest().encode() + b"\n" + script


def _read(path: Path) -> str | None:
    """Return the Vega script of a cached file; None if it is absent, damaged, or open to other users."""
    try:
        if not (_own(path.parent.stat()) and _own(path.stat())):
            return None
        data = path.read_bytes()
        script = data.partition(b"\n")[2]
        return script.decode() if data == _sealed(script) else None
    except (OSError, UnicodeDecodeError):
        return None


def _own(found: os.stat_result) -> bool:
    """Return whether only this user can write a cached file; Windows keeps others out of a profile itself."""
    if sys.platform == "win32":
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


# Render a report as one self-contained HTML page.
#
# The page makes no network request. Its content security policy allows only the scripts whose digests
# it lists, so a name in the data could not run as a script even if it were not escaped.


ROOM = 60  # pixels for the axis and the legend of a chart
DIGITS = 4  # significant digits of numbers in charts; a pixel cannot show more
BOARD_DIGITS = 12  # of scores from which ranks are recomputed


@cache
def _environment() -> Environment:
    made = templates("page.html.j2", "blocks.html.j2")
    kinds = {
        Paragraph: "paragraph",
        Headlines: "headlines",
        SortableTable: "table",
        Figure: "figure",
        Snippet: "snippet",
        FilterableBoard: "board",
        RankedQueries: "queries",
    }
    made.filters["kind"] = lambda block: kinds[type(block)]
    made.filters["cells"] = cells
    return made


UNSAFE = str.maketrans(
    {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
)


def json_in_html(value: Json, digits: int = DIGITS) -> str:
    """Return JSON that is safe inside a script element of a report's page, whatever strings it contains."""

    def plain(leaf: Json) -> Json:
        """Round numbers for JSON in a page, replace values that are not finite by null, and replace lone surrogates."""
        if isinstance(leaf, float):
            return float(f"{leaf:.{digits}g}") if math.isfinite(leaf) else None
        return leaf.encode("utf-8", "replace").decode("utf-8") if isinstance(leaf, str) else leaf

    made = each_leaf(value, plain)
    text = json.dumps(made, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(UNSAFE)


def cells(block: SortableTable) -> list[list[Json]]:
    """Return the cells of a table on a report's page with their text, sort value and bar width."""
    table = block.table
    largest: dict[int, float] = {}
    for column in block.bars:
        numbers = [abs(cell) for row in table.rows if _is_number(cell := row[column])]
        largest[column] = max([1.0 if max(numbers, default=0) <= 1 else 0.0, *numbers])
    return [
        [
            {
                "text": text,
                "align": column.align,
                "marked": (r, c) in table.marks,
                "value": repr(float(cell)) if _is_number(cell) else None,
                "width": _width(cell, largest.get(c)),
            }
            for c, (column, cell, text) in enumerate(zip(table.columns, row, shown, strict=True))
        ]
        for r, (row, shown) in enumerate(zip(table.rows, table.shown(), strict=True))
    ]


def _is_number(cell: object) -> TypeGuard[float]:
    return isinstance(cell, int | float) and math.isfinite(cell)


def _width(cell: object, largest: float | None) -> str | None:
    if not largest or not _is_number(cell):
        return None
    return f"{max(0.0, min(100.0, 100 * cell / largest)):.1f}"


def packed(rows: list[Spec]) -> Spec:
    """Return rows of a report's page as columns; repeated strings are stored once, as indices into a list."""
    fields: Spec = {}
    for field in dict.fromkeys(key for row in rows for key in row):
        column = [row.get(field) for row in rows]
        if all(isinstance(cell, str) for cell in column):
            names = list(dict.fromkeys(column))
            place = {name: k for k, name in enumerate(names)}
            fields[field] = {"names": names, "cells": [place[cell] for cell in column]}
        else:
            fields[field] = {"cells": column}
    return {"rows": len(rows), "fields": fields}


def _compact(spec: Spec) -> Spec:
    sets = spec.get("datasets", {})
    return {**spec, "datasets": {name: packed(rows) for name, rows in sets.items()}}


def _height(spec: Spec) -> int:
    """Return about how many pixels a chart needs on the page of a report, before it is drawn."""
    if "facet" not in spec:
        return int(spec["height"]) + ROOM
    field = spec["facet"]["field"]
    names = {row[field] for rows in spec["datasets"].values() for row in rows if field in row}
    return ROOM + -(-len(names) // int(spec["columns"])) * (int(spec["spec"]["height"]) + ROOM)


def _digest(script: str) -> str:
    found = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(found).decode()}'"


def page(report: Report) -> str:
    """Return the page of a report."""
    names = {figure: f"chart-{k}" for k, figure in enumerate(report.figures, 1)}
    charts = {figure: figure.spec() for figure in names}
    scripts = [template_text("page.js")]
    found = [
        b for chapter in report.chapters for b in chapter.blocks if isinstance(b, FilterableBoard)
    ]
    boards = {block: f"board-{k}" for k, block in enumerate(found, 1)}
    if boards:
        scripts.append(template_text("board.js"))
    drilled = any(isinstance(b, RankedQueries) for c in report.chapters for b in c.blocks)
    if drilled:
        scripts.append(template_text("rankings.js"))
    if charts:
        scripts.insert(0, vega_script().replace("</script", "<\\/script"))
    specs = {names[figure]: _compact(spec) for figure, spec in charts.items()}
    data = json_in_html({"charts": specs, "config": chart_config()})
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            names=names | boards,
            heights={figure: _height(spec) for figure, spec in charts.items()},
            boards={name: json_in_html(block.data, BOARD_DIGITS) for block, name in boards.items()},
            style=stylesheet("page", *(["rankings"] if drilled else [])),
            scripts=scripts,
            data=data,
            policy="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
            f"form-action 'none'; script-src {' '.join(map(_digest, scripts))}",
            version=tare_version(),
            charts_available=charts_available(),
        )
        .encode("utf-8", "replace")
        .decode("utf-8")
    )
