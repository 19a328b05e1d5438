"""Safe XML parsing: no entities, no external parts, limited size and depth."""

from __future__ import annotations

from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from tare.errors import FormatError

__all__ = ["parse"]

MOST_BYTES = 64 << 20
MOST_DEPTH = 100


def parse(data: bytes, name: str) -> Element:
    """Parse XML safely into its root element; a document type may declare elements and attributes but no entities."""
    if len(data) > MOST_BYTES:
        raise FormatError(
            f"{name}: {len(data) >> 20} MB of XML; at most {MOST_BYTES >> 20} MB are accepted."
        )
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    depth = 0

    def refuse(*_: object) -> NoReturn:
        raise FormatError(
            f"{name}, line {parser.CurrentLineNumber}: the XML declares entities, which are not "
            "accepted. Replace them with their text."
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            raise FormatError(f"{name}: elements are nested more than {MOST_DEPTH} deep.")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise FormatError(
            f"{name}, line {error.lineno}: not well-formed XML ({expat.ErrorString(error.code)})."
        ) from None
    return builder.close()
