#include "core/stats/dominance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/threads.hpp"

namespace tare {

std::vector<double> cliffs_delta(std::span<const double> scores, std::size_t items,
                                 std::span<const std::int32_t> first,
                                 std::span<const std::int32_t> second,
                                 std::span<const double> quantum, unsigned threads) {
    std::vector<double> made(first.size(), std::numeric_limits<double>::quiet_NaN());
    for_each_index(first.size(), threads, 64, [&](std::size_t p) {
        thread_local std::vector<double> x, y;
        x.clear();
        y.clear();
        const double* a = scores.data() + static_cast<std::size_t>(first[p]) * items;
        const double* b = scores.data() + static_cast<std::size_t>(second[p]) * items;
        for (std::size_t i = 0; i < items; ++i)
            if (!std::isnan(a[i]) && !std::isnan(b[i])) {
                x.push_back(std::nearbyint(a[i] / quantum[p]));
                y.push_back(std::nearbyint(b[i] / quantum[p]));
            }
        if (x.empty()) return;
        std::sort(x.begin(), x.end());
        std::sort(y.begin(), y.end());
        double balance = 0;
        std::size_t below = 0, up_to = 0;  // values of y that are < x, and ≤ x
        for (const double value : x) {
            while (below < y.size() && y[below] < value) ++below;
            while (up_to < y.size() && y[up_to] <= value) ++up_to;
            balance += static_cast<double>(below) - static_cast<double>(y.size() - up_to);
        }
        made[p] = balance / (static_cast<double>(x.size()) * static_cast<double>(y.size()));
    });
    return made;
}

}  // namespace tare
