// Krippendorff's α by counts of values: no matrix of all values by all values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

enum class Level { nominal, ordinal, interval, ratio, own };

// Pairable values in units (CSR): codes index `values`, which are distinct and ascending; within
// a unit the codes ascend. `distances` (values × values) is read at the level `own` only.
struct Ratings {
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> codes;
    std::span<const double> values;
    std::span<const double> distances;

    std::span<const std::int32_t> unit(std::size_t u) const {
        return codes.subspan(static_cast<std::size_t>(offsets[u]),
                             static_cast<std::size_t>(offsets[u + 1] - offsets[u]));
    }
};

struct Disagreement {
    double observed, expected, alpha;  // alpha is NaN where all values are the same
};

// The α of all units, each counted once.
Disagreement alpha(const Ratings& ratings, Level level);

// The observed disagreement within each unit, on the scale of `Disagreement::observed`.
std::vector<double> unit_disagreements(const Ratings& ratings, Level level);

// Σ over ordered pairs within a unit of their distance, over (values in the unit − 1); not by
// scores.
double pairs_within(const Ratings& ratings, Level level, std::size_t unit);

// α of resampled units, one a draw; NaN where a draw has a single value.
std::vector<double> alpha_draws(const Ratings& ratings, Level level, std::size_t draws,
                                std::uint64_t seed, unsigned threads);

}  // namespace tare
