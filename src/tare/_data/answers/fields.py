"""Names of fields in files about answers, and the values of importance, assignment and support."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tare.errors import OptionError, nearest

__all__ = [
    "FIELDS",
    "Field",
    "cell",
    "chosen_fields",
    "credit_of",
    "flag_of",
    "id_of",
    "importance_of",
    "is_missing",
]

Field = Mapping[str, Sequence[str]]
FIELDS: dict[str, tuple[str, ...]] = {
    "item": ("item", "qid", "topic_id", "query_id", "turn", "turn_id", "item_id", "topic", "query"),
    "system": ("system", "run_id", "run", "system_id", "runid", "run_tag", "tag"),
    "nugget": ("nugget", "nugget_id", "scu", "unit", "criterion_id", "id"),
    "nuggets": ("nuggets", "scus", "content_units", "rubrics"),
    "nugget_text": ("nugget_text", "text", "label", "criterion"),
    "importance": ("importance", "weight"),
    "assignment": ("assignment", "matched", "present", "assigned"),
    "assigner": ("assigner", "assessor", "judge", "annotator", "coder", "rater"),
    "answer_to": ("answer_to", "answer_topic", "answer_item", "written_for"),
    "statement": ("statement", "statement_id", "sentence", "sentence_id"),
    "statements": ("statements", "answer", "sentences"),
    "citation": ("citation", "citation_id", "cited", "document", "docid", "doc_id", "passage"),
    "citations": ("citations",),
    "support": ("support", "supported", "assignment"),
    "text": ("text", "answer_text", "response", "answer", "output"),
    "words": ("words", "response_length", "length"),
    "refused": ("refused", "refusal", "abstained", "is_refusal"),
    "answerable": ("answerable", "is_answerable"),
}
FULL = ("support", "supported", "full_support", "full", "fs", "yes", "y", "true", "present", "1")
PARTIAL = ("partial_support", "partially_supported", "partial", "ps", "0.5")
NOT = (
    "not_support",
    "not_supported",
    "no_support",
    "none",
    "not",
    "ns",
    "no",
    "n",
    "false",
    "absent",
    "not_present",
    "0",
)
CREDITS = {
    **dict.fromkeys(FULL, 1.0),
    **dict.fromkeys(PARTIAL, 0.5),
    **dict.fromkeys(NOT, 0.0),
}
FAILED = ("failed", "")  # what nuggetizer writes where the model gave no answer
VITAL, OKAY = ("vital",), ("okay", "ok")
YES, NO = ("true", "yes", "y", "1", "1.0"), ("false", "no", "n", "0", "0.0", "")


def chosen_fields(chosen: Mapping[str, str | None]) -> Field:
    """Return the names of fields, with those that the caller chose instead of the usual ones."""
    for part in chosen:
        if part not in FIELDS:
            known = ", ".join(sorted(FIELDS))
            raise OptionError(
                f"there is no field {part!r}. Fields: {known}.{nearest(part, FIELDS)}"
            )
    return {
        part: (column.strip().lower(),) if (column := chosen.get(part)) is not None else names
        for part, names in FIELDS.items()
    }


def cell(row: Mapping[str, Any], fields: Field, part: str) -> Any:
    """Return the cell of a part, or None if the row has no such field."""
    for name in fields[part]:
        if name in row:
            return row[name]
    return None


def is_missing(value: object) -> bool:
    """Return whether a cell is empty."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    return isinstance(value, float) and math.isnan(value)


def id_of(value: object, what: str) -> str:
    """Return an id as text; an object such as {"qid": …} is named by its id."""
    if isinstance(value, Mapping):
        value = next((value[k] for k in ("id", "qid", "query_id") if k in value), None)
    if is_missing(value) or isinstance(value, Mapping | list | tuple):
        raise ValueError(f"no {what} found")
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # ids of a column of numbers with gaps
    return str(value).strip()


def credit_of(value: object) -> float | None:
    """Return the credit of an assignment: 1, ½ or 0; None if there is none or if it failed.

    >>> credit_of("support"), credit_of("Partial support"), credit_of(0), credit_of("failed")
    (1.0, 0.5, 0.0, None)
    """
    if is_missing(value):
        return None
    word = _word(value)
    if word in FAILED:
        return None
    if word not in CREDITS:
        raise ValueError(
            f"the assignment {value!r:.60} is not known. Accepted: support (1), partial_support (0.5), "
            "not_support (0), and failed or empty if nothing was assigned"
        )
    return CREDITS[word]


def importance_of(value: object) -> bool | float | None:
    """Return whether a nugget is vital, or its weight; None if nothing is given.

    >>> importance_of("vital"), importance_of("okay"), importance_of(3)
    (True, False, 3.0)
    """
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return value
    word = _word(value)
    if word in VITAL or word in OKAY:
        return word in VITAL
    try:
        weight = float(word)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight):
        raise ValueError(
            f"the importance {value!r:.60} is not known. Accepted: vital, okay, or a weight of 0 or more"
        )
    if weight < 0:
        raise ValueError(
            f"the weight {weight:g} is negative. A nugget has a weight of 0 or more; leave out what an "
            "answer should not say"
        )
    return weight


def flag_of(value: object, what: str) -> bool | None:
    """Return a truth value; None if the cell is empty."""
    if is_missing(value):
        return None
    word = str(value).strip().lower()
    if word not in (*YES, *NO):
        raise ValueError(f"{what} must be true or false; found {value!r:.60}")
    return word in YES


def _word(value: object) -> str:
    """Return a value as one word in lower case; 1.0 and "1.0" are "1"."""
    word = str(value).strip().lower().replace(" ", "_")
    try:
        return f"{float(word):.17g}"
    except ValueError:
        return word.replace("-", "_")
