// A pair of JSON as nearly every file writes it: `, "id": 12.5`, the id in ASCII without escapes,
// the number without an exponent. JsonPairs reads all others token by token.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/quick_decimal.hpp"

namespace tare {

struct PlainPair {
    std::string_view id;
    double value = 0;
    std::uint64_t lines = 0;           // line feeds before the number
    const char* line_start = nullptr;  // behind the last of them
};

// Moves p behind blanks, and counts line feeds.
inline void skip_blanks(const char*& p, const char* end, PlainPair& pair) {
    for (; p != end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'); ++p)
        if (*p == '\n') {
            ++pair.lines;
            pair.line_start = p + 1;
        }
}

// The first byte that ends a plain id or needs a closer look: a quote, a backslash, a control
// character, or a byte beyond ASCII; `end` or a little before it if there is none.
inline const char* end_of_plain_id(const char* p, const char* end) {
    constexpr std::uint64_t ones = 0x0101010101010101ULL, high = 0x8080808080808080ULL;
    const auto zeros = [](std::uint64_t word) { return (word - ones) & ~word; };
    if constexpr (std::endian::native != std::endian::little) return end;
    for (; end - p >= 8; p += 8) {
        const std::uint64_t word = eight_bytes(p);
        // Borrows can mark bytes behind the first find, never one before it.
        const std::uint64_t found = (zeros(word ^ (ones * '"')) | zeros(word ^ (ones * '\\')) |
                                     ((word - ones * ' ') & ~word) | word) &
                                    high;
        if (found != 0) return p + (std::countr_zero(found) >> 3);
    }
    return end;
}

// Reads digits, and a point with digits behind it; moves p behind them. False where another look is
// needed.
inline bool plain_number(const char*& p, const char* end, double& value) {
    if (end - p < quick_decimal_reach) return false;
    const char* const first = p;
    const char* const digits = p + (*p == '-');
    if (*digits == '0' && static_cast<unsigned char>(digits[1] - '0') < 10)
        return false;  // 01 is not JSON
    if (quick_decimal(p, value)) return p[-1] != '.';
    const auto run = [end](const char*& q) {
        const char* const start = q;
        while (end - q >= 8) {
            const int count = leading_digits(eight_bytes(q));
            q += count;
            if (count < 8) return q != start;
        }
        return false;
    };
    p = digits;
    if (!run(p)) return false;
    if (*p == '.' && !run(++p)) return false;
    if (*p == 'e' || *p == 'E') return false;
    const auto [rest, error] = std::from_chars(first, p, value);
    return rest == p && error == std::errc{} && std::isfinite(value);
}

// Reads a pair behind the one before it: a comma, the id, a colon and the number. Moves p behind it
// if what follows ends the number; otherwise p is left where it was.
inline bool plain_pair(const char*& p, const char* end, PlainPair& pair) {
    if (p == end || *p != ',') return false;
    pair.lines = 0;
    const char* q = p + 1;
    skip_blanks(q, end, pair);
    if (q == end || *q != '"') return false;
    const char* const id = ++q;
    q = end_of_plain_id(q, end);
    if (q == end || *q != '"') return false;
    pair.id = {id, static_cast<std::size_t>(q - id)};
    skip_blanks(++q, end, pair);
    if (q == end || *q != ':') return false;
    skip_blanks(++q, end, pair);
    if (!plain_number(q, end, pair.value) || q == end) return false;
    if (*q != ',' && *q != '}' && *q != ' ' && *q != '\n' && *q != '\r' && *q != '\t') return false;
    p = q;
    return true;
}

}  // namespace tare
