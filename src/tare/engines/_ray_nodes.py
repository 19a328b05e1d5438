"""The nodes of a Ray cluster: their processors, and the memory that all tasks may use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["memory_of", "processors_of", "working_nodes"]

Nodes = Sequence[Mapping[str, Any]]


def working_nodes(nodes: Nodes) -> list[Mapping[str, Any]]:
    """Return the nodes that can run tasks; a head may have no processors."""
    return [node for node in nodes if _processors(node)]


def processors_of(nodes: Nodes) -> int:
    """Return the number of processors of all nodes, at least 1."""
    return max(1, sum(_processors(node) for node in nodes))


def memory_of(nodes: Nodes, of_node: int | None = None) -> int:
    """Return the memory for all tasks, such that each node has room for its own.

    Every processor gets the same share, so the node with the least memory per processor determines it.
    A head without processors runs no tasks, and counts only as long as it is alone. `of_node` is the limit
    of each node (default: half of its memory).
    """
    working = working_nodes(nodes) or nodes
    shares = [
        (of_node or int(node.get("Resources", {}).get("memory", 0)) // 2)
        // max(1, _processors(node))
        for node in working
    ]
    return max(1, processors_of(nodes) * min(shares, default=1))


def _processors(node: Mapping[str, Any]) -> int:
    return int(node.get("Resources", {}).get("CPU", 0))
