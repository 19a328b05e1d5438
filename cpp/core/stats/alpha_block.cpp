#include "core/stats/alpha_block.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/chance/random.hpp"
#include "core/stats/alpha_distance.hpp"
#include "core/wide.hpp"

namespace tare {

namespace {

using Lanes = double[LANES];

// GCC would take two units at a time, and then no longer finds the vectors.
#if defined(__GNUC__) && !defined(__clang__)
#define TARE_ONE_BY_ONE _Pragma("GCC unroll 1")
#else
#define TARE_ONE_BY_ONE
#endif

// How often a value is drawn, with the units that have it.
TARE_WIDE void tally(std::span<const std::size_t> units, const std::int32_t* weights, double* to) {
    std::int32_t sum[LANES] = {};
    TARE_ONE_BY_ONE for (const std::size_t u : units) {
        const std::int32_t* w = weights + u * LANES;
        for (std::size_t l = 0; l < LANES; ++l) sum[l] += w[l];
    }
    std::copy_n(sum, LANES, to);
}

// Σ weight · amount over the units; a unit that is not drawn adds nothing, however large its
// amount.
TARE_WIDE void observe(std::span<const std::size_t> kind, const std::int32_t* weights,
                       const double* amounts, double* to) {
    Lanes sum = {};
    TARE_ONE_BY_ONE for (std::size_t u = 0; u < kind.size(); ++u) {
        const std::int32_t* w = weights + u * LANES;
        const double* amount = amounts + kind[u] * LANES;
        for (std::size_t l = 0; l < LANES; ++l) {
            // 0 by its bits, because no compiler turns a branch around a product into vectors.
            const auto product = std::bit_cast<std::int64_t>(static_cast<double>(w[l]) * amount[l]);
            sum[l] += std::bit_cast<double>(product & -static_cast<std::int64_t>(w[l] != 0));
        }
    }
    std::copy_n(sum, LANES, to);
}

// The same for amounts that are finite and the same in each draw.
TARE_WIDE void observe_fixed(std::span<const std::size_t> kind, const std::int32_t* weights,
                             std::span<const double> amounts, double* to) {
    Lanes sum = {};
    TARE_ONE_BY_ONE for (std::size_t u = 0; u < kind.size(); ++u) {
        const std::int32_t* w = weights + u * LANES;
        const double amount = amounts[kind[u]];
        for (std::size_t l = 0; l < LANES; ++l) sum[l] += static_cast<double>(w[l]) * amount;
    }
    std::copy_n(sum, LANES, to);
}

// The scores of the values, centred, so that squares of large values do not cancel.
TARE_WIDE void centred(std::span<const double> values, const double* counts, double* scores) {
    Lanes total = {}, weighted = {};
    for (std::size_t v = 0; v < values.size(); ++v)
        for (std::size_t l = 0; l < LANES; ++l) {
            total[l] += counts[v * LANES + l];
            weighted[l] += counts[v * LANES + l] * values[v];
        }
    for (std::size_t l = 0; l < LANES; ++l) weighted[l] /= total[l];
    for (std::size_t v = 0; v < values.size(); ++v)
        for (std::size_t l = 0; l < LANES; ++l) scores[v * LANES + l] = values[v] - weighted[l];
}

// The scores of the values: their mean ranks.
TARE_WIDE void mean_ranks(std::size_t values, const double* counts, double* scores) {
    Lanes before = {};
    for (std::size_t v = 0; v < values; ++v)
        for (std::size_t l = 0; l < LANES; ++l) {
            scores[v * LANES + l] = before[l] + 0.5 * counts[v * LANES + l];
            before[l] += counts[v * LANES + l];
        }
}

// The disagreement within a unit by scores.
TARE_WIDE void within(std::span<const std::int32_t> codes, const double* scores, double* to) {
    const auto n = static_cast<double>(codes.size());
    Lanes mean = {}, sum = {};
    for (const std::int32_t code : codes)
        for (std::size_t l = 0; l < LANES; ++l)
            mean[l] += scores[static_cast<std::size_t>(code) * LANES + l];
    for (std::size_t l = 0; l < LANES; ++l) mean[l] /= n;
    for (const std::int32_t code : codes)
        for (std::size_t l = 0; l < LANES; ++l) {
            const double d = scores[static_cast<std::size_t>(code) * LANES + l] - mean[l];
            sum[l] += d * d;
        }
    for (std::size_t l = 0; l < LANES; ++l) to[l] = 2 * n * sum[l] / (n - 1);
}

// Σ over ordered pairs of all values of their squared difference of scores.
TARE_WIDE void between_scores(std::size_t values, const double* counts, const double* scores,
                              const double* total, double* to) {
    Lanes mean = {}, sum = {};
    for (std::size_t v = 0; v < values; ++v)
        for (std::size_t l = 0; l < LANES; ++l)
            mean[l] += counts[v * LANES + l] * scores[v * LANES + l];
    for (std::size_t l = 0; l < LANES; ++l) mean[l] /= total[l];
    for (std::size_t v = 0; v < values; ++v)
        for (std::size_t l = 0; l < LANES; ++l) {
            const double d = scores[v * LANES + l] - mean[l];
            sum[l] += counts[v * LANES + l] * d * d;
        }
    for (std::size_t l = 0; l < LANES; ++l) to[l] = 2 * total[l] * sum[l];
}

TARE_WIDE void between_names(std::size_t values, const double* counts, const double* total,
                             double* to) {
    std::fill_n(to, LANES, 0.0);
    for (std::size_t v = 0; v < values; ++v)
        for (std::size_t l = 0; l < LANES; ++l)
            to[l] += counts[v * LANES + l] * (total[l] - counts[v * LANES + l]);
}

TARE_WIDE void add_pair(const double* a, const double* b, double distance, double* to) {
    for (std::size_t l = 0; l < LANES; ++l) {
        const double pairs = a[l] * b[l];
        to[l] += pairs != 0 ? pairs * distance : 0.0;
    }
}

void between_pairs(const Ratings& ratings, Level level, const double* counts, double* to) {
    const std::size_t values = ratings.values.size();
    std::fill_n(to, LANES, 0.0);
    for (std::size_t a = 0; a < values; ++a)
        for (std::size_t b = a + 1; b < values; ++b)
            add_pair(counts + a * LANES, counts + b * LANES, distance(ratings, level, a, b), to);
    for (std::size_t l = 0; l < LANES; ++l) to[l] *= 2;
}

}  // namespace

AlphaBlock::AlphaBlock(const Ratings& ratings, Level level) : ratings_(ratings), level_(level) {
    const std::size_t units = ratings.offsets.size() - 1;
    std::vector<std::size_t> order(units);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto x = ratings.unit(a), y = ratings.unit(b);
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
    });
    kind_.resize(units);
    for (std::size_t k = 0; k < units; ++k) {
        if (k == 0 || !std::ranges::equal(ratings.unit(order[k - 1]), ratings.unit(order[k])))
            example_.push_back(order[k]);
        kind_[order[k]] = example_.size() - 1;
    }
    units_of_.resize(ratings.values.size());
    for (std::size_t u = 0; u < units; ++u)
        for (const std::int32_t code : ratings.unit(u))
            units_of_[static_cast<std::size_t>(code)].push_back(u);
    if (by_scores(level)) return;
    for (const std::size_t unit : example_) fixed_.push_back(pairs_within(ratings, level, unit));
    finite_ = std::ranges::all_of(fixed_, [](double amount) { return std::isfinite(amount); });
}

