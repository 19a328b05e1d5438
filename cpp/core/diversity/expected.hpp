// Closed forms: the mean of a sum over all orders of a pool.
#pragma once

#include <cstdint>
#include <span>

#include "core/diversity/query.hpp"

namespace tare::diversity {

// The mean sum when `documents`, judged, and others that nobody judged, `size` in all, are ranked
// at random.
double expected_sum(const Query& query, const Spec& spec, std::span<const std::int32_t> documents,
                    std::int64_t size);

}  // namespace tare::diversity
