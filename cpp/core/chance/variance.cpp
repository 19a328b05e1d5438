// Variances. Three kinds: sums of weight × gain, where the variance of a group is that of a random
// assignment of gains to weights; a few measures whose second moment can be written down; the rest.
#include "core/chance/variance.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "core/chance/expected.hpp"
#include "core/chance/harmonic.hpp"
#include "core/chance/hypergeometric.hpp"
#include "core/chance/tie_groups.hpp"

namespace tare {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }
double square(double x) { return x * x; }

// Var Σ w_i g_π(i) = Σ(w - mean)²·Σ(g - mean)²/(m-1), group by group, both sums over all m ranks
// and documents. `spread(low, high, m)` gives the first, for weights that are 0 outside low…high;
// `gain_of` the gain of a code, unjudged documents gain `unjudged`.
template <class Gain, class Spread>
double linear_variance(const Ranking& r, std::int64_t depth, Gain&& gain_of, double unjudged,
                       Spread&& spread) {
    double variance = 0;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t high = std::min(g.high, depth);
        if (high < g.low || g.size() == 1) return;
        const double m = as_double(g.size()),
                     known = as_double(static_cast<std::int64_t>(g.last - g.first));
        double sum = 0;
        for (std::size_t h = g.first; h < g.last; ++h) sum += gain_of(r.codes[h]) - unjudged;
        const double mean = sum / m;  // above that of an unjudged document
        double squares = (m - known) * mean * mean;
        for (std::size_t h = g.first; h < g.last; ++h)
            squares += square(gain_of(r.codes[h]) - unjudged - mean);
        variance += spread(g.low, high, m) * squares / (m - 1);
    });
    return variance;
}

double spread_of_ones(std::int64_t low, std::int64_t high, double m) {
    const double k = as_double(high - low + 1);
    return k * (m - k) / m;
}

auto spread_of_discounts(const Spec& s) {
    return [&s](std::int64_t low, std::int64_t high, double m) {
        if (low == high) return square(s.discount.at(low)) * (m - 1) / m;
        const double sum = s.discount.sum(high) - s.discount.sum(low - 1);
        const double squares = s.discount.sum_of_squares(high) - s.discount.sum_of_squares(low - 1);
        return std::fmax(0, squares - sum * sum / m);
    };
}

double relevant_count(const Ranking& r, const Spec& s, std::int64_t depth) {
    return linear_variance(
        r, std::min(depth, r.retrieved),
        [&](std::int32_t c) { return s.is_relevant(c) ? 1.0 : 0.0; }, 0, spread_of_ones);
}

double gain_sum(const Ranking& r, const Spec& s, std::int64_t depth) {
    return linear_variance(
        r, depth, [&](std::int32_t c) { return s.gain_of(c); }, 0, spread_of_discounts(s));
}

using Result = std::optional<double>;

Result none_at_all(const Ranking&, const Spec&) { return 0.0; }

Result scaled(double variance, double divisor) {
    return divisor == 0 ? 0.0 : variance / square(divisor);
}

