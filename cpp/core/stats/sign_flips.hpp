// Randomisation of paired scores: signs of items flipped, the same flips for every pair.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tare {

enum class Flips {
    swap,    // each item's two scores change places with probability ½
    hybrid,  // items drawn with replacement, then swapped
    all      // draw b flips the items whose bits are set in b: all 2^n of them
};

// A pair is rows[first] − rows[second], or rows[first] alone where second is −1.
struct FlipPairs {
    std::span<const std::int32_t> first, second;
    std::span<const double> threshold;  // counted is |Σ ± d| ≥ threshold

    // The sums of the two rows of a pair in a block of draws; after the last row, sums holds 0.
    std::pair<const double*, const double*> sums_of(std::size_t pair,
                                                    const std::vector<double>& sums,
                                                    std::size_t rows) const {
        const std::size_t lanes = sums.size() / (rows + 1);
        const auto a = static_cast<std::size_t>(first[pair]);
        const auto b = second[pair] < 0 ? rows : static_cast<std::size_t>(second[pair]);
        return {sums.data() + a * lanes, sums.data() + b * lanes};
    }
};

// rows: rows × items, 0 where an item is missing. The sum of a pair is the difference of two
// sums of systems, so all pairs together cost little more than the systems alone.
std::vector<std::int64_t> flip_counts(std::span<const double> rows, std::size_t items,
                                      const FlipPairs& pairs, Flips kind, std::size_t draws,
                                      std::uint64_t seed, unsigned threads,
                                      std::uint64_t first_draw = 0);

struct FlipMaxima {
    std::vector<std::int64_t> alone;  // draws in which the pair reached its threshold
    std::vector<double> largest;      // of each draw, the largest |Σ ± d| × scale of all pairs
};

// The draws of `flip_counts` (swap and all). Scaled by 1/√(nΣd²), which flips do not change, the
// largest of a draw is that of |t| on another scale.
FlipMaxima flip_maxima(std::span<const double> rows, std::size_t items, const FlipPairs& pairs,
                       std::span<const double> scale, Flips kind, std::size_t draws,
                       std::uint64_t seed, unsigned threads, std::uint64_t first_draw = 0);

// Draws in which Σ ± row is at least the row's threshold, whatever its sign.
std::vector<std::int64_t> one_sided_flips(std::span<const double> rows, std::size_t items,
                                          std::span<const double> threshold, Flips kind,
                                          std::size_t draws, std::uint64_t seed, unsigned threads);

}  // namespace tare
