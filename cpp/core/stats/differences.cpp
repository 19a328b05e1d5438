#include "core/stats/differences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/threads.hpp"
#include "core/wide.hpp"

namespace tare {

namespace {

// How many steps a unit has, a power of ten: exact where scores are below 10^digits.
double steps_of(double largest, int digits) {
    if (!(largest > 0) || !std::isfinite(largest)) return std::pow(10.0, digits);
    // A hair below, so that a largest score of 1 and one of 1 + 1e-16 have the same step.
    return std::pow(10.0, digits - std::ceil(std::log10(largest) - 1e-9));
}

// To the nearest whole number, for |x| < 2^51: a sum that large has no room for a fraction.
double nearest(double x) {
    constexpr double ROOM = 0x1.8p52;
    return (x + ROOM) - ROOM;
}

// Rounded differences of two rows.
TARE_WIDE void subtract(const double* a, const double* b, double* to, std::size_t items,
                        double steps) {
    for (std::size_t i = 0; i < items; ++i) to[i] = nearest((a[i] - b[i]) * steps) / steps;
}

}  // namespace

Differences pair_differences(std::span<const double> scores, std::size_t items,
                             std::span<const std::int32_t> first,
                             std::span<const std::int32_t> second, int digits, unsigned threads) {
    const std::size_t pairs = first.size();
    std::size_t systems = 0;
    for (std::size_t p = 0; p < pairs; ++p)
        systems = std::max({systems, static_cast<std::size_t>(first[p]) + 1,
                            static_cast<std::size_t>(second[p]) + 1});
    std::vector<double> largest(systems, 0.0);
    for (std::size_t s = 0; s < systems; ++s)
        for (std::size_t i = 0; i < items; ++i) {
            const double size = std::fabs(scores[s * items + i]);
            if (size > largest[s]) largest[s] = size;  // NaN is never larger
        }
    constexpr double NONE = std::numeric_limits<double>::quiet_NaN();
    Differences made{std::vector<double>(pairs * items), std::vector<double>(pairs),
                     std::vector<std::int64_t>(pairs), std::vector<double>(pairs, NONE),
                     std::vector<double>(pairs, NONE)};
    for_each_index(first.size(), threads, 256, [&](std::size_t p) {
        const auto a = static_cast<std::size_t>(first[p]), b = static_cast<std::size_t>(second[p]);
        const double steps = steps_of(std::max(largest[a], largest[b]), digits);
        const double quantum = made.quantum[p] = 1 / steps;
        double* row = made.values.data() + p * items;
        subtract(scores.data() + a * items, scores.data() + b * items, row, items, steps);
        double sum = 0, squares = 0;
        std::int64_t n = 0;
        for (std::size_t i = 0; i < items; ++i) {
            if (std::isnan(row[i])) continue;
            sum += row[i];
            ++n;
        }
        made.n[p] = n;
        if (n == 0) return;
        const double mean = made.mean[p] = sum / static_cast<double>(n);
        if (n < 2) return;
        for (std::size_t i = 0; i < items; ++i)
            if (!std::isnan(row[i])) squares += (row[i] - mean) * (row[i] - mean);
        const double deviation = std::sqrt(squares / static_cast<double>(n - 1));
        made.deviation[p] = deviation <= 1e-3 * quantum ? 0.0 : deviation;
    });
    return made;
}

}  // namespace tare