void AlphaBlock::draw(std::uint64_t seed, std::uint64_t first, std::span<double> made,
                      Work& work) const {
    const std::size_t units = kind_.size(), values = ratings_.values.size();
    work.weights.assign(units * LANES, 0);
    for (std::size_t l = 0; l < made.size(); ++l) {
        RandomStream random(seed, first + l);
        for (std::size_t u = 0; u < units; ++u) ++work.weights[random.below(units) * LANES + l];
    }
    work.counts.resize(values * LANES);
    for (std::size_t v = 0; v < values; ++v)
        tally(units_of_[v], work.weights.data(), work.counts.data() + v * LANES);
    Lanes total = {}, observed = {}, expected = {}, present = {};
    for (std::size_t v = 0; v < values; ++v)
        for (std::size_t l = 0; l < LANES; ++l) {
            total[l] += work.counts[v * LANES + l];
            present[l] += work.counts[v * LANES + l] > 0 ? 1 : 0;
        }
    work.apart.resize(finite_ ? 0 : example_.size() * LANES);
    if (by_scores(level_)) {
        work.scores.resize(values * LANES);
        if (level_ == Level::ordinal)
            mean_ranks(values, work.counts.data(), work.scores.data());
        else
            centred(ratings_.values, work.counts.data(), work.scores.data());
        for (std::size_t k = 0; k < example_.size(); ++k)
            within(ratings_.unit(example_[k]), work.scores.data(), work.apart.data() + k * LANES);
        between_scores(values, work.counts.data(), work.scores.data(), total, expected);
    } else {
        for (std::size_t k = 0; k < (finite_ ? 0 : example_.size()); ++k)
            std::fill_n(work.apart.data() + k * LANES, LANES, fixed_[k]);
        if (level_ == Level::nominal)
            between_names(values, work.counts.data(), total, expected);
        else
            between_pairs(ratings_, level_, work.counts.data(), expected);
    }
    if (finite_)
        observe_fixed(kind_, work.weights.data(), fixed_, observed);
    else
        observe(kind_, work.weights.data(), work.apart.data(), observed);
    for (std::size_t l = 0; l < made.size(); ++l) {
        expected[l] /= total[l] - 1;
        const bool defined = present[l] > 1 && expected[l] > 0;
        made[l] =
            defined ? 1 - observed[l] / expected[l] : std::numeric_limits<double>::quiet_NaN();
    }
}

}  // namespace tare
