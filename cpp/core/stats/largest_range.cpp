#include "core/stats/largest_range.hpp"

#include <algorithm>

#include "core/chance/random.hpp"
#include "core/threads.hpp"

namespace tare {

std::vector<double> largest_ranges(std::span<const double> scores, std::size_t systems,
                                   std::size_t draws, std::uint64_t seed, unsigned threads,
                                   std::uint64_t first_draw) {
    const std::size_t items = scores.size() / systems;
    std::vector<double> ranges(draws, 0.0);
    for_each_index(draws, threads, 16, [&](std::size_t b) {
        thread_local std::vector<double> row, sums;
        row.resize(systems);
        sums.assign(systems, 0.0);
        RandomStream random(seed, first_draw + b);
        for (std::size_t i = 0; i < items; ++i) {
            std::copy_n(scores.data() + i * systems, systems, row.data());
            for (std::size_t s = systems; s > 1; --s) {  // Fisher and Yates, added as they settle
                const std::size_t chosen = random.below(s);
                sums[s - 1] += row[chosen];
                row[chosen] = row[s - 1];
            }
            sums[0] += row[0];
        }
        const auto [low, high] = std::minmax_element(sums.begin(), sums.end());
        ranges[b] = (*high - *low) / static_cast<double>(items);
    });
    return ranges;
}

}  // namespace tare
