// The largest difference of any two systems when scores are shuffled within each item.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

// scores: items × systems, complete. Returns, for each draw, the range (largest minus smallest)
// of the systems' means (Carterette 2012, randomised Tukey HSD).
std::vector<double> largest_ranges(std::span<const double> scores, std::size_t systems,
                                   std::size_t draws, std::uint64_t seed, unsigned threads,
                                   std::uint64_t first_draw = 0);

}  // namespace tare
