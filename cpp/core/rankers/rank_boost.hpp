// RankBoost's rounds in time linear in the documents (Freund, Iyer, Schapire and Singer 2003).
//
// The weight of a pair, exp(H(worse) − H(better)), is a product, so sums over the pairs of a query
// are sums over documents, one for each grade.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

struct Potentials {
    std::vector<double>
        values;       // a document's weight in pairs where it is better, less where it is worse
    double loss = 0;  // the weight of all pairs: Σ exp(H(worse) − H(better))
};

// levels: a number for each document, larger for a better grade, from 0 up.
Potentials pair_potentials(std::span<const double> scores, std::span<const std::int32_t> levels,
                           std::span<const std::int64_t> offsets, std::int32_t level_count);

// bins: feature by feature a bin for each document. For each feature and bin b ≥ 1 the sum of the
// potentials of documents whose bin is b or more, that is of those above the b-th threshold.
std::vector<double> stump_sums(std::span<const std::uint8_t> bins,
                               std::span<const double> potentials, std::size_t features,
                               std::size_t bin_count, unsigned threads);

}  // namespace tare
