"""Pyramids: summary content units (SCUs) of reference summaries, and those found in a peer."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element

from tare._data import safe_xml
from tare._data.columns import recognise
from tare._data.findings import Frame
from tare._data.table_files import table_in
from tare._data.tables import InputTable, is_frame, read_table, to_polars
from tare._files.opening import PathLike, name_of, plain_suffix, read_all
from tare.errors import FormatError, raise_all

__all__ = [
    "Contributor",
    "PeerAnnotation",
    "Presence",
    "Pyramid",
    "Scu",
    "Scus",
    "majority",
    "read_peer",
    "read_presence",
    "read_pyramid",
    "read_scus",
    "scus_of_objects",
]


WEIGHT_IN_LABEL = re.compile(r"^\(\d+\)\s*")
MARK = "\x00"  # cannot occur in XML


@dataclass(frozen=True)
class Contributor:
    """The words of one summary that express an SCU; `summary` is the index of the reference."""

    label: str
    parts: tuple[str, ...]
    summary: int | None = None


@dataclass(frozen=True)
class Scu:
    """A summary content unit of a pyramid; its weight is the number of references that contain it."""

    id: str
    label: str
    weight: int
    contributors: tuple[Contributor, ...] = ()


@dataclass(frozen=True)
class Pyramid:
    """The SCUs of one item, and the number of its references."""

    item: str
    scus: tuple[Scu, ...]
    references: int


@dataclass(frozen=True)
class PeerAnnotation:
    """The SCUs of a pyramid that were found in the summary of one system."""

    item: str
    system: str
    pyramid: Pyramid
    found: dict[str, tuple[Contributor, ...]]
    unmatched: int

    @property
    def size(self) -> int:
        """The number of SCUs of the peer summary, including those outside the pyramid."""
        return len(self.found) + self.unmatched


def read_pyramid(source: Any, *, item: str | None = None) -> Pyramid:
    """Read a pyramid of content units from DUCView's XML (.pyr, .pan) or a table.

    A table (.csv, .tsv, .jsonl, .parquet or a data frame) has the columns scu and weight, or scu and
    reference with one row per reference that contains the SCU; the columns label and item are
    optional. In XML, the weight of an SCU is the number of distinct references of its contributors.
    """
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        fallback = item or Path(name).name.split(".")[0]
        table = table_in(source)
        if table is not None:
            return _of_table(read_table(table), fallback)
        root = safe_xml.parse(read_all(source), name)
        return _of_xml(_pyramid_element(root, name), fallback, name)
    if is_frame(source):
        return _of_table(InputTable("data frame", to_polars(source)), item or "item")
    raise FormatError(f"a pyramid cannot be read from a {type(source).__name__}.")


def read_peer(
    source: PathLike, *, item: str | None = None, system: str | None = None
) -> PeerAnnotation:
    """Read the annotation of a peer summary (.pan), which contains its pyramid.

    By default, item and system are the first and the last part of the file name (D0701-A.M.13).
    """
    name = name_of(source)
    root = safe_xml.parse(read_all(source), name)
    stem = re.sub(r"\.pan$", "", Path(name).name)
    parts = stem.split(".")
    item, system = item or parts[0], system or parts[-1]
    pyramid = _of_xml(_pyramid_element(root, name), item, name)
    annotation = root if root.tag == "annotation" else root.find(".//annotation")
    if annotation is None:
        raise FormatError(
            f"{name}: no <annotation> found. Is this a pyramid (.pyr) instead of a peer?"
        )
    known = {scu.id for scu in pyramid.scus}
    found: dict[str, tuple[Contributor, ...]] = {}
    unmatched = 0
    for element in annotation.iter("peerscu"):
        contributors = tuple(_contributor(c, [], name) for c in element.iter("contributor"))
        uid = element.get("uid", "")
        if uid not in known:
            unmatched += len(contributors)
        elif contributors:
            found[uid] = contributors
    return PeerAnnotation(item, system, pyramid, found, unmatched)


def _pyramid_element(root: Element, name: str) -> Element:
    found = root if root.tag == "pyramid" else root.find(".//pyramid")
    if found is None:
        raise FormatError(
            f"{name}: no <pyramid> found; the root is <{root.tag}>. "
            "Accepted: DUCView's .pyr and .pan."
        )
    return found


def _of_xml(pyramid: Element, item: str, name: str) -> Pyramid:
    starts = _starts(pyramid, name)
    scus = []
    for element in pyramid.iter("scu"):
        contributors = tuple(_contributor(c, starts, name) for c in element.iter("contributor"))
        owners = {c.summary for c in contributors if c.summary is not None}
        label = WEIGHT_IN_LABEL.sub("", element.get("label", ""))
        weight = len(owners) or len(contributors)
        scus.append(Scu(element.get("uid", ""), label, weight, contributors))
    if not scus:
        raise FormatError(f"{name}: the pyramid has no SCUs.")
    models = _whole(pyramid, "numModels", name)
    references = len(starts) or models or max(s.weight for s in scus)
    return Pyramid(item, tuple(scus), references)


def _starts(pyramid: Element, name: str) -> list[int]:
    """Return the start of each reference in a pyramid's joined text, by the pattern in the file."""
    given = pyramid.findtext("startDocumentRegEx")
    if not given or not given.strip():
        return []
    import polars as pl

    text = "\n".join(line.text or "" for line in pyramid.iterfind("text/line"))
    # The pattern is untrusted: polars needs linear time for any pattern, Python's re does not.
    try:
        found = pl.Series([text]).str.replace_all(f"(?m){given.strip()}", MARK + "${0}")
    except pl.exceptions.PolarsError as error:
        raise FormatError(
            f"{name}: the pattern of document starts {given.strip()[:60]!r} is not "
            f"valid ({str(error).strip().splitlines()[-1][:100]})."
        ) from None
    marked = str(found[0])
    return [part.start() - i for i, part in enumerate(re.finditer(MARK, marked))]


