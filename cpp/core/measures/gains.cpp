// Measures that add up gains by rank: CG, DCG, nDCG, RBP, and trec_eval's relatives of nDCG.
#include <cmath>

#include "core/measures/kernels.hpp"

namespace tare {

std::span<const double> ideal_gains(const Ranking& r, const Spec& s) {
    thread_local std::vector<double> gains;
    gains.clear();
    bool descending = true;
    for (const std::int32_t code : r.pool) {
        const double gain = s.gain_of(code);
        if (gain <= 0) continue;
        descending = descending && (gains.empty() || gains.back() >= gain);
        gains.push_back(gain);
    }
    if (!descending) std::sort(gains.begin(), gains.end(), std::greater<>{});
    return gains;
}

namespace kernels {
namespace {

double discounted(const Ranking& r, const Spec& s, std::int64_t depth) {
    double sum = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= depth; ++h)
        sum += s.discount.weighted(s.gain_of(r.codes[h]), r.ranks[h]);
    return sum;
}

double ideal_discounted(std::span<const double> gains, const Spec& s, std::int64_t depth) {
    double sum = 0;
    for (std::size_t i = 0; i < gains.size() && static_cast<std::int64_t>(i) < depth; ++i)
        sum += s.discount.weighted(gains[i], static_cast<std::int64_t>(i) + 1);
    return sum;
}

}  // namespace

double discounted_gain(const Ranking& r, const Spec& s) { return discounted(r, s, s.seen(r)); }

double ideal_discounted_gain(const Ranking& r, const Spec& s) {
    return ideal_discounted(ideal_gains(r, s), s, s.depth());
}

double normalised_gain(const Ranking& r, const Spec& s) {
    const double ideal = ideal_discounted_gain(r, s);
    return ideal == 0 ? 0 : discounted(r, s, s.seen(r)) / ideal;
}

// The sum of the weights down to the cutoff is what a ranking of perfect documents earns.
double scaled_gain(const Ranking& r, const Spec& s) {
    return discounted(r, s, s.seen(r)) / s.discount.sum(s.cutoff);
}

double rank_biased_precision(const Ranking& r, const Spec& s) {
    return (1 - s.parameters[0]) * discounted(r, s, s.seen(r));
}

double rank_biased_residual(const Ranking& r, const Spec& s) {
    const double p = s.parameters[0];
    const std::int64_t seen = s.seen(r);
    double known = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= seen; ++h)
        if (s.is_judged(r.codes[h])) known += s.discount.at(r.ranks[h]);
    return std::max(0.0, 1 - (1 - p) * known);
}

// trec_eval's: the mean of nDCG at the ranks of relevant documents, the missing ones at the end.
double ndcg_at_relevant(const Ranking& r, const Spec& s) {
    const std::span<const double> best = ideal_gains(r, s);
    if (best.empty()) return 0;
    double sum = 0, gained = 0, ideal = 0;
    std::size_t reached = 0, found = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= r.retrieved; ++h) {
        const double gain = s.gain_of(r.codes[h]);
        if (gain == 0) continue;
        gained += s.discount.weighted(gain, r.ranks[h]);
        if (gain < 0) continue;
        for (; reached < best.size() && reached < static_cast<std::size_t>(r.ranks[h]); ++reached)
            ideal += s.discount.weighted(best[reached], static_cast<std::int64_t>(reached) + 1);
        sum += gained / ideal;
        ++found;
    }
    const double all = ideal_discounted(best, s, s.depth());
    sum += (static_cast<double>(best.size()) - static_cast<double>(found)) *
           discounted(r, s, r.retrieved) / all;
    return sum > 0 ? sum / static_cast<double>(best.size()) : 0;
}

// trec_eval's: the mean of nDCG at the ranks where the ideal gain drops, and at the end of the run.
double ndcg_at_levels(const Ranking& r, const Spec& s) {
    if (relevant_in_pool(r, s) == 0) return 0;
    const std::span<const double> best = ideal_gains(r, s);
    const auto n = static_cast<std::int64_t>(best.size());
    double sum = 0, points = 0;
    for (std::int64_t b = 1; b <= n; ++b) {
        const auto i = static_cast<std::size_t>(b);
        if (b < n && best[i] == best[i - 1]) continue;
        sum += discounted(r, s, std::min(b, r.retrieved)) / ideal_discounted(best, s, b);
        points += 1;
    }
    if (n > 0 && r.retrieved > n + 1) {
        sum += discounted(r, s, r.retrieved) / ideal_discounted(best, s, n);
        points += 1;
    }
    return points == 0 ? 0 : sum / points;
}

// trec_eval's G: a gain is discounted by how far the gains so far lag behind the ideal ones.
double lagged_gain(const Ranking& r, const Spec& s) {
    const std::span<const double> best = ideal_gains(r, s);
    double total = 0;
    for (const double gain : best) total += gain;
    if (total == 0) return 0;
    double sum = 0, gained = 0, ideal = 0;
    std::int64_t reached = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= r.retrieved; ++h) {
        const double gain = s.gain_of(r.codes[h]);
        if (gain == 0) continue;
        for (; reached < std::min(r.ranks[h], static_cast<std::int64_t>(best.size())); ++reached)
            ideal += std::max(1.0, best[static_cast<std::size_t>(reached)]);
        ideal += static_cast<double>(r.ranks[h] - reached);
        reached = r.ranks[h];
        gained += gain;
        sum += gain / std::log2(2 + ideal - gained);
    }
    return sum / total;
}

// trec_eval's binG: a relevant document is discounted by the non-relevant ones above it.
double binary_lagged_gain(const Ranking& r, const Spec& s) {
    const std::int64_t total = relevant_in_pool(r, s);
    if (total == 0) return 0;
    double sum = 0;
    std::int64_t found = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= r.retrieved; ++h) {
        if (!s.is_relevant(r.codes[h])) continue;
        sum += 1 / std::log2(static_cast<double>(2 + r.ranks[h] - 1 - found));
        ++found;
    }
    return sum / static_cast<double>(total);
}

}  // namespace kernels
}  // namespace tare
