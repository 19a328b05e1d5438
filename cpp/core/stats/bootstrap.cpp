#include "core/stats/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/chance/random.hpp"
#include "core/threads.hpp"
#include "core/wide.hpp"

namespace tare {
namespace {

constexpr std::size_t block = 16;  // draws whose items are drawn together
constexpr std::size_t width = 16;  // rows whose sums grow together

// Complete rows in tiles, items × width within each, so that the cells of one item lie side by
// side.
struct Tiles {
    std::vector<std::size_t> rows;
    std::vector<double> cells;

    Tiles(std::span<const double> values, std::vector<std::size_t> complete, std::size_t items)
        : rows(std::move(complete)), cells((rows.size() + width - 1) / width * width * items) {
        for (std::size_t k = 0; k < rows.size(); ++k)
            for (std::size_t i = 0; i < items; ++i)
                cells[(k / width * items + i) * width + k % width] = values[rows[k] * items + i];
    }
};

// Adds the cells of the chosen items, in their order: each sum is the one of a plain loop over its
// row.
TARE_WIDE void sum_tile(const double* tile, std::span<const std::uint32_t> chosen, double* sums) {
    double total[width] = {};
    for (const std::uint32_t i : chosen)
        for (std::size_t k = 0; k < width; ++k) total[k] += tile[i * width + k];
    std::copy_n(total, width, sums);
}

double mean_of_known(const double* row, std::span<const std::uint32_t> chosen) {
    double sum = 0;
    std::size_t n = 0;
    for (const std::uint32_t i : chosen) {
        if (std::isnan(row[i])) continue;
        sum += row[i];
        ++n;
    }
    return n == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(n);
}

}  // namespace

std::vector<double> bootstrap_means(std::span<const double> values, std::size_t rows,
                                    std::size_t items, std::size_t draws, std::uint64_t seed,
                                    unsigned threads, std::uint64_t first_draw) {
    std::vector<double> means(rows * draws, std::numeric_limits<double>::quiet_NaN());
    if (items == 0) return means;
    std::vector<std::size_t> all(rows);
    std::iota(all.begin(), all.end(), std::size_t{0});
    auto rest = std::stable_partition(all.begin(), all.end(), [&](std::size_t r) {
        const std::span<const double> row = values.subspan(r * items, items);
        return std::none_of(row.begin(), row.end(), [](double v) { return std::isnan(v); });
    });
    const auto over = (rest - all.begin()) % static_cast<std::ptrdiff_t>(width);
    if (over < 4) rest -= over;  // a tile for so few costs more than it saves
    const Tiles tiles(values, {all.begin(), rest}, items);
    for_each_index((draws + block - 1) / block, threads, 1, [&](std::size_t part) {
        thread_local std::vector<std::uint32_t> scratch;
        std::vector<std::uint32_t>& chosen = scratch;
        const std::size_t begin = part * block, end = std::min(draws, begin + block);
        chosen.resize((end - begin) * items);
        for (std::size_t b = begin; b < end; ++b) {
            RandomStream random(seed, first_draw + b);
            for (std::uint32_t& i : std::span(chosen).subspan((b - begin) * items, items))
                i = static_cast<std::uint32_t>(random.below(items));
        }
        double sums[width];
        for (std::size_t k = 0; k < tiles.rows.size(); k += width)
            for (std::size_t b = begin; b < end; ++b) {
                sum_tile(tiles.cells.data() + k * items,
                         std::span(chosen).subspan((b - begin) * items, items), sums);
                for (std::size_t r = k; r < std::min(k + width, tiles.rows.size()); ++r)
                    means[tiles.rows[r] * draws + b] = sums[r - k] / static_cast<double>(items);
            }
        for (auto r = rest; r != all.end(); ++r)
            for (std::size_t b = begin; b < end; ++b)
                means[*r * draws + b] =
                    mean_of_known(values.data() + *r * items,
                                  std::span(chosen).subspan((b - begin) * items, items));
    });
    return means;
}

}  // namespace tare
