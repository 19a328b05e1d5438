#include "core/text_measures/drand48.hpp"

namespace tare::text {

std::vector<double> drand48_means(std::span<const double> values, std::size_t rows,
                                  std::size_t items, std::size_t draws) {
    std::vector<double> means(rows * draws, 0);
    if (items == 0) return means;
    std::vector<std::size_t> chosen(items);
    for (std::size_t b = 0; b < draws; ++b) {
        Drand48 random(static_cast<std::uint32_t>(b));
        for (std::size_t& i : chosen)
            i = static_cast<std::size_t>(random.next() * static_cast<double>(items));
        for (std::size_t r = 0; r < rows; ++r) {
            double sum = 0;
            for (const std::size_t i : chosen) sum += values[r * items + i];
            means[r * draws + b] = sum / static_cast<double>(items);
        }
    }
    return means;
}

}  // namespace tare::text
