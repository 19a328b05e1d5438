// Differences of pairs of systems over the items both have, cleared of floating-point noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

struct Differences {
    std::vector<double> values;     // pairs × items, NaN where either score is missing
    std::vector<double> quantum;    // for each pair: the step to which its differences are rounded
    std::vector<std::int64_t> n;    // for each pair: items with both scores
    std::vector<double> mean;       // of the differences; NaN without any
    std::vector<double> deviation;  // standard deviation (n − 1); 0 where it is rounding only
};

// The step for a pair is 10^(e − digits), 10^e the smallest power of ten that is at least its
// largest absolute score: differences that agree in that many digits are equal, whatever the
// machine made of the sums behind them.
Differences pair_differences(std::span<const double> scores, std::size_t items,
                             std::span<const std::int32_t> first,
                             std::span<const std::int32_t> second, int digits, unsigned threads);

}  // namespace tare
