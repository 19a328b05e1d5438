"""All targets by name."""

from __future__ import annotations

from typing import Any

from tests.fuzz.answer_targets import answer_targets
from tests.fuzz.commands import verbs
from tests.fuzz.compat_targets import compat_targets
from tests.fuzz.grammar import GRAMMAR
from tests.fuzz.models import more_targets
from tests.fuzz.native_targets import native_targets
from tests.fuzz.part_files import part_targets
from tests.fuzz.saved_estimates import estimate_targets
from tests.fuzz.targets import readers


def all_targets() -> dict[str, Any]:
    """Return every target by its name."""
    targets: list[Any] = [
        *readers(),
        *answer_targets(),
        *native_targets(),
        *compat_targets(),
        GRAMMAR,
        *more_targets(),
        *part_targets(),
        *estimate_targets(),
        *verbs(),
    ]
    return {target.name: target for target in targets}


def target_of(name: str) -> Any:
    """Return the target of this name."""
    return all_targets()[name]
