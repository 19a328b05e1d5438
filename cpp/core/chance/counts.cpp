// Expected values of the measures that count: linear in the number of documents within a depth.
#include <cmath>

#include "core/chance/expected.hpp"
#include "core/chance/hypergeometric.hpp"
#include "core/chance/tie_groups.hpp"

namespace tare::expected {
namespace {

// The expected number of documents that `wanted` within the first `depth` ranks.
template <class Wanted>
double count_within(const Ranking& r, std::int64_t depth, Wanted&& wanted) {
    double sum = 0;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t inside = std::min(g.high, depth) - g.low + 1;
        if (inside <= 0) return;
        std::int64_t found = 0;
        for (std::size_t h = g.first; h < g.last; ++h) found += wanted(r.codes[h]);
        sum += inside == g.size() ? static_cast<double>(found)
                                  : static_cast<double>(found) * static_cast<double>(inside) /
                                        static_cast<double>(g.size());
    });
    return sum;
}

double relevant_within(const Ranking& r, const Spec& s, std::int64_t depth) {
    return count_within(r, std::min(depth, r.retrieved),
                        [&](std::int32_t c) { return s.is_relevant(c); });
}

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

double as_double(std::int64_t n) { return static_cast<double>(n); }

}  // namespace

double precision(const Ranking& r, const Spec& s) {
    return relevant_within(r, s, s.cutoff) / as_double(s.cutoff);
}

double relative_precision(const Ranking& r, const Spec& s) {
    return ratio(relevant_within(r, s, s.cutoff),
                 as_double(std::min(s.cutoff, relevant_in_pool(r, s))));
}

double recall(const Ranking& r, const Spec& s) {
    return ratio(relevant_within(r, s, s.depth()), as_double(relevant_in_pool(r, s)));
}

// With P = c/k and Recall = c/R, F = (1+b²)c / (b²R + k): linear in c.
double f_measure(const Ranking& r, const Spec& s) {
    const double weight = s.parameters[0] * s.parameters[0];
    const double total = as_double(relevant_in_pool(r, s));
    if (total == 0) return 0;
    return (1 + weight) * relevant_within(r, s, s.cutoff) / (weight * total + as_double(s.cutoff));
}

// Only the group that the cutoff divides leaves anything to luck.
double success(const Ranking& r, const Spec& s) {
    const std::int64_t depth = s.seen(r);
    double value = 0;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t inside = std::min(g.high, depth) - g.low + 1;
        if (inside <= 0 || value == 1) return;
        value = std::max(value, probability_of_some(g.size(), relevant_in(r, s, g), inside));
    });
    return value;
}

double r_precision(const Ranking& r, const Spec& s) {
    const auto depth =
        static_cast<std::int64_t>(s.parameters[0] * as_double(relevant_in_pool(r, s)) + 0.9);
    return ratio(relevant_within(r, s, depth), as_double(depth));
}

double judged_share(const Ranking& r, const Spec& s) {
    const std::int64_t seen = s.seen(r);
    return ratio(count_within(r, seen, [](std::int32_t) { return true; }), as_double(seen));
}

double unjudged(const Ranking& r, const Spec& s) {
    const std::int64_t seen = s.seen(r);
    const double judged = count_within(r, seen, [&](std::int32_t c) { return s.is_judged(c); });
    return (as_double(seen) - judged) / as_double(s.cutoff);
}

// Given how many relevant documents the divided group puts within the depth, all is linear.
double accuracy(const Ranking& r, const Spec& s) {
    const std::int64_t depth = s.seen(r);
    double found = 0, wrong = 0, value = 0;
    bool divided = false;
    const auto score = [&](double relevant, double misplaced) {
        const double pairs = relevant * (as_double(depth) - relevant);
        return relevant == 0 ? 0.0 : pairs == 0 ? 1.0 : 1 - misplaced / pairs;
    };
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t inside = std::min(g.high, depth) - g.low + 1;
        if (inside <= 0) return;
        const double others_before = as_double(g.low - 1) - found;
        const std::int64_t relevant = relevant_in(r, s, g);
        const auto misplaced = [&](double j) {
            return wrong + j * others_before + j * (as_double(inside) - j) / 2;
        };
        if (inside == g.size()) {
            wrong = misplaced(as_double(relevant));
            found += as_double(relevant);
            return;
        }
        divided = true;
        value = mean_over_drawn(as_double(g.size()), as_double(relevant), as_double(inside),
                                [&](double j) { return score(found + j, misplaced(j)); });
    });
    return divided ? value : score(found, wrong);
}

double num_rel_ret(const Ranking& r, const Spec& s) { return relevant_within(r, s, r.retrieved); }

double num_nonrel_ret(const Ranking& r, const Spec& s) {
    return count_within(r, r.retrieved,
                        [&](std::int32_t c) { return s.is_judged(c) && !s.is_relevant(c); });
}

double set_precision(const Ranking& r, const Spec& s) {
    return ratio(num_rel_ret(r, s), as_double(r.retrieved));
}

double set_relative_precision(const Ranking& r, const Spec& s) {
    return ratio(num_rel_ret(r, s), as_double(std::min(r.retrieved, relevant_in_pool(r, s))));
}

double set_recall(const Ranking& r, const Spec& s) {
    return ratio(num_rel_ret(r, s), as_double(relevant_in_pool(r, s)));
}

// (1+b)PR/(bP+R) with P = c/n, R = c/T is (1+b)c/(bT+n).
double set_f(const Ranking& r, const Spec& s) {
    const double total = as_double(relevant_in_pool(r, s)), beta = s.parameters[0];
    if (total == 0) return 0;
    return (1 + beta) * num_rel_ret(r, s) / (beta * total + as_double(r.retrieved));
}

// c²/(nT): the square has the variance of the one group that a depth limit may divide.
double set_ap(const Ranking& r, const Spec& s) {
    const double mean = num_rel_ret(r, s);
    double variance = 0;
    for_each_group(r, [&](const TieGroup& g) {
        const double x = as_double(std::min(g.high, r.retrieved) - g.low + 1),
                     m = as_double(g.size());
        if (x <= 0 || x >= m) return;
        const double p = as_double(relevant_in(r, s, g)) / m;
        variance += x * p * (1 - p) * (m - x) / (m - 1);
    });
    return ratio(mean * mean + variance,
                 as_double(r.retrieved) * as_double(relevant_in_pool(r, s)));
}

double utility(const Ranking& r, const Spec& s) {
    const double found = num_rel_ret(r, s), n = as_double(r.retrieved);
    const double total = as_double(relevant_in_pool(r, s));
    const auto& w = s.parameters;
    return w[0] * found + w[1] * (n - found) + w[2] * (total - found) +
           w[3] * (w[4] + found - n - total);
}

}  // namespace tare::expected
