#include "core/stats/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/chance/random.hpp"
#include "core/threads.hpp"

namespace tare {

std::vector<double> bootstrap_means(std::span<const double> values, std::size_t rows, std::size_t items,
                                    std::size_t draws, std::uint64_t seed, unsigned threads,
                                    std::uint64_t first_draw) {
    std::vector<double> means(rows * draws, std::numeric_limits<double>::quiet_NaN());
    if (items == 0) return means;
    std::vector<bool> complete(rows);
    for (std::size_t r = 0; r < rows; ++r) {
        const std::span<const double> row = values.subspan(r * items, items);
        complete[r] = std::none_of(row.begin(), row.end(), [](double v) { return std::isnan(v); });
    }
    for_each_index(draws, threads, 16, [&](std::size_t b) {
        thread_local std::vector<std::uint32_t> scratch;
        std::vector<std::uint32_t>& chosen = scratch;
        RandomStream random(seed, first_draw + b);
        chosen.resize(items);
        for (std::uint32_t& i : chosen) i = static_cast<std::uint32_t>(random.below(items));
        for (std::size_t r = 0; r < rows; ++r) {
            const double* row = values.data() + r * items;
            if (complete[r]) {
                double sum = 0;
                for (const std::uint32_t i : chosen) sum += row[i];
                means[r * draws + b] = sum / static_cast<double>(items);
                continue;
            }
            double sum = 0;
            std::size_t n = 0;
            for (const std::uint32_t i : chosen) {
                if (std::isnan(row[i])) continue;
                sum += row[i];
                ++n;
            }
            if (n > 0) means[r * draws + b] = sum / static_cast<double>(n);
        }
    });
    return means;
}

}  // namespace tare
