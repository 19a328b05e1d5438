#include "core/measures/evaluate.hpp"

#include "core/threads.hpp"

namespace tare {

Ranking Rankings::operator[](std::size_t q) const {
    const auto first = static_cast<std::size_t>(offsets[q]);
    const auto count = static_cast<std::size_t>(offsets[q + 1]) - first;
    const auto pool_first = static_cast<std::size_t>(pool_offsets[q]);
    const auto pool_count = static_cast<std::size_t>(pool_offsets[q + 1]) - pool_first;
    Ranking r;
    r.ranks = ranks.subspan(first, count);
    r.codes = codes.subspan(first, count);
    if (!lows.empty()) {
        r.lows = lows.subspan(first, count);
        r.highs = highs.subspan(first, count);
        r.ranks = r.lows;  // the same where ties are broken, and wide enough for any corpus
    }
    r.retrieved = retrieved[q];
    r.pool = pool.subspan(pool_first, pool_count);
    return r;
}

namespace {

// Whether some judged document shares its range of ranks with another document.
bool has_ties(const Ranking& r) {
    for (std::size_t h = 0; h < r.lows.size(); ++h)
        if (r.lows[h] != r.highs[h]) return true;
    return false;
}

}  // namespace

Values evaluate(const Rankings& rankings, std::span<const MeasureKernel> measures,
                const OrderOptions& options, unsigned threads) {
    const std::size_t n = rankings.size();
    Values out;
    out.values.assign(measures.size() * n, 0);
    out.errors.assign(measures.size() * n, 0);
    for_each_index(n, threads, 64, [&](std::size_t q) {
        const Ranking r = rankings[q];
        const bool tied = has_ties(r);
        for (std::size_t m = 0; m < measures.size(); ++m) {
            const MeasureKernel& k = measures[m];
            double& value = out.values[m * n + q];
            if (!tied) {
                value = k.value(r, k.spec);
            } else if (k.expected != nullptr) {
                value = k.expected(r, k.spec);
            } else {
                const OrderMean mean =
                    over_orders(r, k.spec, k.value, options, rankings.streams[q]);
                value = mean.mean;
                out.errors[m * n + q] = mean.error;
            }
        }
    });
    return out;
}

Spread spread(const Rankings& rankings, std::span<const MeasureKernel> measures,
              const OrderOptions& options, unsigned threads) {
    const std::size_t n = rankings.size();
    Spread out;
    out.variances.assign(measures.size() * n, 0);
    out.variance_errors.assign(measures.size() * n, 0);
    for_each_index(n, threads, 16, [&](std::size_t q) {
        const Ranking r = rankings[q];
        if (!has_ties(r)) return;
        for (std::size_t m = 0; m < measures.size(); ++m) {
            const MeasureKernel& k = measures[m];
            if (k.variance != nullptr) {
                if (const auto exact = k.variance(r, k.spec)) {
                    out.variances[m * n + q] = *exact;
                    continue;
                }
            }
            const OrderMean moments = over_orders(r, k.spec, k.value, options, rankings.streams[q]);
            out.variances[m * n + q] = moments.variance;
            out.variance_errors[m * n + q] = moments.variance_error;
        }
    });
    return out;
}

Values thirds(const Rankings& rankings, std::span<const MeasureKernel> measures,
              const OrderOptions& options, unsigned threads) {
    const std::size_t n = rankings.size();
    Values out;
    out.values.assign(measures.size() * n, 0);
    out.errors.assign(measures.size() * n, 0);
    for_each_index(n, threads, 16, [&](std::size_t q) {
        const Ranking r = rankings[q];
        if (!has_ties(r)) return;
        for (std::size_t m = 0; m < measures.size(); ++m) {
            const MeasureKernel& k = measures[m];
            if (k.third != nullptr) {
                if (const auto exact = k.third(r, k.spec)) {
                    out.values[m * n + q] = *exact;
                    continue;
                }
            }
            const OrderMean moments = over_orders(r, k.spec, k.value, options, rankings.streams[q]);
            out.values[m * n + q] = moments.third;
            out.errors[m * n + q] = moments.third_error;
        }
    });
    return out;
}

Values tail_probabilities(const Rankings& rankings, std::span<const MeasureKernel> measures,
                          std::span<const double> observed, const OrderOptions& options,
                          unsigned threads) {
    const std::size_t n = rankings.size();
    Values out;
    out.values.assign(measures.size() * n, 1);
    out.errors.assign(measures.size() * n, 0);
    for_each_index(n, threads, 16, [&](std::size_t q) {
        const Ranking r = rankings[q];
        if (!has_ties(r)) return;
        for (std::size_t m = 0; m < measures.size(); ++m) {
            const Tail tail =
                probability_at_least(r, measures[m].spec, measures[m].value, observed[m * n + q],
                                     options, rankings.streams[q]);
            out.values[m * n + q] = tail.probability;
            out.errors[m * n + q] = tail.error;
        }
    });
    return out;
}

}  // namespace tare
