// Westfall and Young's step-down of the largest statistic, counted draw by draw.
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

// statistics: hypotheses × LANES of one block of draws. `order` lists the hypotheses by falling
// observed statistic; the k-th is compared with the largest among itself and those after it.
inline void count_step_down(std::span<const double> statistics, std::span<const double> observed,
                            std::span<const std::int32_t> order, std::size_t lanes,
                            Counts& counts) {
    double largest[LANES] = {};
    for (std::size_t k = order.size(); k-- > 0;) {
        const auto h = static_cast<std::size_t>(order[k]);
        const double* row = statistics.data() + h * LANES;
        const double threshold = observed[h] * (1 - STATISTIC_TOLERANCE);
        std::uint64_t reached = 0;
        for (std::size_t l = 0; l < lanes; ++l) {
            if (row[l] > largest[l]) largest[l] = row[l];
            reached += largest[l] >= threshold;
        }
        if (reached) counts[h].fetch_add(reached, std::memory_order_relaxed);
    }
}

}  // namespace tare