Result precision(const Ranking& r, const Spec& s) {
    return scaled(relevant_count(r, s, s.cutoff), as_double(s.cutoff));
}
Result relative_precision(const Ranking& r, const Spec& s) {
    return scaled(relevant_count(r, s, s.cutoff),
                  as_double(std::min(s.cutoff, relevant_in_pool(r, s))));
}
Result recall(const Ranking& r, const Spec& s) {
    return scaled(relevant_count(r, s, s.depth()), as_double(relevant_in_pool(r, s)));
}
Result f_measure(const Ranking& r, const Spec& s) {
    const double weight = square(s.parameters[0]), total = as_double(relevant_in_pool(r, s));
    if (total == 0) return 0.0;
    return scaled(relevant_count(r, s, s.cutoff),
                  (weight * total + as_double(s.cutoff)) / (1 + weight));
}
Result r_precision(const Ranking& r, const Spec& s) {
    const auto depth =
        static_cast<std::int64_t>(s.parameters[0] * as_double(relevant_in_pool(r, s)) + 0.9);
    return scaled(relevant_count(r, s, depth), as_double(depth));
}
Result judged_share(const Ranking& r, const Spec& s) {
    const double variance =
        linear_variance(r, s.seen(r), [](std::int32_t) { return 1.0; }, 0, spread_of_ones);
    return scaled(variance, as_double(s.seen(r)));
}
Result unjudged(const Ranking& r, const Spec& s) {
    const double variance = linear_variance(
        r, s.seen(r), [&](std::int32_t c) { return s.is_judged(c) ? 0.0 : 1.0; }, 1,
        spread_of_ones);
    return scaled(variance, as_double(s.cutoff));
}
Result num_rel_ret(const Ranking& r, const Spec& s) { return relevant_count(r, s, r.retrieved); }
Result num_nonrel_ret(const Ranking& r, const Spec& s) {
    return linear_variance(
        r, r.retrieved,
        [&](std::int32_t c) { return s.is_judged(c) && !s.is_relevant(c) ? 1.0 : 0.0; }, 0,
        spread_of_ones);
}
Result set_precision(const Ranking& r, const Spec& s) {
    return scaled(relevant_count(r, s, r.retrieved), as_double(r.retrieved));
}
Result set_relative_precision(const Ranking& r, const Spec& s) {
    return scaled(relevant_count(r, s, r.retrieved),
                  as_double(std::min(r.retrieved, relevant_in_pool(r, s))));
}
Result set_recall(const Ranking& r, const Spec& s) {
    return scaled(relevant_count(r, s, r.retrieved), as_double(relevant_in_pool(r, s)));
}
Result set_f(const Ranking& r, const Spec& s) {
    const double total = as_double(relevant_in_pool(r, s)), beta = s.parameters[0];
    if (total == 0) return 0.0;
    return scaled(relevant_count(r, s, r.retrieved),
                  (beta * total + as_double(r.retrieved)) / (1 + beta));
}
Result utility(const Ranking& r, const Spec& s) {
    const auto& w = s.parameters;
    return square(w[0] - w[1] - w[2] + w[3]) * relevant_count(r, s, r.retrieved);
}
// Only the group that the cutoff divides leaves anything to luck, and that only if none before it
// has a relevant document.
Result success(const Ranking& r, const Spec& s) {
    const std::int64_t depth = s.seen(r);
    double variance = 0;
    bool found = false;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t inside = std::min(g.high, depth) - g.low + 1,
                           relevant = relevant_in(r, s, g);
        if (inside > 0 && inside < g.size() && !found) {
            const double log_none = log_probability_of_none(g.size(), relevant, inside);
            variance = std::exp(log_none) * -std::expm1(log_none);
        }
        found = found || relevant > 0;
    });
    return variance;
}
Result discounted_gain(const Ranking& r, const Spec& s) { return gain_sum(r, s, s.seen(r)); }
Result normalised_gain(const Ranking& r, const Spec& s) {
    return scaled(gain_sum(r, s, s.seen(r)), kernels::ideal_discounted_gain(r, s));
}
Result scaled_gain(const Ranking& r, const Spec& s) {
    return scaled(gain_sum(r, s, s.seen(r)), s.discount.sum(s.cutoff));
}
Result rank_biased_precision(const Ranking& r, const Spec& s) {
    return square(1 - s.parameters[0]) * gain_sum(r, s, s.seen(r));
}
Result rank_biased_residual(const Ranking& r, const Spec& s) {
    const double variance = linear_variance(
        r, s.seen(r), [&](std::int32_t c) { return s.is_judged(c) ? 1.0 : 0.0; }, 0,
        spread_of_discounts(s));
    return square(1 - s.parameters[0]) * variance;
}
// nDCG at several ranks, each with the same share: the discount times a factor that drops at each.
Result ndcg_at_levels(const Ranking& r, const Spec& s) {
    if (relevant_in_pool(r, s) == 0) return 0.0;
    const std::span<const double> gains = ideal_gains(r, s);
    const auto n = static_cast<std::int64_t>(gains.size());
    std::vector<std::pair<std::int64_t, double>> points;  // rank, 1/ideal there
    double ideal = 0;
    for (std::int64_t b = 1; b <= n; ++b) {
        const auto i = static_cast<std::size_t>(b);
        ideal += gains[i - 1] * s.discount.at(b);
        if (b == n || gains[i] != gains[i - 1])
            points.emplace_back(std::min(b, r.retrieved), 1 / ideal);
    }
    if (n > 0 && r.retrieved > n + 1) points.emplace_back(r.retrieved, 1 / ideal);
    for (std::size_t i = points.size(); i-- > 1;) points[i - 1].second += points[i].second;
    const auto spread = [&](std::int64_t low, std::int64_t high, double m) {
        double sum = 0, squares = 0;
        std::int64_t before = low - 1;
        for (const auto& [rank, factor] : points) {
            const std::int64_t end = std::min(rank, high);
            if (end <= before) continue;
            sum += factor * (s.discount.sum(end) - s.discount.sum(before));
            squares += square(factor) *
                       (s.discount.sum_of_squares(end) - s.discount.sum_of_squares(before));
            before = end;
        }
        return std::fmax(0, squares - sum * sum / m);
    };
    const double variance =
        linear_variance(r, r.retrieved, [&](std::int32_t c) { return s.gain_of(c); }, 0, spread);
    return scaled(variance, as_double(static_cast<std::int64_t>(points.size())));
}

