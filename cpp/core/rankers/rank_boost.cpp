#include "core/rankers/rank_boost.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/threads.hpp"

namespace tare {

Potentials pair_potentials(std::span<const double> scores, std::span<const std::int32_t> levels,
                           std::span<const std::int64_t> offsets, std::int32_t level_count) {
    Potentials found;
    found.values.resize(scores.size());
    const auto count = static_cast<std::size_t>(level_count);
    // below[l]: Σ exp(H) of documents of levels under l; above[l]: Σ exp(−H) of those over it.
    std::vector<double> below(count + 1), above(count + 1), up, down;
    for (std::size_t q = 0; q + 1 < offsets.size(); ++q) {
        const auto begin = static_cast<std::size_t>(offsets[q]),
                   end = static_cast<std::size_t>(offsets[q + 1]);
        if (begin == end) continue;
        const auto [low, high] =
            std::minmax_element(scores.begin() + offsets[q], scores.begin() + offsets[q + 1]);
        const double middle = (*low + *high) / 2;  // cancels in every pair, and keeps exp in range
        std::fill(below.begin(), below.end(), 0.0);
        std::fill(above.begin(), above.end(), 0.0);
        up.resize(end - begin);
        down.resize(end - begin);
        for (std::size_t d = begin; d < end; ++d) {
            const auto level = static_cast<std::size_t>(levels[d]);
            up[d - begin] = std::exp(scores[d] - middle);
            down[d - begin] = 1.0 / up[d - begin];
            below[level + 1] += up[d - begin];
            above[level] += down[d - begin];
        }
        for (std::size_t l = 1; l <= count; ++l) below[l] += below[l - 1];
        for (std::size_t l = count; l-- > 0;) above[l] += above[l + 1];
        for (std::size_t d = begin; d < end; ++d) {
            const auto level = static_cast<std::size_t>(levels[d]);
            const double better = down[d - begin] * below[level];
            found.values[d] = better - up[d - begin] * above[level + 1];
            found.loss += better;
        }
    }
    return found;
}

std::vector<double> stump_sums(std::span<const std::uint8_t> bins,
                               std::span<const double> potentials, std::size_t features,
                               std::size_t bin_count, unsigned threads) {
    const std::size_t n = potentials.size();
    std::vector<double> sums(features * (bin_count - 1));
    for_each_index(features, threads, 1, [&](std::size_t f) {
        // Two tables, so that an addition need not wait for the one before it.
        std::array<double, 256> even{}, odd{};
        const std::uint8_t* const bin = bins.data() + f * n;
        std::size_t d = 0;
        for (; d + 1 < n; d += 2) {
            even[bin[d]] += potentials[d];
            odd[bin[d + 1]] += potentials[d + 1];
        }
        if (d < n) even[bin[d]] += potentials[d];
        double sum = 0;
        for (std::size_t b = bin_count - 1; b > 0; --b) {
            sum += even[b] + odd[b];
            sums[f * (bin_count - 1) + b - 1] = sum;
        }
    });
    return sums;
}

}  // namespace tare
