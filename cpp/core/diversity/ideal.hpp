// Ideal rankings. The true one is NP-complete to find; a greedy one is what everybody divides by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/diversity/query.hpp"

namespace tare::diversity {

// The documents (of those given) that bring most at each rank, one after the other, as far as the
// measure looks; among equals the one with the smallest number.
std::vector<std::int32_t> greedy_order(const Query& query, const Spec& spec,
                                       std::span<const std::int32_t> documents);

// The largest sum any ranking of the documents can have, by branch and bound; nothing where that
// takes more than `most` steps, or for measures that reward what was seen before.
std::optional<double> exact_sum(const Query& query, const Spec& spec,
                                std::span<const std::int32_t> documents, std::int64_t most);

// All documents of a query.
std::vector<std::int32_t> all_documents(const Query& query);

// The sum of the ideal ranking of all judged documents: greedy, or exact as the measure asks where
// it can be found.
double ideal_sum(const Query& query, const Spec& spec);

// Ranks 1, 2, 3 … for documents in order.
std::vector<Hit> ranked(std::span<const std::int32_t> documents);

inline constexpr std::int64_t exact_steps = 2'000'000;

}  // namespace tare::diversity