def _whole(element: Element, attribute: str, name: str) -> int:
    given = element.get(attribute, "0").strip()
    if not (given.isdecimal() and given.isascii() and len(given) < 16):
        raise FormatError(
            f"{name}: {attribute}={given[:60]!r} of a <{element.tag}> is not a whole number."
        )
    return int(given)


def _contributor(element: Element, starts: list[int], name: str) -> Contributor:
    parts = list(element.iter("part"))
    first = min((_whole(p, "start", name) for p in parts), default=0)
    before = sum(start <= first for start in starts)
    texts = tuple(p.get("label", "") for p in parts)
    return Contributor(element.get("label", ""), texts, before - 1 if before else None)


def _of_table(table: InputTable, item: str) -> Pyramid:
    frame, name = table.frame, table.name
    columns = {c.strip().lower(): c for c in frame.columns}
    if "scu" not in columns or not {"weight", "reference"} & set(columns):
        raise FormatError(
            f"{name}: a table of SCUs has the columns scu and weight, or scu and reference; found "
            f"{', '.join(map(repr, frame.columns))}."
        )
    weights: dict[str, int] = {}
    labels: dict[str, str] = {}
    owners: dict[str, set[str]] = {}
    for number, row in enumerate(frame.iter_rows(named=True)):
        scu = str(row[columns["scu"]])
        labels.setdefault(scu, str(row[columns["label"]]) if "label" in columns else scu)
        if "weight" in columns:
            given = row[columns["weight"]]
            try:
                weights[scu] = int(given)
            except (TypeError, ValueError, OverflowError):
                weights[scu] = -1
            if weights[scu] < 0 or (isinstance(given, float) and given != weights[scu]):
                raise FormatError(
                    f"{table.where(number)}: the weight {given!r:.60} is not a whole number."
                )
        else:
            owners.setdefault(scu, set()).add(str(row[columns["reference"]]))
            weights[scu] = len(owners[scu])
    if not weights:
        raise FormatError(f"{name}: the table has no SCUs.")
    references = len(set().union(*owners.values())) if owners else max(weights.values())
    scus = tuple(Scu(scu, labels[scu], weight) for scu, weight in weights.items())
    return Pyramid(item, scus, references)


# Tables of the content units that assessors found in summaries.


Presence = dict[tuple[str, str], dict[str, list[bool]]]
"""{(system, item): {SCU: the answer of each assessor}}."""

ANSWERS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "y", "present", "p"), True),
    **dict.fromkeys(("0", "0.0", "false", "no", "n", "absent", "not present"), False),
}


def read_presence(source: Any) -> Presence:
    """Read which content units are present from a table (.csv, .tsv, .jsonl, .parquet or a data frame), one row per answer.

    Columns: item, scu, present (1/0, true/false, yes/no, present/absent), and system if there are
    several. Rows of the same SCU and summary are the answers of several assessors.

    >>> import polars as pl
    >>> read_presence(pl.DataFrame({"item": ["d"], "scu": ["1"], "present": ["yes"]}))
    {('system', 'd'): {'1': [True]}}
    """
    table = _table(source)
    name, frame = table.name, table.frame
    columns = {c.strip().lower(): c for c in frame.columns}
    missing = [c for c in ("scu", "present") if c not in columns]
    if missing:
        raise FormatError(
            f"{name}: no column {missing[0]!r}; found {', '.join(map(repr, frame.columns))}. A table "
            "of answers has the columns system, item, scu and present."
        )
    item = recognise(frame.columns, ["item"], name)["item"]
    found: Presence = {}
    problems: list[str] = []
    for number, row in enumerate(frame.iter_rows(named=True)):
        given = row[columns["present"]]
        answer = ANSWERS.get(str(given).strip().lower())
        if answer is None:
            problems.append(f"{table.where(number)}: present must be yes or no; found {given!r}.")
            continue
        system = str(row[columns["system"]]) if "system" in columns else "system"
        units = found.setdefault((system, str(row[item])), {})
        units.setdefault(str(row[columns["scu"]]), []).append(answer)
    raise_all(problems)
    return found


