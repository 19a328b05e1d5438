// How often a value of one sample is above one of another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

// Cliff's delta of each pair of rows over the items both have:
// (#(x > y) − #(x < y)) / n², values closer than the pair's quantum being equal.
std::vector<double> cliffs_delta(std::span<const double> scores, std::size_t items,
                                 std::span<const std::int32_t> first,
                                 std::span<const std::int32_t> second,
                                 std::span<const double> quantum, unsigned threads);

}  // namespace tare
