// Expected values of the measures of the positions of relevant documents. In a group of m ranks
// from `low` on, a rank holds a given document with probability 1/m, and any other given document
// is among the x ranks above it in the group with probability x/(m-1).
#include <cmath>
#include <limits>
#include <numeric>

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
    return sum_over_ranks(low, high,
                          [=](double i) { return (a + b * (i - static_cast<double>(low))) / i; });
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
        value = sum_over_first(m, relevant, last,
                               [&](double j) { return 1 / (static_cast<double>(g.low - 1) + j); });
    });
    return value;
}

// The first of r among m has mean rank (m+1)/(r+1); infinite if it may not be retrieved.
double first_rank(const Ranking& r, const Spec& s) {
    using limits = std::numeric_limits<double>;
    double value = relevant_in_pool(r, s) == 0 ? limits::quiet_NaN() : limits::infinity();
    bool done = false;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t relevant = relevant_in(r, s, g);
        if (done || relevant == 0) return;
        done = true;
        if (g.high - relevant + 1 > r.retrieved) return;
        value = static_cast<double>(g.low - 1) +
                static_cast<double>(g.size() + 1) / static_cast<double>(relevant + 1);
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
            sum += share *
                   sum_linear_over_rank(g.low, high, before + 1, above(relevant - 1, g.size()));
        }
        before += relevant;
    });
    return sum;
}

double average_precision(const Ranking& r, const Spec& s) {
    return divide_by_relevant(sum_of_precision(r, s), r, s);
}

// Of the group's N non-relevant documents, 0…N are above a given relevant one, equally likely.
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
            const double worths = sum_over_drawn(
                g.size() - 1, nonrelevant, inside - 1,
                [&](double, double j) { return worth(before + static_cast<std::int64_t>(j)); });
            sum += static_cast<double>(relevant) / static_cast<double>(g.size()) * worths;
        }
        before += nonrelevant;
    });
    return divide_by_relevant(sum, r, s);
}

// Given j judged documents above a relevant one in its group, the relevant among them are
// j(r-1)/J on average, and infAP's estimate is linear in that.
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
            const double before = static_cast<double>(g.low - 1);
            const double rate =
                judged == 0 ? 0 : static_cast<double>(relevant - 1) / static_cast<double>(judged);
            const double terms = sum_over_drawn(m - 1, judged, inside - 1, [&](double x, double j) {
                if (before + x == 0) return 1.0;
                const double share = (relevant_before + j * rate + epsilon) /
                                     (relevant_before + nonrelevant_before + j + 2 * epsilon);
                const double more = others == 0 ? 0 : (x - j) * unknown / others;
                return (1 + (pooled_before + j + more) * share) / (before + x + 1);
            });
            sum += static_cast<double>(relevant) / static_cast<double>(m) * terms;
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
        return ideal[static_cast<std::size_t>(
            std::min(rank, static_cast<double>(ideal.size() - 1)))];
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
            const double b =
                above(relevant * (relevant - 1) + beta * gains * (relevant - 1), g.size());
            const auto rough =
                static_cast<std::int64_t>(ideal.size());  // the ideal gain grows to here
            sum += sum_over_ranks(
                       g.low, high,
                       [&](double i) { return (a + b * (i - low)) / (i + beta * ideal_at(i)); },
                       rough) /
                   m;
        }
        before += relevant;
        gained_before += gains;
    });
    return divide_by_relevant(sum, r, s);
}

double graded_ap(const Ranking& r, const Spec& s) {
    const std::int64_t depth = s.seen(r);
    double sum = 0;
    std::vector<double> earlier, mine, sums;
    // Σ min(gain, other) over all pairs of one of `mine` and one of `others`, both ascending.
    const auto shared = [&sums](const std::vector<double>& mine,
                                const std::vector<double>& others) {
        sums.assign(1, 0);
        for (const double other : others) sums.push_back(sums.back() + other);
        double total = 0;
        std::size_t below = 0;
        for (const double gain : mine) {
            while (below < others.size() && others[below] <= gain) ++below;
            total += sums[below] + gain * static_cast<double>(others.size() - below);
        }
        return total;
    };
    for_each_group(r, [&](const TieGroup& g) {
        mine.clear();
        for (std::size_t h = g.first; h < g.last; ++h)
            if (s.gain_of(r.codes[h]) > 0) mine.push_back(s.gain_of(r.codes[h]));
        const std::int64_t high = std::min(g.high, depth);
        if (!mine.empty() && high >= g.low) {
            std::sort(mine.begin(), mine.end());
            const double own = std::accumulate(mine.begin(), mine.end(), 0.0);
            const double fixed = own + shared(mine, earlier), pairs = shared(mine, mine) - own;
            const double m = static_cast<double>(g.size());
            sum += sum_linear_over_rank(g.low, high, fixed / m, above(pairs / m, g.size()));
        }
        const auto middle = static_cast<std::ptrdiff_t>(earlier.size());
        earlier.insert(earlier.end(), mine.begin(), mine.end());
        std::inplace_merge(earlier.begin(), earlier.begin() + middle, earlier.end());
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
            const double others_before = static_cast<double>(g.low - 1 - before);
            const double terms = sum_over_drawn(
                g.size() - 1, relevant - 1, inside - 1,
                [&](double x, double j) { return 1 / std::log2(2 + others_before + x - j); });
            sum += static_cast<double>(relevant) / static_cast<double>(g.size()) * terms;
        }
        before += relevant;
    });
    return divide_by_relevant(sum, r, s);
}

}  // namespace tare::expected