def majority(votes: Iterable[bool]) -> bool:
    """Return whether more than half of the assessors say that a content unit is present.

    >>> majority([True, True, False]), majority([True, False])
    (True, False)
    """
    given = list(votes)
    return 2 * sum(given) > len(given)


def _table(source: Any) -> InputTable:
    if isinstance(source, str | os.PathLike):
        table = table_in(source)
        if table is not None:
            return read_table(table)
        raise FormatError(
            f"{name_of(source)}: answers are read from .csv, .tsv, .jsonl or .parquet."
        )
    if is_frame(source):
        return InputTable("data frame", to_polars(source))
    raise FormatError(f"answers cannot be read from a {type(source).__name__}.")


# Content units of summaries: from pyramids, annotated peers or answers of assessors.


Scus = Pyramid | PeerAnnotation
"""The units of an item, or those found in the text of one system."""

ScusSource: TypeAlias = "PathLike | Frame | Scus | Mapping[Any, Any] | Iterable[Any]"
"""A file, a data frame, units, answers by (system, item), or several of these."""
KEYS = ("scu", "id", "label", "weight", "present", "contributors")


def read_scus(source: ScusSource) -> list[Scus]:
    """Read pyramids and annotations of content units from files (.pyr, .pan, tables of answers) or objects."""
    if isinstance(source, Pyramid | PeerAnnotation):
        return [source]
    if isinstance(source, str | os.PathLike):
        suffix = plain_suffix(source)
        if suffix == ".pan":
            return [read_peer(source)]
        return [read_pyramid(source)] if suffix == ".pyr" else _of_presence(read_presence(source))
    if isinstance(source, Mapping):
        return _of_presence(source)
    if isinstance(source, Iterable) and not hasattr(source, "columns"):
        return [found for part in source for found in read_scus(part)]
    return _of_presence(read_presence(source))


def scus_of_objects(given: Any, system: str, item: str, references: int) -> Scus:
    """Return the content units of one summary from a list of {scu, weight, present, contributors}.

    Without any `present` they are the pyramid of the item. `present` is true or false, or a list
    with the answer of each assessor; `contributors` are texts, or lists of their parts.

    >>> scus_of_objects([{"scu": "1", "weight": 2, "present": True}], "s", "d", 3).size
    1
    """
    if isinstance(given, str):  # in a cell of a table without lists
        try:
            given = json.loads(given)
        except RecursionError:
            raise ValueError("scus are nested too deep.") from None
    if not isinstance(given, list | tuple) or not all(isinstance(unit, Mapping) for unit in given):
        raise TypeError(f"scus are a list of {{scu, weight, present}}; found {given!r:.60}.")
    scus: list[Scu] = []
    found: dict[str, tuple[Contributor, ...]] = {}
    for number, unit in enumerate(given, 1):
        unknown = [key for key in unit if key not in KEYS]
        if unknown:
            raise ValueError(f"an SCU has {', '.join(KEYS)}; found {unknown[0]!r}.")
        name = str(unit.get("scu", unit.get("id", number)))
        weight = unit.get("weight") or 1
        if not isinstance(weight, int | float) or not 0 <= weight < 1e15 or weight != int(weight):
            raise ValueError(
                f"SCU {name}: the weight must be a whole number; found {weight!r:.60}."
            )
        contributors = tuple(_given_contributor(part) for part in unit.get("contributors") or ())
        scus.append(Scu(name, str(unit.get("label") or name), int(weight), contributors))
        if _present(unit.get("present"), name):
            found[name] = ()
    pyramid = Pyramid(item, tuple(scus), references or max((s.weight for s in scus), default=1))
    if all(unit.get("present") is None for unit in given):
        return pyramid
    return PeerAnnotation(item, system, pyramid, found, 0)


def _given_contributor(given: Any) -> Contributor:
    parts = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(part, str) for part in parts):
        raise TypeError(
            f"a contributor must be a text or a list of its parts; found {given!r:.60}."
        )
    return Contributor(" … ".join(parts), parts)


def _present(given: Any, name: str) -> bool:
    votes = list(given) if isinstance(given, list | tuple) else [given]
    if not all(vote in (None, True, False) for vote in votes):
        raise ValueError(f"SCU {name}: present must be true or false; found {given!r:.60}.")
    return majority(bool(vote) for vote in votes)


def _of_presence(presence: Mapping[Any, Any]) -> list[Scus]:
    """Return annotations of peers from assessors' answers: content units have weight 1, and are present by majority."""
    if not isinstance(presence, Mapping) or not all(
        isinstance(u, Mapping) for u in presence.values()
    ):
        raise FormatError("answers must be {(system, item): {SCU: [answer of each assessor]}}.")
    made: list[Scus] = []
    for (system, item), units in presence.items():
        pyramid = Pyramid(item, tuple(Scu(scu, scu, 1) for scu in units), 1)
        found: dict[str, tuple[Contributor, ...]] = {
            scu: () for scu, votes in units.items() if majority(votes)
        }
        made.append(PeerAnnotation(item, system, pyramid, found, 0))
    return made
