// Expected matches of a pattern in random draws: closed forms of small cases.
#include "core/text_measures/expected_ngrams.hpp"

#include <vector>

#include "check.hpp"

namespace tare::tests {

void expected_ngrams() {
    using text::expected_matches;
    const std::vector<std::uint32_t> a = {0}, ab = {0, 1}, aa = {0, 0}, aba = {0, 1, 0};
    const std::vector<double> half = {0.5}, halves = {0.5, 0.5},
                              third = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    CHECK(near(expected_matches(a, half, 3, 3), 1.5));
    CHECK(near(expected_matches(a, half, 3, 1), 1 - 0.125));
    CHECK(near(expected_matches(ab, halves, 3, 9), 0.5));      // 2 places of 1/4 each
    CHECK(near(expected_matches(aa, halves, 3, 9), 0.5));      // overlapping ones count
    CHECK(near(expected_matches(aa, halves, 3, 1), 3.0 / 8));  // aab, baa, aaa
    CHECK(near(expected_matches(aba, third, 5, 9), 3.0 / 27));
    CHECK(near(expected_matches(aba, third, 5, 1), 3.0 / 27 - 1.0 / 243));  // ababa has two
    CHECK(expected_matches(ab, halves, 1, 1) == 0);
    CHECK(expected_matches(ab, std::vector<double>{0.5, 0.0}, 9, 1) == 0);
}

}  // namespace tare::tests
