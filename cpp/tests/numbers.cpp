// Numbers in text: exact, and strict about what a number is.
#include "core/numbers.hpp"

#include <bit>
#include <cstdlib>
#include <string>

#include "check.hpp"
#include "core/chance/random.hpp"

namespace tare::tests {
namespace {

bool reads_exactly(const std::string& text) {
    double value = 0;
    if (parse_number(text, value) != NumberFault::none) return false;
    return std::bit_cast<std::uint64_t>(value) ==
           std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr));
}

NumberFault fault_of(const std::string& text) {
    double value = 0;
    return parse_number(text, value);
}

std::string digits(RandomStream& random, std::uint64_t most) {
    std::string out;
    for (std::uint64_t n = random.below(most) + 1; n > 0; --n)
        out += static_cast<char>('0' + random.below(10));
    return out;
}

}  // namespace

void numbers() {
    RandomStream random(1, 2);
    bool exact = true;
    for (int i = 0; i < 200000; ++i) {
        std::string number = random.below(2) ? "-" : "";
        number += digits(random, 21);
        if (random.below(4)) number += "." + digits(random, 24);
        if (random.below(4) == 0)
            number += "e" + std::to_string(static_cast<int>(random.below(600)) - 300);
        double value = 0;
        if (parse_number(number, value) == NumberFault::none)
            exact &= reads_exactly(number);
        else
            exact &= std::isinf(std::strtod(number.c_str(), nullptr));
        if (!exact) {
            std::printf("not exact: %s\n", number.c_str());
            break;
        }
    }
    CHECK(exact);
    for (const char* number :
         {"0", "-0", "1", ".5", "5.", "1e5", "1E-5", "9007199254740993", "0.1", "1e-310",
          "4.9e-324", "1.7976931348623157e308", "18446744073709551616", "123456789012345678901"})
        CHECK(reads_exactly(number));
    double value = 1;
    CHECK(parse_number("+2.5", value) == NumberFault::none && value == 2.5);
    for (const char* word : {"", "-", "+", ".", "e5", "1e", "1e+", "abc", "0x10", "1,5", "--1",
                             "+-1", "1 ", "1.2.3", "1f"})
        CHECK(fault_of(word) == NumberFault::malformed);
    for (const char* word : {"nan", "-nan", "inf", "-Infinity", "1e400", "-1e309"})
        CHECK(fault_of(word) == NumberFault::non_finite);
    // Too small is 0, too large is not finite, however it is written.
    const std::string zeros(400, '0');
    for (const std::string& tiny : {std::string("1e-400"), "0." + zeros + "1",
                                    "0." + zeros + "1e50", std::string("1e-99999999999")})
        CHECK(parse_number(tiny, value) == NumberFault::none && value == 0);
    for (const std::string& huge : {"1" + zeros, "1" + zeros + "e-50", "1" + zeros + "." + zeros,
                                    std::string("1e99999999999")})
        CHECK(fault_of(huge) == NumberFault::non_finite);
    CHECK(parse_number("1" + zeros + "e-400", value) == NumberFault::none && value == 1);
}

}  // namespace tare::tests
