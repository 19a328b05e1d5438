"""The measures that the options ask for, in the order in which ROUGE-1.5.5 prints them."""

from __future__ import annotations

from dataclasses import dataclass

from tare._cli.rouge.options import Options

__all__ = ["Wanted", "wanted_measures"]


@dataclass(frozen=True)
class Wanted:
    """A measure: its printed name, and what the core counts for it (None for basic elements)."""

    tag: str
    counting: tuple[str, int, float] | None
    root: float | None = None
    rounded: bool = True  # whether the best model is chosen by recall rounded to five decimals


def wanted_measures(options: Options) -> list[Wanted]:
    """Return all measures of a call."""
    found = [Wanted(f"ROUGE-{n}", ("ngrams", n, 1.0)) for n in range(1, options.longest + 1)]
    if options.lcs:
        found.append(Wanted("ROUGE-L", ("union_lcs", 1, 1.0), rounded=False))
    if options.weight is not None:
        weight = float(options.weight)
        counting = ("weighted_union", 1, weight)
        found.append(Wanted(f"ROUGE-W-{options.weight}", counting, 1 / weight, rounded=False))
    if options.gap is not None:
        found += _skips(options, options.gap)
    if options.elements is not None:
        found.append(Wanted(f"ROUGE-BE-{options.elements}", None))
    return found


def _skips(options: Options, text: str) -> list[Wanted]:
    gap = max(int(text), -1)
    printed = text if gap >= 0 else "*"
    plain = Wanted(f"ROUGE-S{printed}", ("skip_bigrams", gap, 1.0))
    unigrams = Wanted(f"ROUGE-SU{printed}", ("skip_but_last", gap, 1.0))
    if options.both:
        return [plain, unigrams]
    return [unigrams] if options.unigrams else [plain]
