// Closed forms: the mean of a measure over all orders of tied documents.
#pragma once

#include <string_view>

#include "core/measures/kernels.hpp"

namespace tare {

namespace expected {

// counts.cpp
double precision(const Ranking&, const Spec&);
double relative_precision(const Ranking&, const Spec&);
double recall(const Ranking&, const Spec&);
double f_measure(const Ranking&, const Spec&);
double success(const Ranking&, const Spec&);
double r_precision(const Ranking&, const Spec&);
double judged_share(const Ranking&, const Spec&);
double unjudged(const Ranking&, const Spec&);
double accuracy(const Ranking&, const Spec&);
double num_rel_ret(const Ranking&, const Spec&);
double num_nonrel_ret(const Ranking&, const Spec&);
double set_precision(const Ranking&, const Spec&);
double set_relative_precision(const Ranking&, const Spec&);
double set_recall(const Ranking&, const Spec&);
double set_f(const Ranking&, const Spec&);
double set_ap(const Ranking&, const Spec&);
double utility(const Ranking&, const Spec&);

// positions.cpp
double reciprocal_rank(const Ranking&, const Spec&);
double first_rank(const Ranking&, const Spec&);
double sum_of_precision(const Ranking&, const Spec&);
double average_precision(const Ranking&, const Spec&);
double bpref(const Ranking&, const Spec&);
double inferred_ap(const Ranking&, const Spec&);
double q_measure(const Ranking&, const Spec&);
double graded_ap(const Ranking&, const Spec&);
double binary_lagged_gain(const Ranking&, const Spec&);

// gains.cpp
double discounted_gain(const Ranking&, const Spec&);
double normalised_gain(const Ranking&, const Spec&);
double scaled_gain(const Ranking&, const Spec&);
double rank_biased_precision(const Ranking&, const Spec&);
double rank_biased_residual(const Ranking&, const Spec&);
double insq(const Ranking&, const Spec&);
double ndcg_at_levels(const Ranking&, const Spec&);

// browsing.cpp
double expected_reciprocal_rank(const Ranking&, const Spec&);
double normalised_err(const Ranking&, const Spec&);
double compatibility(const Ranking&, const Spec&);

}  // namespace expected

// The closed form for a kernel, or null where there is none.
Kernel find_expected(std::string_view name);

}  // namespace tare
