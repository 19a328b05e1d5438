// Bootstrap means: the items are drawn again, with replacement, the same draws for every row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

// values: rows × items, NaN where a row lacks an item. Returns rows × draws: the mean of each row
// over each draw's items. Draw b uses the random stream (seed, b), so neither the threads nor the
// other rows change it.
std::vector<double> bootstrap_means(std::span<const double> values, std::size_t rows,
                                    std::size_t items, std::size_t draws, std::uint64_t seed,
                                    unsigned threads, std::uint64_t first_draw = 0);

}  // namespace tare
