#include "core/hit_ranks.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace tare {
namespace {

constexpr std::size_t counted = 96;  // up to this many hits, counting is faster than sorting

bool rank_by_counting(std::span<const float> scores, std::span<const float> hits,
                      std::span<std::int32_t> ranks) {
    for (std::size_t h = 0; h < hits.size(); ++h) {
        const float hit = hits[h];
        std::int32_t larger = 0, equal = 0;
        for (const float score : scores) {
            larger += score > hit;
            equal += score == hit;
        }
        if (equal > 1) return false;
        ranks[h] = larger + 1;
    }
    return true;
}

bool rank_by_sorting(std::span<const float> scores, std::span<const float> hits,
                     std::span<std::int32_t> ranks) {
    thread_local std::vector<float> sorted;
    sorted.assign(scores.begin(), scores.end());
    if (!std::is_sorted(sorted.begin(), sorted.end(), std::greater<>{}))
        std::sort(sorted.begin(), sorted.end(), std::greater<>{});
    for (std::size_t h = 0; h < hits.size(); ++h) {
        const auto at = std::lower_bound(sorted.begin(), sorted.end(), hits[h], std::greater<>{});
        if (at + 1 < sorted.end() && at[1] == hits[h]) return false;
        ranks[h] = static_cast<std::int32_t>(at - sorted.begin()) + 1;
    }
    return true;
}

}  // namespace

bool rank_hits(std::span<const float> scores, std::span<const float> hits,
               std::span<std::int32_t> ranks) {
    return hits.size() <= counted ? rank_by_counting(scores, hits, ranks)
                                  : rank_by_sorting(scores, hits, ranks);
}

}  // namespace tare
