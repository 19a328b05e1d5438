// Numbers in text: strict, exact, and quick for the plain decimals that run files hold.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace tare {

enum class NumberFault { none, malformed, non_finite };

// Reads the whole of `text` as a decimal number, rounded correctly to the nearest double.
// Accepts a leading '+'; refuses hexadecimal, "abc", and anything left over; tells "nan" and "inf" apart.
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
        const bool tiny = text.find_first_of("eE") == std::string_view::npos
                              ? (digits > 0 && decimals > 300)
                              : text.find("e-") != std::string_view::npos ||
                                    text.find("E-") != std::string_view::npos;
        if (!tiny) return NumberFault::non_finite;
        magnitude = 0;
    }
    if (!std::isfinite(magnitude)) return NumberFault::non_finite;
    value = negative ? -magnitude : magnitude;
    return NumberFault::none;
}

}  // namespace tare
