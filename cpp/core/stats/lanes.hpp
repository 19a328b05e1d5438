// Draws in blocks, and the largest statistic of each draw.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tare {

// Draws that are worked on together: the innermost loops run over them.
inline constexpr std::size_t LANES = 32;

// Two squared statistics are equal when they agree this far; sums in another order change less.
inline constexpr double STATISTIC_TOLERANCE = 1e-10;

using Counts = std::vector<std::atomic<std::uint64_t>>;

inline std::vector<std::int64_t> plain(const Counts& counts) {
    std::vector<std::int64_t> made(counts.size());
    for (std::size_t k = 0; k < counts.size(); ++k)
        made[k] = static_cast<std::int64_t>(counts[k].load());
    return made;
}

// statistics: hypotheses × LANES of one block of draws. Counts the draws in which the largest
// statistic of all hypotheses reaches the observed one of each.
inline void count_largest(std::span<const double> statistics, std::span<const double> observed,
                          std::size_t lanes, Counts& counts) {
    double largest[LANES] = {};
    for (std::size_t h = 0; h < observed.size(); ++h)
        for (std::size_t l = 0; l < lanes; ++l) {
            const double value = statistics[h * LANES + l];
            if (value > largest[l]) largest[l] = value;
        }
    for (std::size_t h = 0; h < observed.size(); ++h) {
        const double threshold = observed[h] * (1 - STATISTIC_TOLERANCE);
        std::uint64_t reached = 0;
        for (std::size_t l = 0; l < lanes; ++l) reached += largest[l] >= threshold;
        if (reached) counts[h].fetch_add(reached, std::memory_order_relaxed);
    }
}

}  // namespace tare
