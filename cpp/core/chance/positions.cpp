// Expected values of the measures of where relevant documents stand. Within a group of m ranks from
// `low` on, a rank holds a given document with probability 1/m, and any other given one stands
// among the x ranks above it in the group with probability x/(m-1).
#include <cmath>

#include "core/chance/expected.hpp"
#include "core/chance/harmonic.hpp"
#include "core/chance/hypergeometric.hpp"
#include "core/chance/tie_groups.hpp"

namespace tare::expected {
namespace {

double divide_by_relevant(double sum, const Ranking& r, const Spec& s) {
    const std::int64_t total = relevant_in_pool(r, s);
    return total == 0 ? 0 : sum / static_cast<double>(total);
}

// Σ_{i=low..high} (a + b·x)/i with x = i - low.
double sum_linear_over_rank(std::int64_t low, std::int64_t high, double a, double b) {
    if (low == 1 && high > 64) {
        const double n = static_cast<double>(high), h = harmonic(n);
        return a * h + b * (n - h);
    }
    return sum_over_ranks(low, high, [=](double i) { return (a + b * (i - static_cast<double>(low))) / i; });
}

}  // namespace

// The first group with a relevant document decides. P(first at j) = C(m-j, r-1)/C(m, r).
double reciprocal_rank(const Ranking& r, const Spec& s) {
    const std::int64_t depth = s.seen(r);
    double value = 0;
    bool done = false;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t relevant = relevant_in(r, s, g);
        if (done || relevant == 0) return;
        done = true;
        const std::int64_t m = g.size(), last = std::min(m - relevant + 1, depth - g.low + 1);
        if (g.low == 1 && last == m - relevant + 1 && last > 64) {
            // Σ_j C(m-j, r-1)/j = C(m, r-1)(H_m - H_{r-1})
            value = static_cast<double>(relevant) / static_cast<double>(m - relevant + 1) *
                    harmonic_between(static_cast<double>(relevant - 1), static_cast<double>(m));
            return;
        }
        double p = static_cast<double>(relevant) / static_cast<double>(m);
        for (std::int64_t j = 1; j <= last; ++j) {
            value += p / static_cast<double>(g.low + j - 1);
            p *= static_cast<double>(m - j - relevant + 1) / static_cast<double>(m - j);
        }
    });
    return value;
}

// Relevant at i, and each relevant document at or above it: c + 1 + x(r-1)/(m-1), over i.
double sum_of_precision(const Ranking& r, const Spec& s) {
    const std::int64_t depth = s.seen(r);
    double sum = 0, before = 0;
    for_each_group(r, [&](const TieGroup& g) {
        const double relevant = static_cast<double>(relevant_in(r, s, g));
        const std::int64_t high = std::min(g.high, depth);
        if (relevant > 0 && high >= g.low) {
            const double share = relevant / static_cast<double>(g.size());
            sum += share * sum_linear_over_rank(g.low, high, before + 1, above(relevant - 1, g.size()));
        }
        before += relevant;
    });
    return sum;
}

double average_precision(const Ranking& r, const Spec& s) {
    return divide_by_relevant(sum_of_precision(r, s), r, s);
}

// Of the group's N non-relevant documents, 0…N stand above a given relevant one, equally likely.
double bpref(const Ranking& r, const Spec& s) {
    const std::int64_t total = relevant_in_pool(r, s);
    const double bound = static_cast<double>(std::min(nonrelevant_in_pool(r, s), total));
    double sum = 0;
    std::int64_t before = 0;
    const auto worth = [&](std::int64_t nonrelevant) {
        return nonrelevant == 0 ? 1 : 1 - static_cast<double>(std::min(nonrelevant, total)) / bound;
    };
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t relevant = relevant_in(r, s, g);
        std::int64_t nonrelevant = 0;
        for (std::size_t h = g.first; h < g.last; ++h)
            nonrelevant += s.is_judged(r.codes[h]) && !s.is_relevant(r.codes[h]);
        const std::int64_t inside = std::min(g.high, r.retrieved) - g.low + 1;
        if (relevant > 0 && inside == g.size()) {
            double mean = 0;
            for (std::int64_t j = 0; j <= nonrelevant; ++j) mean += worth(before + j);
            sum += static_cast<double>(relevant) * mean / static_cast<double>(nonrelevant + 1);
        } else if (relevant > 0 && inside > 0) {
            DrawnSpecial drawn(g.size() - 1, nonrelevant);
            for (std::int64_t x = 0; x < inside; ++x) {
                double mean = 0;
                for (std::int64_t j = drawn.least(); j <= drawn.most(); ++j) mean += drawn[j] * worth(before + j);
                sum += static_cast<double>(relevant) / static_cast<double>(g.size()) * mean;
                if (x + 1 < inside) drawn.draw();
            }
        }
        before += nonrelevant;
    });
    return divide_by_relevant(sum, r, s);
}