// Every order of the whole set is worth the same.
Result set_ap(const Ranking& r, const Spec&) {
    bool divided = false;
    for_each_group(r, [&](const TieGroup& g) {
        divided = divided || (g.low <= r.retrieved && r.retrieved < g.high);
    });
    return divided ? std::nullopt : Result{0.0};
}

Result insq(const Ranking& r, const Spec& s) {
    const auto depth = static_cast<std::int64_t>(s.parameters.back());
    return scaled(gain_sum(r, s, std::min(depth, r.retrieved)), s.discount.sum(depth));
}

// The moments below are those of one group that begins at rank 1: the random ranking of a pool.
const TieGroup* only_group(const Ranking& r, TieGroup& out) {
    int groups = 0;
    for_each_group(r, [&](const TieGroup& g) {
        out = g;
        ++groups;
    });
    return groups == 1 && out.low == 1 ? &out : nullptr;
}

// Σ_j P(first relevant at j)(1/j - mean)², and what it is where none is seen.
Result reciprocal_rank(const Ranking& r, const Spec& s) {
    TieGroup g{};
    if (only_group(r, g) == nullptr) return std::nullopt;
    const std::int64_t relevant = relevant_in(r, s, g), m = g.size(), last = std::min(m, s.seen(r));
    if (relevant == 0) return 0.0;
    const double mean = expected::reciprocal_rank(r, s);
    return sum_over_first(m, relevant, last, [&](double j) { return square(1 / j - mean); }) +
           std::exp(log_probability_of_none(m, relevant, last)) * mean * mean;
}

// The first group with a relevant document decides: r(m+1)(m-r)/((r+1)²(r+2)).
Result first_rank(const Ranking& r, const Spec& s) {
    if (!std::isfinite(expected::first_rank(r, s))) return std::numeric_limits<double>::quiet_NaN();
    double variance = 0;
    bool done = false;
    for_each_group(r, [&](const TieGroup& g) {
        const double k = as_double(relevant_in(r, s, g)), m = as_double(g.size());
        if (done || k == 0) return;
        done = true;
        variance = k * (m + 1) * (m - k) / (square(k + 1) * (k + 2));
    });
    return variance;
}

