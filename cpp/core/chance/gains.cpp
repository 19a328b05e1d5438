// Expected values of sums of gain × weight: the mean gain of a group times the sum of its weights.
#include "core/chance/expected.hpp"
#include "core/chance/tie_groups.hpp"

namespace tare::expected {
namespace {

template <class Gain>
double weighted(const Ranking& r, const Spec& s, std::int64_t depth, Gain&& gain_of) {
    double sum = 0;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t high = std::min(g.high, depth);
        if (high < g.low) return;
        double gains = 0;
        for (std::size_t h = g.first; h < g.last; ++h) gains += gain_of(r.codes[h]);
        if (gains == 0) return;
        // A single rank is read off, not taken as the difference of two sums.
        const double weights =
            g.low == high ? s.discount.at(high) : s.discount.sum(high) - s.discount.sum(g.low - 1);
        sum += gains / static_cast<double>(g.size()) * weights;
    });
    return sum;
}

double discounted(const Ranking& r, const Spec& s, std::int64_t depth) {
    return weighted(r, s, depth, [&](std::int32_t c) { return s.gain_of(c); });
}

}  // namespace

double discounted_gain(const Ranking& r, const Spec& s) { return discounted(r, s, s.seen(r)); }

double normalised_gain(const Ranking& r, const Spec& s) {
    const double ideal = kernels::ideal_discounted_gain(r, s);
    return ideal == 0 ? 0 : discounted(r, s, s.seen(r)) / ideal;
}

double scaled_gain(const Ranking& r, const Spec& s) {
    return discounted(r, s, s.seen(r)) / s.discount.sum(s.cutoff);
}

double rank_biased_precision(const Ranking& r, const Spec& s) {
    return (1 - s.parameters[0]) * discounted(r, s, s.seen(r));
}

double rank_biased_residual(const Ranking& r, const Spec& s) {
    const double known =
        weighted(r, s, s.seen(r), [&](std::int32_t c) { return s.is_judged(c) ? 1.0 : 0.0; });
    return std::max(0.0, 1 - (1 - s.parameters[0]) * known);
}

double insq(const Ranking& r, const Spec& s) {
    const auto depth = static_cast<std::int64_t>(s.parameters.back());
    return discounted(r, s, std::min(depth, r.retrieved)) / s.discount.sum(depth);
}

double ndcg_at_levels(const Ranking& r, const Spec& s) {
    if (relevant_in_pool(r, s) == 0) return 0;
    const std::span<const double> gains = ideal_gains(r, s);
    const std::vector<double> best(gains.begin(), gains.end());
    const auto n = static_cast<std::int64_t>(best.size());
    double sum = 0, points = 0, ideal = 0;
    for (std::int64_t b = 1; b <= n; ++b) {
        const auto i = static_cast<std::size_t>(b);
        ideal += best[i - 1] * s.discount.at(b);
        if (b < n && best[i] == best[i - 1]) continue;
        sum += discounted(r, s, std::min(b, r.retrieved)) / ideal;
        points += 1;
    }
    if (n > 0 && r.retrieved > n + 1) {
        sum += discounted(r, s, r.retrieved) / ideal;
        points += 1;
    }
    return points == 0 ? 0 : sum / points;
}

}  // namespace tare::expected
