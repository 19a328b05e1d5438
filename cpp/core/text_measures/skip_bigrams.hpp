// Skip-bigrams: pairs of tokens in their order, with at most some others between them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text_measures/ngrams.hpp"

namespace tare::text {

inline constexpr std::int64_t any_gap = -1;

// How many skip-bigrams a text of this length has.
std::uint64_t skip_bigram_count(std::size_t length, std::int64_t gap);

class SkipBigrams {
public:
    // How many skip-bigrams two texts share, clipped.
    std::uint64_t shared(Tokens candidate, Tokens reference, std::int64_t gap, std::uint32_t distinct);

private:
    std::uint64_t shared_near(Tokens candidate, Tokens reference, std::size_t gap);
    std::uint64_t shared_anywhere(Tokens candidate, Tokens reference, std::uint32_t distinct);

    std::vector<std::uint32_t> counts_, candidate_, reference_;
    std::vector<std::uint64_t> row_, other_row_;
    PairNumbers pairs_;
};

}  // namespace tare::text
