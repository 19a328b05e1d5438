"""Writes unicode_tables.hpp: word-break classes and simple case folding, as sorted ranges.

Run it with a Python that has the package `regex` installed, whose tables of Unicode it reads:

    python unicode_tables.py > unicode_tables.hpp
"""

import sys
import unicodedata

import regex

CLASSES = {
    "other": None,
    "letter": r"\p{WB=ALetter}",
    "hebrew": r"\p{WB=Hebrew_Letter}",
    "numeric": r"\p{WB=Numeric}",
    "katakana": r"\p{WB=Katakana}",
    "extend_num_let": r"\p{WB=ExtendNumLet}",
    "mid_letter": r"\p{WB=MidLetter}",
    "mid_num": r"\p{WB=MidNum}",
    "mid_num_let": r"\p{WB=MidNumLet}",
    "single_quote": r"\p{WB=Single_Quote}",
    "double_quote": r"\p{WB=Double_Quote}",
    "extend": r"\p{WB=Extend}|\p{WB=Format}",
    "zwj": r"\p{WB=ZWJ}",
    "pictograph": r"\p{Extended_Pictographic}",
}
WORD = "other_word"  # a letter or number that joins nothing, as an ideograph


def points():
    return (p for p in range(0x80, 0x110000) if not 0xD800 <= p < 0xE000)


def class_of(char):
    for name, pattern in PATTERNS:
        if pattern.match(char):
            return name
    return WORD if unicodedata.category(char)[0] in "LN" else "other"


def folded(char):
    """Simple folding: one letter for one letter."""
    for candidate in (char.casefold(), char.lower()):
        if len(candidate) == 1:
            return ord(candidate)
    return ord(char)


def ranges():
    first, last, current = None, None, "other"
    for point in points():
        name = class_of(chr(point))
        if name == current and last == point - 1:
            last = point
            continue
        if current != "other":
            yield first, last, current
        first, last, current = point, point, name
    if current != "other":
        yield first, last, current


def folds():
    """(first, last, step, difference): letters at a step whose folded form lies as far away."""
    runs = []
    for point in points():
        difference = folded(chr(point)) - point
        if difference == 0:
            continue
        if runs:
            first, last, step, before = runs[-1]
            gap = point - last
            if before == difference and gap in (1, 2) and (first == last or gap == step):
                runs[-1] = (first, point, gap, before)
                continue
        runs.append((point, point, 1, difference))
    return runs


def rows(cells, width=100):
    line = "   "
    for cell in cells:
        if len(line) + len(cell) + 1 > width:
            yield line
            line = "   "
        line += f" {cell}"
    yield line


PATTERNS = [(n, regex.compile(p)) for n, p in CLASSES.items() if p]

if __name__ == "__main__":
    out = [
        "// Made by unicode_tables.py; do not edit.",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "namespace tare::text::unicode {",
        "",
        f"enum class WordBreak : std::uint8_t {{ {', '.join([*CLASSES, WORD])} }};",
        "",
        "struct BreakRange {",
        "    std::uint32_t first, last;",
        "    WordBreak kind;",
        "};",
        "struct FoldRange {",
        "    std::uint32_t first, last, step;",
        "    std::int32_t difference;",
        "};",
        "",
        "// Code points from U+0080 on; those not listed are `other`.",
        "inline constexpr BreakRange break_ranges[] = {",
        *rows(f"{{{a:#x}, {b:#x}, WordBreak::{n}}}," for a, b, n in ranges()),
        "};",
        "",
        "inline constexpr FoldRange fold_ranges[] = {",
        *rows(f"{{{a:#x}, {b:#x}, {s}, {d}}}," for a, b, s, d in folds()),
        "};",
        "",
        "}  // namespace tare::text::unicode",
    ]
    sys.stdout.write("\n".join(out) + "\n")