// SP = Σ_j (1/j)(y_j + Σ_{i<j} y_i·y_j), y_i whether rank i is relevant. The covariances of
// products of y depend only on how many different ranks they hold; p_t is the probability that t
// given ranks are all relevant. Differences of those that nearly cancel are written out.
Result sum_of_precision(const Ranking& r, const Spec& s) {
    TieGroup g{};
    if (only_group(r, g) == nullptr) return std::nullopt;
    const double relevant = as_double(relevant_in(r, s, g)), n = as_double(g.size()),
                 others = n - relevant;
    const std::int64_t depth = std::min(g.high, s.seen(r));
    double p[5] = {1, 0, 0, 0, 0};
    for (int t = 1; t <= 4; ++t)
        p[t] = n - t + 1 > 0 ? p[t - 1] * std::fmax(0, relevant - t + 1) / (n - t + 1) : 0;
    const double p3_p1p2 = n > 2 ? -2 * p[2] * others / (n * (n - 2)) : 0;
    const double p4_p2p2 = n > 3 ? p[2] * others * (6 * (n + relevant - 1) - 4 * relevant * n) /
                                       (n * (n - 1) * (n - 2) * (n - 3))
                                 : 0;
    const double p1_p1p1 = p[1] * others / n;
    const auto term = [&](double j, double harmonic_before) {  // H_{j-1}
        const double x = j - 1;
        const double same = p1_p1p1 + x * (3 * p[2] - 2 * p[1] * p[2] - p[2] * p[2]) +
                            x * (x - 1) * (p[3] - p[2] * p[2]);
        const double single = 2 * p[2] - p[1] * p[1] - p[1] * p[2] + (j - 2) * p3_p1p2;
        const double pair = 3 * p[3] - p[1] * p[2] - 2 * p[2] * p[2] + (j - 3) * p4_p2p2;
        return same / (j * j) + 2 / j * (single * harmonic_before + pair * (x - harmonic_before));
    };
    constexpr std::int64_t counted = 1 << 15;
    double variance = 0, h = 0;
    for (std::int64_t j = 1; j <= std::min(depth, counted); ++j) {
        variance += term(as_double(j), h);
        h += 1 / as_double(j);
    }
    if (depth > counted)
        variance +=
            smooth_sum(counted + 1, depth, [&](double j) { return term(j, harmonic(j) - 1 / j); });
    return std::fmax(0, variance);
}

Result average_precision(const Ranking& r, const Spec& s) {
    const Result variance = sum_of_precision(r, s);
    if (!variance) return variance;
    return scaled(*variance, as_double(relevant_in_pool(r, s)));
}

// For two relevant documents among N non-relevant ones, the pairs (a ≤ b) of how many stand above
// each are all equally likely.
Result bpref(const Ranking& r, const Spec& s) {
    TieGroup g{};
    if (only_group(r, g) == nullptr || r.retrieved < g.high) return std::nullopt;
    const std::int64_t total = relevant_in_pool(r, s), relevant = relevant_in(r, s, g);
    if (total == 0) return 0.0;
    std::int64_t n = 0;
    for (std::size_t h = g.first; h < g.last; ++h)
        n += s.is_judged(r.codes[h]) && !s.is_relevant(r.codes[h]);
    const double bound = as_double(std::min(nonrelevant_in_pool(r, s), total));
    const auto worth = [&](std::int64_t m) {
        return m == 0 ? 1 : 1 - as_double(std::min(m, total)) / bound;
    };
    double mean = 0;
    for (std::int64_t m = 0; m <= n; ++m) mean += worth(m);
    mean /= as_double(n + 1);
    double squares = 0, pairs = 0, before = 0;
    for (std::int64_t m = 0; m <= n; ++m) {
        const double above = worth(m) - mean;
        before += above;
        squares += above * above;
        pairs += above * before;
    }
    squares /= as_double(n + 1);
    pairs /= as_double(n + 1) * as_double(n + 2) / 2;
    const double count = as_double(relevant);
    return std::fmax(0, (count * squares + count * (count - 1) * pairs) / square(as_double(total)));
}

// Pairs in the right order: the Mann–Whitney statistic.
Result accuracy(const Ranking& r, const Spec& s) {
    TieGroup g{};
    if (only_group(r, g) == nullptr || s.seen(r) < g.high) return std::nullopt;
    const double relevant = as_double(relevant_in(r, s, g)), n = as_double(g.size());
    const double others = n - relevant;
    return relevant == 0 || others == 0 ? 0 : (n + 1) / (12 * relevant * others);
}

