// Orders of tied documents: all of them where they are few, a sample where they are many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/diversity/query.hpp"

namespace tare::diversity {

// Ranks low…high whose documents can be in any order; those of `documents` are judged.
struct TieGroup {
    std::int64_t low, high;
    std::vector<std::int32_t> documents;
};

struct Sampling {
    std::int64_t most_orders = 50'000, samples = 10'000;
    std::uint64_t seed = 0, stream = 0;
};

struct SumMoments {
    double mean = 0, error = 0, variance = 0, variance_error = 0;
    double at_least = 1;  // the share of orders whose sum is at least what was observed
    double at_least_error = 0;
};

SumMoments over_orders(const Query& query, const Spec& spec, std::vector<TieGroup> groups,
                       const Sampling& sampling, double observed);

}  // namespace tare::diversity
