#include "core/text_measures/unicode_words.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/text_measures/unicode_tables.hpp"

namespace tare::text {
namespace {

using unicode::WordBreak;

struct Point {
    std::uint32_t folded;
    WordBreak kind;
};

WordBreak ascii_kind(std::uint32_t c) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return WordBreak::letter;
    if (c >= '0' && c <= '9') return WordBreak::numeric;
    switch (c) {
        case '_':
            return WordBreak::extend_num_let;
        case ':':
            return WordBreak::mid_letter;
        case ',':
        case ';':
            return WordBreak::mid_num;
        case '.':
            return WordBreak::mid_num_let;
        case '\'':
            return WordBreak::single_quote;
        case '"':
            return WordBreak::double_quote;
        default:
            return WordBreak::other;
    }
}

template <class Range, std::size_t N>
const Range* find_range(const Range (&ranges)[N], std::uint32_t c) {
    const auto* found =
        std::upper_bound(std::begin(ranges), std::end(ranges), c,
                         [](std::uint32_t point, const Range& r) { return point < r.first; });
    if (found == std::begin(ranges)) return nullptr;
    --found;
    return c <= found->last ? found : nullptr;
}

Point point_of(std::uint32_t c) {
    if (c < 0x80) return {c >= 'A' && c <= 'Z' ? c + 32 : c, ascii_kind(c)};
    const auto* range = find_range(unicode::break_ranges, c);
    const auto* fold = find_range(unicode::fold_ranges, c);
    const bool folds = fold != nullptr && (c - fold->first) % fold->step == 0;
    return {folds ? static_cast<std::uint32_t>(static_cast<std::int32_t>(c) + fold->difference) : c,
            range == nullptr ? WordBreak::other : range->kind};
}

void decode(std::string_view line, std::vector<Point>& points) {
    points.clear();
    const auto* p = reinterpret_cast<const unsigned char*>(line.data());
    const auto* const end = p + line.size();
    while (p != end) {
        const unsigned char c = *p++;
        const int follow = c < 0x80   ? 0
                           : c < 0xc2 ? -1
                           : c < 0xe0 ? 1
                           : c < 0xf0 ? 2
                           : c < 0xf5 ? 3
                                      : -1;
        if (follow < 0 || end - p < follow) {
            points.push_back({' ', WordBreak::other});
            continue;
        }
        std::uint32_t point = follow == 0 ? c : c & (0x3f >> follow);
        for (int i = 0; i < follow; ++i) point = (point << 6) | (*p++ & 0x3f);
        points.push_back(point_of(point));
    }
}

void encode(std::uint32_t c, std::string& out) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xc0 | (c >> 6));
        out += static_cast<char>(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xe0 | (c >> 12));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
        out += static_cast<char>(0x80 | (c & 0x3f));
    } else {
        out += static_cast<char>(0xf0 | (c >> 18));
        out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
        out += static_cast<char>(0x80 | (c & 0x3f));
    }
}

bool is_letter(WordBreak k) { return k == WordBreak::letter || k == WordBreak::hebrew; }
bool is_ignored(WordBreak k) { return k == WordBreak::extend || k == WordBreak::zwj; }  // WB4
bool joins_letters(WordBreak k) {
    return k == WordBreak::mid_letter || k == WordBreak::mid_num_let ||
           k == WordBreak::single_quote;
}
bool joins_digits(WordBreak k) {
    return k == WordBreak::mid_num || k == WordBreak::mid_num_let || k == WordBreak::single_quote;
}
bool makes_word(WordBreak k) {
    return is_letter(k) || k == WordBreak::numeric || k == WordBreak::katakana ||
           k == WordBreak::other_word;
}

// Whether no boundary lies between two neighbours, given what stands before and after them.
bool joined(WordBreak before, WordBreak left, WordBreak right, WordBreak after) {
    using enum WordBreak;
    if (is_letter(left) && is_letter(right)) return true;                           // WB5
    if (is_letter(left) && joins_letters(right) && is_letter(after)) return true;   // WB6
    if (is_letter(before) && joins_letters(left) && is_letter(right)) return true;  // WB7
    if (left == hebrew && right == single_quote) return true;                       // WB7a
    if (left == hebrew && right == double_quote && after == hebrew) return true;    // WB7b
    if (before == hebrew && left == double_quote && right == hebrew) return true;   // WB7c
    if (left == numeric && (right == numeric || is_letter(right))) return true;     // WB8, WB10
    if (is_letter(left) && right == numeric) return true;                           // WB9
    if (before == numeric && joins_digits(left) && right == numeric) return true;   // WB11
    if (left == numeric && joins_digits(right) && after == numeric) return true;    // WB12
    if (left == katakana && right == katakana) return true;                         // WB13
    const auto extends = [](WordBreak k) {
        return is_letter(k) || k == numeric || k == katakana || k == extend_num_let;
    };
    return (extends(left) && right == extend_num_let) ||
           (left == extend_num_let && extends(right));  // WB13a, b
}

}  // namespace

void unicode_words(std::string_view line, std::string& scratch,
                   std::vector<std::string_view>& tokens) {
    thread_local std::vector<Point> points;
    thread_local std::vector<std::size_t> ends;
    decode(line, points);
    scratch.clear();
    ends.clear();
    tokens.clear();
    const std::size_t n = points.size();
    const auto next = [n](std::size_t i) {
        do ++i;
        while (i < n && is_ignored(points[i].kind));
        return i;
    };
    WordBreak before = WordBreak::other;
    std::size_t word_start = 0;
    bool word = false;
    for (std::size_t i = 0; i < n;) {
        const std::size_t follower = next(i), after = follower < n ? next(follower) : n;
        word = word || makes_word(points[i].kind);
        for (std::size_t k = i; k < follower; ++k) encode(points[k].folded, scratch);
        const bool emoji = follower < n && points[follower - 1].kind == WordBreak::zwj &&
                           points[follower].kind == WordBreak::pictograph;  // WB3c
        const bool goes_on =
            follower < n && (emoji || joined(before, points[i].kind, points[follower].kind,
                                             after < n ? points[after].kind : WordBreak::other));
        if (!goes_on) {
            if (word) {
                ends.push_back(word_start);
                ends.push_back(scratch.size());
            }
            word = false;
            word_start = scratch.size();
        }
        before = points[i].kind;
        i = follower;
    }
    for (std::size_t k = 0; k < ends.size(); k += 2)
        tokens.emplace_back(scratch.data() + ends[k], ends[k + 1] - ends[k]);
}

}  // namespace tare::text
