// Measures of where the relevant documents stand: reciprocal rank, average precision, bpref.
#include <cmath>
#include <limits>

#include "core/measures/kernels.hpp"

namespace tare::kernels {
namespace {

double divide_by_relevant(double sum, const Ranking& r, const Spec& s) {
    const std::int64_t total = relevant_in_pool(r, s);
    return total == 0 ? 0 : sum / static_cast<double>(total);
}

// The largest precision at or after the rank where `needed` relevant documents have been seen.
double best_precision_from(const Ranking& r, const Spec& s, std::int64_t needed) {
    double best = 0;
    std::int64_t found = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= r.retrieved; ++h) {
        if (!s.is_relevant(r.codes[h])) continue;
        if (++found >= needed)
            best = std::max(best, static_cast<double>(found) / static_cast<double>(r.ranks[h]));
    }
    return best;
}

// Relevant documents that make up a share of R: rounded to the nearest (trec_eval 10), or up where
// the fraction is 0.1 or more (trec_eval 9).
std::int64_t needed_for(double share, std::int64_t total, bool half) {
    const double exact = share * static_cast<double>(total);
    return half ? std::llround(exact) : static_cast<std::int64_t>(exact + 0.9);
}

}  // namespace

double reciprocal_rank(const Ranking& r, const Spec& s) {
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= s.depth(); ++h)
        if (s.is_relevant(r.codes[h])) return 1.0 / static_cast<double>(r.ranks[h]);
    return 0;
}

double first_rank(const Ranking& r, const Spec& s) {
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= r.retrieved; ++h)
        if (s.is_relevant(r.codes[h])) return static_cast<double>(r.ranks[h]);
    using limits = std::numeric_limits<double>;
    return relevant_in_pool(r, s) == 0 ? limits::quiet_NaN() : limits::infinity();
}

double sum_of_precision(const Ranking& r, const Spec& s) {
    double sum = 0;
    std::int64_t found = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= s.depth(); ++h)
        if (s.is_relevant(r.codes[h]))
            sum += static_cast<double>(++found) / static_cast<double>(r.ranks[h]);
    return sum;
}

double average_precision(const Ranking& r, const Spec& s) {
    return divide_by_relevant(sum_of_precision(r, s), r, s);
}

double yaap(const Ranking& r, const Spec& s) {
    const double sum = sum_of_precision(r, s);
    return std::log((1 + sum) / (1 + static_cast<double>(relevant_in_pool(r, s)) - sum));
}

double bpref(const Ranking& r, const Spec& s) {
    const std::int64_t total = relevant_in_pool(r, s);
    const double bound = static_cast<double>(std::min(nonrelevant_in_pool(r, s), total));
    double sum = 0;
    std::int64_t above = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= r.retrieved; ++h) {
        if (s.is_relevant(r.codes[h]))
            sum += above == 0 ? 1 : 1 - static_cast<double>(std::min(above, total)) / bound;
        else if (s.is_judged(r.codes[h]))
            ++above;
    }
    return divide_by_relevant(sum, r, s);
}

// Operations are in trec_eval's order, so that values agree to the last bit.
double inferred_ap(const Ranking& r, const Spec& s) {
    constexpr double epsilon = 0.00001;
    double sum = 0, relevant = 0, nonrelevant = 0, pooled = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= r.retrieved; ++h) {
        const double above = static_cast<double>(r.ranks[h] - 1);
        if (s.is_relevant(r.codes[h])) {
            if (above == 0) {
                sum += 1;
            } else {
                const double share = (relevant + epsilon) / (relevant + nonrelevant + 2 * epsilon);
                sum += 1 / (above + 1) + above / (above + 1) * (pooled / above) * share;
            }
            relevant += 1;
        } else if (s.is_judged(r.codes[h])) {
            nonrelevant += 1;
        }
        pooled += 1;
    }
    return divide_by_relevant(sum, r, s);
}

double interpolated_precision(const Ranking& r, const Spec& s) {
    const std::int64_t total = relevant_in_pool(r, s);
    return best_precision_from(r, s, needed_for(s.parameters[0], total, s.parameters[1] != 0));
}

double mean_interpolated_precision(const Ranking& r, const Spec& s) {
    const std::int64_t total = relevant_in_pool(r, s);
    double sum = 0;
    for (std::size_t i = s.parameters.size() - 1; i > 0; --i)  // from the last, as in trec_eval
        sum += best_precision_from(r, s, needed_for(s.parameters[i], total, s.parameters[0] != 0));
    return sum / static_cast<double>(s.parameters.size() - 1);
}

double q_measure(const Ranking& r, const Spec& s) {
    const double beta = s.parameters[0];
    const std::span<const double> best = ideal_gains(r, s);
    double sum = 0, gained = 0, ideal = 0;
    std::int64_t found = 0;
    std::size_t reached = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= s.depth(); ++h) {
        if (!s.is_relevant(r.codes[h])) continue;
        gained += s.gain_of(r.codes[h]);
        for (; reached < best.size() && reached < static_cast<std::size_t>(r.ranks[h]); ++reached)
            ideal += best[reached];
        sum += (static_cast<double>(++found) + beta * gained) /
               (static_cast<double>(r.ranks[h]) + beta * ideal);
    }
    return divide_by_relevant(sum, r, s);
}

double graded_ap(const Ranking& r, const Spec& s) {
    double sum = 0;
    std::vector<double> seen(s.gain.size(), 0);  // how many of each grade so far
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= s.depth(); ++h) {
        const double mine = s.gain_of(r.codes[h]);
        if (mine <= 0) continue;
        seen[static_cast<std::size_t>(r.codes[h])] += 1;
        double shared = 0;
        for (std::size_t code = 0; code < seen.size(); ++code)
            shared += seen[code] * std::min(mine, s.gain[code]);
        sum += shared / static_cast<double>(r.ranks[h]);
    }
    double best = 0;
    for (const std::int32_t code : r.pool) best += s.gain_of(code);
    return best == 0 ? 0 : sum / best;
}

}  // namespace tare::kernels
