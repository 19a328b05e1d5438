// Numbers in text: strict, exact, and quick for the plain decimals that run files hold.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace tare {

enum class NumberFault { none, malformed, non_finite };

// Whether a well-formed number without a sign, not zero, is below 1: tells too small from too
// large.
inline bool is_below_one(std::string_view text) {
    const std::size_t e = text.find_first_of("eE");
    const std::string_view digits = text.substr(0, e);
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t first = digits.find_first_of("123456789");
    // The power of ten of the first digit that is not 0.
    const double power = first < point ? static_cast<double>(point - first - 1)
                                       : -static_cast<double>(first - point);
    double exponent = 0;
    if (e != std::string_view::npos) {
        std::string_view written = text.substr(e + 1);
        const bool negative = written.front() == '-';
        if (negative || written.front() == '+') written.remove_prefix(1);
        for (const char c : written) exponent = exponent * 10 + (c - '0');
        if (negative) exponent = -exponent;
    }
    return power + exponent < 0;
}

// Reads the whole of `text` as a decimal number, rounded correctly to the nearest double.
// Accepts a leading '+'; refuses hexadecimal, "abc", and anything left over; tells "nan" and "inf"
// apart.
inline NumberFault parse_number(std::string_view text, double& value) {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* p = text.data();
    const char* const end = p + text.size();
    bool negative = false;
    if (p != end && (*p == '-' || *p == '+')) {
        negative = *p == '-';
        ++p;
    }
    const char* const first = p;
    std::uint64_t mantissa = 0;
    int digits = 0, decimals = 0;
    for (; p != end && static_cast<unsigned char>(*p - '0') < 10; ++p, ++digits)
        mantissa = mantissa * 10 + static_cast<unsigned char>(*p - '0');
    if (p != end && *p == '.') {
        ++p;
        for (; p != end && static_cast<unsigned char>(*p - '0') < 10; ++p, ++digits, ++decimals)
            mantissa = mantissa * 10 + static_cast<unsigned char>(*p - '0');
    }
    // Both the digits and the power of ten are exact doubles, so one division rounds correctly.
    if (p == end && digits > 0 && digits <= 19 && mantissa <= (1ULL << 53) && decimals <= 22) {
        const double magnitude = static_cast<double>(mantissa) / powers[decimals];
        value = negative ? -magnitude : magnitude;
        return NumberFault::none;
    }
    if (first == end || *first == '-' || *first == '+') return NumberFault::malformed;
    double magnitude = 0;
    const auto [rest, error] = std::from_chars(first, end, magnitude);
    if (rest != end || error == std::errc::invalid_argument) return NumberFault::malformed;
    if (error == std::errc::result_out_of_range) {
        // Too small is zero to any reader; too large is infinite.
        if (!is_below_one({first, static_cast<std::size_t>(end - first)}))
            return NumberFault::non_finite;
        magnitude = 0;
    }
    if (!std::isfinite(magnitude)) return NumberFault::non_finite;
    value = negative ? -magnitude : magnitude;
    return NumberFault::none;
}

}  // namespace tare
