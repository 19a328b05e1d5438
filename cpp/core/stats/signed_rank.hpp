// Wilcoxon's signed ranks: zeros and ties, and the exact distribution with ties.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

enum class Zeros { dropped, pratt, putter };

struct SignedRanks {
    std::vector<double> plus;        // W⁺, the sum of the ranks of positive differences
    std::vector<double> minus;       // W⁻
    std::vector<double> variance;    // Σ r²/4: with mean ranks this is the tie-corrected variance
    std::vector<std::int64_t> used;  // differences that carry a sign
    std::vector<double> exact;       // two-sided exact p, NaN where more than `most_exact` are used
};

// rows: differences, NaN where missing. Zeros: dropped before ranking, ranked and then dropped
// (Pratt), or ranked and given a random sign (Putter; the sign of item i comes from stream
// (seed, i), so that a pair does not depend on its neighbours).
SignedRanks signed_ranks(std::span<const double> rows, std::size_t count, std::size_t items,
                         Zeros zeros, std::size_t most_exact, std::uint64_t seed, unsigned threads);

// P(W ≤ smaller) · 2 for the sum of a random half of these doubled ranks, at most 1.
double exact_signed_rank(std::span<const std::int64_t> doubled_ranks, std::int64_t smaller);

}  // namespace tare
