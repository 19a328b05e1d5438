// How the mean of nDCG changes along a line: scores + step · column, for many steps at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rankers/top_dcg.hpp"

namespace tare {

// nDCG of every query for one score a row.
std::vector<double> ndcg_by_query(const GradedRows& rows, std::span<const double> scores,
                                  std::size_t cutoff, unsigned threads);

// The sum of nDCG over queries for each step; the same for any number of threads. order: what
// `score_order` returns for these scores. Scores, steps and their products with the column are
// finite.
std::vector<double> line_search(const GradedRows& rows, std::span<const double> scores,
                                std::span<const std::int32_t> order, std::span<const float> column,
                                std::span<const double> steps, std::size_t cutoff,
                                unsigned threads);

}  // namespace tare