// Given j judged documents above a relevant one in its group, the relevant among them are
// j(r-1)/J in the mean, and infAP's estimate is linear in that.
double inferred_ap(const Ranking& r, const Spec& s) {
    constexpr double epsilon = 0.00001;
    double sum = 0, relevant_before = 0, nonrelevant_before = 0, pooled_before = 0;
    for_each_group(r, [&](const TieGroup& g) {
        std::int64_t relevant = 0, nonrelevant = 0;
        for (std::size_t h = g.first; h < g.last; ++h) {
            relevant += s.is_relevant(r.codes[h]);
            nonrelevant += s.is_judged(r.codes[h]) && !s.is_relevant(r.codes[h]);
        }
        const std::int64_t pooled = static_cast<std::int64_t>(g.last - g.first);
        const std::int64_t m = g.size(), inside = std::min(g.high, r.retrieved) - g.low + 1;
        if (relevant > 0 && inside > 0) {
            const std::int64_t judged = relevant - 1 + nonrelevant;
            const double others = static_cast<double>(m - 1 - judged);  // neither, in the group
            const double unknown = static_cast<double>(pooled - 1 - judged);
            DrawnSpecial drawn(m - 1, judged);
            for (std::int64_t x = 0; x < inside; ++x) {
                double estimate = 0;
                if (g.low + x > 1)
                    for (std::int64_t j = drawn.least(); j <= drawn.most(); ++j) {
                        const double n = static_cast<double>(j);
                        const double found = judged == 0 ? 0 : n * static_cast<double>(relevant - 1) /
                                                                   static_cast<double>(judged);
                        const double share = (relevant_before + found + epsilon) /
                                             (relevant_before + nonrelevant_before + n + 2 * epsilon);
                        const double more = others == 0 ? 0 : (static_cast<double>(x) - n) * unknown / others;
                        estimate += drawn[j] * (pooled_before + n + more) * share;
                    }
                sum += static_cast<double>(relevant) / static_cast<double>(m) * (1 + estimate) /
                       static_cast<double>(g.low + x);
                if (x + 1 < inside) drawn.draw();
            }
        }
        relevant_before += static_cast<double>(relevant);
        nonrelevant_before += static_cast<double>(nonrelevant);
        pooled_before += static_cast<double>(pooled);
    });
    return divide_by_relevant(sum, r, s);
}

double q_measure(const Ranking& r, const Spec& s) {
    const double beta = s.parameters[0];
    const std::span<const double> best = ideal_gains(r, s);
    std::vector<double> ideal{0};
    for (const double gain : best) ideal.push_back(ideal.back() + gain);
    const auto ideal_at = [&](double rank) {
        return ideal[static_cast<std::size_t>(std::min(rank, static_cast<double>(ideal.size() - 1)))];
    };
    const std::int64_t depth = s.seen(r);
    double sum = 0, before = 0, gained_before = 0;
    for_each_group(r, [&](const TieGroup& g) {
        double relevant = 0, gains = 0;
        for (std::size_t h = g.first; h < g.last; ++h)
            if (s.is_relevant(r.codes[h])) {
                relevant += 1;
                gains += s.gain_of(r.codes[h]);
            }
        const std::int64_t high = std::min(g.high, depth);
        if (relevant > 0 && high >= g.low) {
            const double m = static_cast<double>(g.size()), low = static_cast<double>(g.low);
            const double a = relevant * (before + 1) + beta * (relevant * gained_before + gains);
            const double b = above(relevant * (relevant - 1) + beta * gains * (relevant - 1), g.size());
            sum += sum_over_ranks(g.low, high, [&](double i) {
                       return (a + b * (i - low)) / (i + beta * ideal_at(i));
                   }) / m;
        }
        before += relevant;
        gained_before += gains;
    });
    return divide_by_relevant(sum, r, s);
}

double graded_ap(const Ranking& r, const Spec& s) {
    const std::int64_t depth = s.seen(r);
    double sum = 0;
    std::vector<double> earlier, mine;
    const auto shared_with = [](const std::vector<double>& others, double gain) {
        double total = 0;
        for (const double other : others) total += std::min(other, gain);
        return total;
    };
    for_each_group(r, [&](const TieGroup& g) {
        mine.clear();
        for (std::size_t h = g.first; h < g.last; ++h)
            if (s.gain_of(r.codes[h]) > 0) mine.push_back(s.gain_of(r.codes[h]));
        const std::int64_t high = std::min(g.high, depth);
        if (!mine.empty() && high >= g.low) {
            double fixed = 0, pairs = 0;
            for (const double gain : mine) {
                fixed += gain + shared_with(earlier, gain);
                pairs += shared_with(mine, gain) - gain;
            }
            const double m = static_cast<double>(g.size());
            sum += sum_linear_over_rank(g.low, high, fixed / m, above(pairs / m, g.size()));
        }
        earlier.insert(earlier.end(), mine.begin(), mine.end());
    });
    double best = 0;
    for (const std::int32_t code : r.pool) best += s.gain_of(code);
    return best == 0 ? 0 : sum / best;
}

double binary_lagged_gain(const Ranking& r, const Spec& s) {
    double sum = 0;
    std::int64_t before = 0;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t relevant = relevant_in(r, s, g);
        const std::int64_t inside = std::min(g.high, r.retrieved) - g.low + 1;
        if (relevant > 0 && inside > 0) {
            DrawnSpecial drawn(g.size() - 1, relevant - 1);
            for (std::int64_t x = 0; x < inside; ++x) {
                double mean = 0;
                for (std::int64_t j = drawn.least(); j <= drawn.most(); ++j)
                    mean += drawn[j] / std::log2(static_cast<double>(2 + g.low + x - 1 - before - j));
                sum += static_cast<double>(relevant) / static_cast<double>(g.size()) * mean;
                if (x + 1 < inside) drawn.draw();
            }
        }
        before += relevant;
    });
    return divide_by_relevant(sum, r, s);
}

}  // namespace tare::expected