// A[a][b] = E of the product of q² over a documents and q over b others, q = 1-θ; documents are
// added one by one, and every term is positive.
Result expected_reciprocal_rank(const Ranking& r, const Spec& s) {
    TieGroup g{};
    if (only_group(r, g) == nullptr) return std::nullopt;
    const std::int64_t n = g.size(), depth = std::min(g.high, s.seen(r));
    if (depth > 60 || n > 20000) return std::nullopt;
    const auto k = static_cast<std::size_t>(depth) + 1;
    std::vector<double> table(k * k, 0);
    const auto at = [&](std::size_t a, std::size_t b) -> double& { return table[a * k + b]; };
    at(0, 0) = 1;
    double documents = 0;
    const auto add = [&](double q) {
        documents += 1;
        for (std::size_t a = k; a-- > 0;)
            for (std::size_t b = k - a; b-- > 0;) {
                const double taken = static_cast<double>(a + b);
                if (taken > documents) continue;
                double value = (documents - taken) * at(a, b);
                if (a > 0) value += static_cast<double>(a) * q * q * at(a - 1, b);
                if (b > 0) value += static_cast<double>(b) * q * at(a, b - 1);
                at(a, b) = value / documents;
            }
    };
    for (std::size_t h = g.first; h < g.last; ++h) add(1 - s.gain_of(r.codes[h]));
    for (std::int64_t rest = n - static_cast<std::int64_t>(g.last - g.first); rest > 0; --rest)
        add(1);
    double second = 0;
    for (std::size_t i = 1; i < k; ++i) {
        const double x = static_cast<double>(i);
        second += (at(i - 1, 0) - 2 * at(i - 1, 1) + at(i, 0)) / (x * x);
        for (std::size_t j = i + 1; j < k; ++j)
            second +=
                2 *
                ((at(i - 1, j - i) - at(i, j - i - 1)) - (at(i - 1, j - i + 1) - at(i, j - i))) /
                (x * static_cast<double>(j));
    }
    const double mean = expected::expected_reciprocal_rank(r, s);
    return std::fmax(0, second - mean * mean);
}

Result normalised_err(const Ranking& r, const Spec& s) {
    const Result variance = expected_reciprocal_rank(r, s);
    if (!variance) return variance;
    return scaled(*variance, kernels::ideal_err(r, s));
}

}  // namespace

VarianceKernel find_variance(std::string_view name) {
    struct Entry {
        std::string_view name;
        VarianceKernel variance;
    };
    static constexpr Entry entries[] = {
        {"P", precision},
        {"RelP", relative_precision},
        {"Recall", recall},
        {"F", f_measure},
        {"Success", success},
        {"Rprec", r_precision},
        {"Judged", judged_share},
        {"Unjudged", unjudged},
        {"Accuracy", accuracy},
        {"NumRet", none_at_all},
        {"NumRel", none_at_all},
        {"NumRelRet", num_rel_ret},
        {"NumNonrelRet", num_nonrel_ret},
        {"setP", set_precision},
        {"setRelP", set_relative_precision},
        {"setR", set_recall},
        {"setF", set_f},
        {"setAP", set_ap},
        {"Utility", utility},
        {"RR", reciprocal_rank},
        {"MeanRank", first_rank},
        {"SP", sum_of_precision},
        {"AP", average_precision},
        {"bpref", bpref},
        {"DCG", discounted_gain},
        {"IDCG", none_at_all},
        {"nDCG", normalised_gain},
        {"SDCG", scaled_gain},
        {"RBP", rank_biased_precision},
        {"RBPresidual", rank_biased_residual},
        {"RnDCG", ndcg_at_levels},
        {"INSQ", insq},
        {"ERR", expected_reciprocal_rank},
        {"nERR", normalised_err},
    };
    for (const Entry& entry : entries)
        if (entry.name == name) return entry.variance;
    return nullptr;
}

}  // namespace tare
