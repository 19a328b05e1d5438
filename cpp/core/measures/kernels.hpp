// The kernels by name. Each takes one query's ranking and a measure, and gives a number.
#pragma once

#include <string_view>

#include "core/measures/spec.hpp"

namespace tare {

namespace kernels {

// counting.cpp
double precision(const Ranking&, const Spec&);
double relative_precision(const Ranking&, const Spec&);
double recall(const Ranking&, const Spec&);
double f_measure(const Ranking&, const Spec&);  // beta
double success(const Ranking&, const Spec&);
double r_precision(const Ranking&, const Spec&);  // multiple of R
double judged_share(const Ranking&, const Spec&);
double unjudged(const Ranking&, const Spec&);
double accuracy(const Ranking&, const Spec&);
double num_ret(const Ranking&, const Spec&);
double num_rel(const Ranking&, const Spec&);
double num_rel_ret(const Ranking&, const Spec&);
double num_nonrel_ret(const Ranking&, const Spec&);
double set_precision(const Ranking&, const Spec&);
double set_relative_precision(const Ranking&, const Spec&);
double set_recall(const Ranking&, const Spec&);
double set_f(const Ranking&, const Spec&);  // beta
double set_ap(const Ranking&, const Spec&);
double utility(const Ranking&, const Spec&);  // four weights, collection size

// precision.cpp
double reciprocal_rank(const Ranking&, const Spec&);
double first_rank(
    const Ranking&,
    const Spec&);  // infinite where no relevant one was retrieved, NaN if there is none
double sum_of_precision(const Ranking&, const Spec&);
double average_precision(const Ranking&, const Spec&);
double yaap(const Ranking&, const Spec&);
double bpref(const Ranking&, const Spec&);
double inferred_ap(const Ranking&, const Spec&);
double interpolated_precision(const Ranking&, const Spec&);       // recall, rounding
double mean_interpolated_precision(const Ranking&, const Spec&);  // rounding, recalls
double q_measure(const Ranking&, const Spec&);                    // beta
double graded_ap(const Ranking&, const Spec&);

// gains.cpp
double discounted_gain(const Ranking&, const Spec&);
double ideal_discounted_gain(const Ranking&, const Spec&);
double normalised_gain(const Ranking&, const Spec&);
double scaled_gain(const Ranking&, const Spec&);
double rank_biased_precision(const Ranking&, const Spec&);  // p
double rank_biased_residual(const Ranking&, const Spec&);   // p
double ndcg_at_relevant(const Ranking&, const Spec&);
double ndcg_at_levels(const Ranking&, const Spec&);
double lagged_gain(const Ranking&, const Spec&);
double binary_lagged_gain(const Ranking&, const Spec&);

// browsing.cpp
double expected_reciprocal_rank(const Ranking&, const Spec&);
double ideal_err(const Ranking&, const Spec&);
double normalised_err(const Ranking&, const Spec&);
void prepare_browsing(Spec&);                   // for those with a depth
double inst(const Ranking&, const Spec&);       // T, depth
double insq(const Ranking&, const Spec&);       // T, depth
double bejeweled(const Ranking&, const Spec&);  // T
double nerr8(const Ranking&, const Spec&);
double nerr9(const Ranking&, const Spec&);
double nerr10(const Ranking&, const Spec&);  // p, depth
double nerr11(const Ranking&, const Spec&);  // T, depth

// compatibility.cpp
void prepare_compatibility(Spec&);
double compatibility(const Ranking&, const Spec&);  // p, depth, normalise

}  // namespace kernels

struct KernelEntry {
    std::string_view name;
    Kernel value;
    void (*prepare)(Spec&) = nullptr;
};

// The entry of a kernel, or null.
const KernelEntry* find_kernel(std::string_view name);

}  // namespace tare
