"""Read and check the text format of LightGBM models.

LightGBM does not check such a text: a child, a feature or a length that is out of range crashes the
process. So the text is parsed here, and only texts that a ranker of tare can have written are accepted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels import LETOR_HIGHEST_FEATURE
from tare._kernels.rankers import Forest

__all__ = ["TreeText", "read_tree_text"]

VERSION = "v4"
OBJECTIVES = ("lambdarank", "regression")  # the score is the plain sum of the leaves
MAX_LEAVES = 1 << 17  # the limit of LightGBM
# Numeric splits: bits for the default direction and the kind of missing value.
NUMERIC_SPLITS = frozenset((0, 2, 4, 6, 8, 10))
WHOLE = re.compile(r"-?\d{1,10}")
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")
SPLITS = ("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child")


@dataclass(frozen=True, eq=False)
class TreeText:
    """The trees, the gain of each split, and whether scores are averaged."""

    features: int
    forest: Forest
    gains: NDArray[np.float64]
    averaged: bool

    @property
    def trees(self) -> int:
        """The number of trees."""
        return len(self.forest.offsets) - 1


def read_tree_text(text: str) -> TreeText:
    """Parse a text; raise ValueError if it is not accepted."""
    if not text.startswith("tree\n"):
        raise ValueError("the trees are not in the text format of LightGBM")
    head, *blocks = re.split(r"(?m)^(?=Tree=)", text)
    if not blocks:
        raise ValueError("the text has no trees")
    blocks[-1], end, _ = blocks[-1].partition("end of trees\n")
    if not end:
        raise ValueError("the text is cut off: 'end of trees' is missing")
    given = _entries(head.removeprefix("tree\n"), "the header")
    averaged = given.pop("average_output", None) is not None
    features = _header(given, blocks)
    trees = [_tree(block, t, features) for t, block in enumerate(blocks)]
    columns = {name: np.concatenate([tree[name] for tree in trees]) for name in trees[0]}
    splits = [len(tree["threshold"]) for tree in trees]
    forest = Forest(
        np.concatenate([[0], np.cumsum(splits)]).astype(np.int64),
        columns["split_feature"].astype(np.int32),
        columns["threshold"],
        columns["decision_type"].astype(np.uint8),
        columns["left_child"].astype(np.int32),
        columns["right_child"].astype(np.int32),
        columns["leaf_value"],
    )
    return TreeText(features, forest, columns["split_gain"], averaged)


def _header(given: dict[str, str], blocks: list[str]) -> int:
    """Check the header and return the number of features."""
    for key, wanted in (("version", VERSION), ("num_class", "1"), ("num_tree_per_iteration", "1")):
        if given.get(key) != wanted:
            raise ValueError(f"{key} is {_quoted(given.get(key))}; accepted: {wanted}")
    if given.get("objective") not in OBJECTIVES:
        raise ValueError(
            f"objective is {_quoted(given.get('objective'))}; accepted: {', '.join(OBJECTIVES)}"
        )
    features = _whole(given.get("max_feature_idx", ""), "max_feature_idx") + 1
    if not 0 < features <= LETOR_HIGHEST_FEATURE + 1:
        raise ValueError(f"max_feature_idx is {features - 1:,}, which is out of range")
    sizes = given.get("tree_sizes", "").split()
    if sizes != [str(len(block.encode())) for block in blocks]:
        raise ValueError("tree_sizes does not match the trees; the text was changed or cut off")
    return features


def _tree(block: str, number: int, features: int) -> dict[str, NDArray[Any]]:
    """Return the columns of one tree, checked so that every path ends in a leaf."""
    where = f"tree {number}"
    given = _entries(block, where)
    if given.get("Tree") != str(number):
        raise ValueError(f"{where} has the number {_quoted(given.get('Tree'))}")
    leaves = _whole(given.get("num_leaves", ""), f"{where}: num_leaves")
    if not 1 <= leaves <= MAX_LEAVES:
        raise ValueError(f"{where}: num_leaves is {leaves:,}; accepted: 1 to {MAX_LEAVES:,}")
    for key, what in (("num_cat", "categorical splits"), ("is_linear", "linear leaves")):
        if given.get(key, "0") != "0":
            raise ValueError(f"{where}: {what} are not accepted ({key}={_quoted(given[key])})")
    splits = leaves - 1
    made: dict[str, NDArray[Any]] = {}
    for key in (*SPLITS, "leaf_value"):
        count = leaves if key == "leaf_value" else splits
        exact = key in ("threshold", "leaf_value", "split_gain")
        made[key] = _numbers(given.get(key, ""), count, f"{where}: {key}", exact=exact)
    if (made["split_feature"] < 0).any() or (made["split_feature"] >= features).any():
        raise ValueError(
            f"{where}: a split uses a feature beyond the {features:,} features of the model"
        )
    if not set(made["decision_type"].tolist()) <= NUMERIC_SPLITS:
        raise ValueError(f"{where}: decision_type is not that of a numeric split")
    children = np.concatenate([made["left_child"], made["right_child"]])
    # Each leaf and each split except the root is the child of exactly one earlier split.
    expected = np.concatenate([np.arange(-leaves if splits else 0, 0), np.arange(1, splits)])
    parents = np.tile(np.arange(splits), 2)
    if (
        not np.array_equal(np.sort(children), expected)
        or ((children >= 0) & (children <= parents)).any()
    ):
        raise ValueError(f"{where}: its splits and leaves do not form a tree")
    return made


def _entries(text: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.split("\n"):
        if not line:
            continue
        key, _, value = line.partition("=")
        if key in found:
            raise ValueError(f"{where}: duplicate key {_quoted(key)}")
        found[key] = value
    return found


def _numbers(text: str, count: int, where: str, *, exact: bool) -> NDArray[Any]:
    """Return `count` numbers: finite floats if `exact`, else 32-bit integers."""
    words = text.split(" ") if text else []
    if len(words) != count:
        raise ValueError(f"{where} has {len(words):,} values; expected {count:,}")
    form = NUMBER if exact else WHOLE
    for word in words:
        if not form.fullmatch(word):
            raise ValueError(f"{where}: {_quoted(word)} is not a number")
    if not exact:
        whole = np.array([int(word) for word in words], dtype=np.int64)
        if (np.abs(whole) > np.iinfo(np.int32).max).any():
            raise ValueError(f"{where}: a number is out of range")
        return whole
    made = np.array([float(word) for word in words], dtype=np.float64)
    if not np.isfinite(made).all():
        raise ValueError(f"{where}: a number is not finite")
    return made


def _whole(text: str, where: str) -> int:
    if not WHOLE.fullmatch(text):
        raise ValueError(f"{where}: {_quoted(text)} is not an integer")
    return int(text)


def _quoted(value: str | None) -> str:
    """Return a value for a message: shortened, with control characters escaped."""
    if value is None:
        return "missing"
    return ascii(value if len(value) <= 40 else value[:40] + "…")
