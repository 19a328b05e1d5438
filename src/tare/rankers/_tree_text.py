"""LightGBM's text of a model, read and checked in full.

LightGBM trusts such a text: a child, a feature or a length that is out of range ends the process.
So the text is read here, and only what a ranker of tare can have written is accepted.
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
OBJECTIVES = ("lambdarank", "regression")  # their scores are the sum of the leaves, unchanged
MOST_LEAVES = 1 << 17  # LightGBM's own limit
RULES = frozenset(
    (0, 2, 4, 6, 8, 10)
)  # a split on numbers: default direction, kind of missing value
WHOLE = re.compile(r"-?\d{1,10}")
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")
SPLITS = ("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child")


@dataclass(frozen=True, eq=False)
class TreeText:
    """What a text says: the trees, what each split gained, and whether scores are averaged."""

    features: int
    forest: Forest
    gains: NDArray[np.float64]
    averaged: bool

    @property
    def trees(self) -> int:
        """How many trees there are."""
        return len(self.forest.offsets) - 1


def read_tree_text(text: str) -> TreeText:
    """Reads the text; ValueError says what is wrong with it."""
    if not text.startswith("tree\n"):
        raise ValueError("the trees are not LightGBM's text")
    head, *blocks = re.split(r"(?m)^(?=Tree=)", text)
    if not blocks:
        raise ValueError("LightGBM's text has no trees")
    blocks[-1], end, _ = blocks[-1].partition("end of trees\n")
    if not end:
        raise ValueError("LightGBM's text is cut off: 'end of trees' is missing")
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
    """Checks what stands above the trees, and returns the number of features."""
    for key, wanted in (("version", VERSION), ("num_class", "1"), ("num_tree_per_iteration", "1")):
        if given.get(key) != wanted:
            raise ValueError(f"{key} is {_shown(given.get(key))}; {wanted} is accepted")
    if given.get("objective") not in OBJECTIVES:
        raise ValueError(
            f"objective is {_shown(given.get('objective'))}; {' and '.join(OBJECTIVES)} are accepted"
        )
    features = _whole(given.get("max_feature_idx", ""), "max_feature_idx") + 1
    if not 0 < features <= LETOR_HIGHEST_FEATURE + 1:
        raise ValueError(f"max_feature_idx is {features - 1:,}, which no data can have")
    sizes = given.get("tree_sizes", "").split()
    if sizes != [str(len(block.encode())) for block in blocks]:
        raise ValueError("tree_sizes does not match the trees; the text was changed or cut off")
    return features


def _tree(block: str, number: int, features: int) -> dict[str, NDArray[Any]]:
    """The columns of one tree, checked so that every walk from its root ends in a leaf."""
    where = f"tree {number}"
    given = _entries(block, where)
    if given.get("Tree") != str(number):
        raise ValueError(f"{where} is called {_shown(given.get('Tree'))}")
    leaves = _whole(given.get("num_leaves", ""), f"{where}: num_leaves")
    if not 1 <= leaves <= MOST_LEAVES:
        raise ValueError(f"{where}: num_leaves is {leaves:,}; 1 to {MOST_LEAVES:,} are accepted")
    for key, what in (("num_cat", "categorical splits"), ("is_linear", "linear leaves")):
        if given.get(key, "0") != "0":
            raise ValueError(f"{where}: {what} are not accepted ({key}={_shown(given[key])})")
    splits = leaves - 1
    made: dict[str, NDArray[Any]] = {}
    for key in (*SPLITS, "leaf_value"):
        count = leaves if key == "leaf_value" else splits
        exact = key in ("threshold", "leaf_value", "split_gain")
        made[key] = _numbers(given.get(key, ""), count, f"{where}: {key}", exact=exact)
    if (made["split_feature"] < 0).any() or (made["split_feature"] >= features).any():
        raise ValueError(f"{where}: a split is on a feature beyond the {features:,} of the model")
    if not set(made["decision_type"].tolist()) <= RULES:
        raise ValueError(f"{where}: a decision_type is not that of a numeric split")
    children = np.concatenate([made["left_child"], made["right_child"]])
    # Each split but the root and each leaf is the child of exactly one split, which was made earlier.
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
            raise ValueError(f"{where}: {_shown(key)} is given twice")
        found[key] = value
    return found


def _numbers(text: str, count: int, where: str, *, exact: bool) -> NDArray[Any]:
    """So many numbers: finite ones, or whole ones that fit into 32 bits."""
    words = text.split(" ") if text else []
    if len(words) != count:
        raise ValueError(f"{where} has {len(words):,} values; expected {count:,}")
    form = NUMBER if exact else WHOLE
    for word in words:
        if not form.fullmatch(word):
            raise ValueError(f"{where} holds {_shown(word)}, which is not a number")
    if not exact:
        whole = np.array([int(word) for word in words], dtype=np.int64)
        if (np.abs(whole) > np.iinfo(np.int32).max).any():
            raise ValueError(f"{where} holds a number out of range")
        return whole
    made = np.array([float(word) for word in words], dtype=np.float64)
    if not np.isfinite(made).all():
        raise ValueError(f"{where} holds a number that is not finite")
    return made


def _whole(text: str, where: str) -> int:
    if not WHOLE.fullmatch(text):
        raise ValueError(f"{where} is {_shown(text)}, which is not a whole number")
    return int(text)


def _shown(value: str | None) -> str:
    """A value as a message quotes it: short, and with control characters written out."""
    if value is None:
        return "missing"
    return ascii(value if len(value) <= 40 else value[:40] + "…")
