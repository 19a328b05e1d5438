// Measures of diversity over all queries of a run, or of a pool.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/diversity/orders.hpp"
#include "core/diversity/query.hpp"

namespace tare::diversity {

// Where the judged documents of each query stand; `documents` are their numbers within the query.
struct Rankings {
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> ranks, documents;
    std::span<const std::int64_t> lows, highs;  // empty where ties are broken
    std::span<const std::int64_t> retrieved;
    std::span<const std::uint64_t> streams;

    std::size_t size() const { return retrieved.size(); }
};

struct Collection {
    std::span<const std::int64_t> document_offsets, cell_offsets, subtopic_offsets;
    std::span<const std::int32_t> cell_subtopics;
    std::span<const double> cell_grades, probabilities;

    Judgements operator[](std::size_t query) const;
};

enum class What {
    values,     // of the rankings; the mean over orders where ties are open
    expected,   // by closed form, of the pool that the rankings list, in random order
    variances,  // over the orders of open ties
    tails,      // the share of orders that score at least what was observed
    greedy,     // of the pool that the rankings list, in greedy order
    exact,      // the largest there can be; NaN where it was not found
    worst,      // of the pool, greedy order backwards at the end
};

struct Answers {
    std::vector<double> values, errors;  // by query
    std::vector<double>
        divisors;  // what sums are divided by: of the judgements alone, so runs can share them
};

// `divisors` by query, or none where they are to be found here.
Answers evaluate(What what, const Rankings& rankings, const Collection& collection,
                 const Spec& spec, const Sampling& sampling, std::span<const double> observed,
                 std::span<const double> divisors, unsigned threads);

}  // namespace tare::diversity
