#include "core/stats/differences.hpp"

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"

namespace tare {

double quantum_of(double largest, int digits) {
    if (!(largest > 0) || !std::isfinite(largest)) return std::pow(10.0, -digits);
    // A hair below, so that a largest score of 1 and one of 1 + 1e-16 have the same step.
    return std::pow(10.0, std::ceil(std::log10(largest) - 1e-9) - digits);
}

double rounded_to(double value, double quantum) { return std::nearbyint(value / quantum) * quantum; }

Differences pair_differences(std::span<const double> scores, std::size_t items,
                             std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                             int digits, unsigned threads) {
    const std::size_t systems = items == 0 ? 0 : scores.size() / items;
    std::vector<double> largest(systems, 0.0);
    for (std::size_t s = 0; s < systems; ++s)
        for (std::size_t i = 0; i < items; ++i) {
            const double size = std::fabs(scores[s * items + i]);
            if (size > largest[s]) largest[s] = size;  // NaN is never larger
        }
    Differences made{std::vector<double>(first.size() * items), std::vector<double>(first.size())};
    for_each_index(first.size(), threads, 256, [&](std::size_t p) {
        const auto a = static_cast<std::size_t>(first[p]), b = static_cast<std::size_t>(second[p]);
        const double quantum = quantum_of(std::max(largest[a], largest[b]), digits);
        made.quantum[p] = quantum;
        for (std::size_t i = 0; i < items; ++i)
            made.values[p * items + i] = rounded_to(scores[a * items + i] - scores[b * items + i], quantum);
    });
    return made;
}

}  // namespace tare
