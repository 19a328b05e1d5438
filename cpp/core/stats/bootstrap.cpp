#include "core/stats/bootstrap.hpp"

#include <cmath>
#include <limits>

#include "core/chance/random.hpp"
#include "core/threads.hpp"

namespace tare {

std::vector<double> bootstrap_means(std::span<const double> values, std::size_t rows, std::size_t items,
                                    std::size_t draws, std::uint64_t seed, unsigned threads) {
    std::vector<double> means(rows * draws, std::numeric_limits<double>::quiet_NaN());
    if (items == 0) return means;
    for_each_index(draws, threads, 16, [&](std::size_t b) {
        thread_local std::vector<std::uint32_t> chosen;
        RandomStream random(seed, b);
        chosen.resize(items);
        for (std::uint32_t& i : chosen) i = static_cast<std::uint32_t>(random.below(items));
        for (std::size_t r = 0; r < rows; ++r) {
            const double* row = values.data() + r * items;
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
