// Distances between two values of ratings.
#pragma once

#include <cstddef>

#include "core/stats/alpha.hpp"

namespace tare {

// Where a squared distance is a difference of scores, sums replace pairs.
inline bool by_scores(Level level) { return level == Level::interval || level == Level::ordinal; }

inline double distance(const Ratings& ratings, Level level, std::size_t a, std::size_t b) {
    if (level == Level::nominal) return a == b ? 0 : 1;
    if (level == Level::own) return ratings.distances[a * ratings.values.size() + b];
    const double x = ratings.values[a], y = ratings.values[b], sum = x + y;
    return sum == 0 ? 0 : (x - y) * (x - y) / (sum * sum);
}

}  // namespace tare
