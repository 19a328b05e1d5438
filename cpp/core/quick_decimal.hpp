// Plain decimals, eight digits at a step: 0, 12.5, -0.471076. Anything else is for parse_number.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace tare {

inline std::uint64_t eight_bytes(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

// How many of the bytes are digits before the first that is none.
inline int leading_digits(std::uint64_t word) {
    const std::uint64_t others =
        ((word + 0x4646464646464646ULL) | (word - 0x3030303030303030ULL)) & 0x8080808080808080ULL;
    return others == 0 ? 8 : std::countr_zero(others) >> 3;
}

// The number that the first `count` bytes write, 1 to 8 digits: neighbours are joined pair by pair.
inline std::uint64_t digits_value(std::uint64_t word, int count) {
    word = (word - 0x3030303030303030ULL) << (64 - 8 * count);
    word = word * 10 + (word >> 8);
    return ((word & 0x000000ff000000ffULL) * 0x000f424000000064ULL +
            ((word >> 16) & 0x000000ff000000ffULL) * 0x0000271000000001ULL) >>
           32;
}

// Reads a plain decimal, correctly rounded, and moves p behind it; false, and p anywhere, where
// parse_number has to look. Reads at most `quick_decimal_reach` bytes.
constexpr std::ptrdiff_t quick_decimal_reach = 32;

inline bool quick_decimal(const char*& p, double& value) {
    static constexpr std::uint64_t scales[] = {1,      10,      100,      1000,     10000,
                                               100000, 1000000, 10000000, 100000000};
    static constexpr double powers[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                        1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
    if constexpr (std::endian::native != std::endian::little) return false;
    const bool negative = *p == '-';
    p += negative;
    std::uint64_t word = eight_bytes(p);
    int count = leading_digits(word);
    if (count == 0 || count == 8) return false;
    std::uint64_t mantissa = digits_value(word, count);
    int decimals = 0;
    p += count;
    if (*p == '.') {
        word = eight_bytes(++p);
        decimals = leading_digits(word);
        if (decimals > 0) mantissa = mantissa * scales[decimals] + digits_value(word, decimals);
        p += decimals;
        if (decimals == 8) {
            word = eight_bytes(p);
            const int more = leading_digits(word);
            if (count + decimals + more > 19) return false;
            if (more > 0) mantissa = mantissa * scales[more] + digits_value(word, more);
            decimals += more;
            p += more;
        }
    }
    // Both the digits and the power of ten are exact doubles, so one division rounds correctly.
    if (mantissa > (1ULL << 53)) return false;
    const double magnitude = static_cast<double>(mantissa) / powers[decimals];
    value = negative ? -magnitude : magnitude;
    return true;
}

}  // namespace tare
