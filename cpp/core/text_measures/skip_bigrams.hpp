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
    std::uint64_t shared(Tokens candidate, Tokens reference, std::int64_t gap,
                         std::uint32_t distinct);

private:
    // The tokens of a text that the other holds too, and where they stand.
    struct Kept {
        std::vector<std::uint32_t> tokens;
        std::vector<std::size_t> places;

        void clear() { tokens.clear(), places.clear(); }
        void add(std::uint32_t token, std::size_t place) {
            tokens.push_back(token), places.push_back(place);
        }
        // row[b] = how often token b stands after token a, at most `reach` places on.
        void count_followers(std::uint32_t a, std::size_t reach,
                             std::vector<std::uint64_t>& row) const;
    };

    std::uint64_t shared_by_table(Tokens candidate, Tokens reference, std::size_t reach);
    // One pass over both texts for each token they share: no table of all pairs is ever held.
    std::uint64_t shared_by_token(Tokens candidate, Tokens reference, std::size_t reach,
                                  std::uint32_t distinct);
    // Numbers the tokens that both texts hold from 0 on; the others can be in no shared pair.
    std::uint32_t keep_common(Tokens candidate, Tokens reference, std::uint32_t distinct);

    std::vector<std::uint32_t> counts_;
    Kept candidate_, reference_;
    std::vector<std::uint64_t> row_, other_row_;
    PairNumbers pairs_;
};

}  // namespace tare::text
