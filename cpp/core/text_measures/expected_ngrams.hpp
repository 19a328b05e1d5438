// What chance shares with a reference: a text of so many words, each drawn from the source's words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/text_measures/rouge.hpp"

namespace tare::text {

// E[min(times, most)] of a pattern of tokens in `length` independent draws; `share[i]` is the
// probability of the token pattern[i]. Occurrences may overlap. Exact, in O(length · most · n²).
double expected_matches(Tokens pattern, std::span<const double> share, std::int64_t length,
                        std::uint32_t most);

// Items hold a source and then references; lengths are by item. Gives sizes × pairs × (expected
// hits, candidate's total, reference's total), n-grams of each size.
std::vector<double> expected_ngrams(const TextItems& items, std::span<const std::int64_t> lengths,
                                    const Profile& profile, std::span<const std::size_t> sizes,
                                    unsigned threads);

}  // namespace tare::text
