// The studentised paired bootstrap: t of resampled differences that were shifted to mean 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

struct StudentisedCounts {
    std::vector<std::int64_t> alone;
    std::vector<std::int64_t> largest;  // draws in which the largest t² of all reached it
};

// shifted: pairs × items, differences minus their mean, NaN where missing. observed: t² of each
// pair. A draw resamples the items, the same for all pairs; a pair uses those it has.
StudentisedCounts studentised_counts(std::span<const double> shifted, std::size_t items,
                                     std::span<const double> observed, bool largest,
                                     std::size_t draws, std::uint64_t seed, unsigned threads,
                                     std::uint64_t first_draw = 0);

// t of each draw of one or several rows, rows × draws (for intervals); NaN where a draw has none.
std::vector<double> studentised_draws(std::span<const double> shifted, std::size_t items,
                                      std::size_t draws, std::uint64_t seed, unsigned threads,
                                      std::uint64_t first_draw = 0);

}  // namespace tare
