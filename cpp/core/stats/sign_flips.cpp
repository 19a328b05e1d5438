#include "core/stats/sign_flips.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/chance/random.hpp"
#include "core/stats/step_down.hpp"
#include "core/threads.hpp"
#include "core/wide.hpp"

namespace tare {

namespace {

// weights: items × LANES, what each item counts in each draw of the block.
void draw_weights(std::span<double> weights, std::size_t items, Flips kind, std::size_t begin,
                  std::size_t lanes, std::uint64_t seed) {
    if (kind == Flips::hybrid) std::fill(weights.begin(), weights.end(), 0.0);
    for (std::size_t l = 0; l < lanes; ++l) {
        const std::size_t b = begin + l;
        RandomStream random(seed, b);
        std::uint64_t bits = kind == Flips::all ? b : 0;
        for (std::size_t i = 0; i < items; ++i) {
            if (kind == Flips::hybrid) {
                const std::uint64_t item = random.below(items);
                weights[item * LANES + l] += random.next() >> 63 ? -1.0 : 1.0;
                continue;
            }
            if (kind == Flips::swap && i % 64 == 0) bits = random.next();
            weights[i * LANES + l] = bits & 1 ? -1.0 : 1.0;
            bits >>= 1;
        }
    }
}

TARE_WIDE void add_weighted(const double* row, std::size_t items, const double* weights,
                            double* sum) {
    double total[LANES] = {};
    for (std::size_t i = 0; i < items; ++i)
        for (std::size_t l = 0; l < LANES; ++l) total[l] += row[i] * weights[i * LANES + l];
    std::copy_n(total, LANES, sum);
}

// t² of a mean from the sum and the sum of squares, which flips do not change.
double squared_t(double sum, double squares, double n) {
    if (!(squares > 0)) return 0;
    const double share = sum * sum / (n * squares);
    const double rest = 1 - share;
    if (rest <= 1e-13) return std::numeric_limits<double>::infinity();
    return (n - 1) * share / rest;
}

// |a − b| × scale of a block of draws: how often it reaches the threshold; keeps the largest.
TARE_WIDE std::uint64_t reach(const double* a, const double* b, double scale, double threshold,
                              double* largest) {
    double value[LANES];
    for (std::size_t l = 0; l < LANES; ++l) value[l] = std::fabs(a[l] - b[l]);
    std::uint64_t reached = 0;
    for (std::size_t l = 0; l < LANES; ++l) reached += value[l] >= threshold;
    for (std::size_t l = 0; l < LANES; ++l) {
        const double scaled = value[l] * scale;
        largest[l] = scaled > largest[l] ? scaled : largest[l];
    }
    return reached;
}

// Calls use(begin, lanes, sums) for blocks of draws; sums: (rows + 1) × LANES, the last row 0.
// Lanes after the last draw hold 0.
template <class Use>
void flipped_sums(std::span<const double> rows, std::size_t items, Flips kind, std::size_t draws,
                  std::uint64_t seed, unsigned threads, std::uint64_t first_draw, Use&& use) {
    const std::size_t height = items == 0 ? 0 : rows.size() / items;
    for_each_index((draws + LANES - 1) / LANES, threads, 1, [&](std::size_t block) {
        thread_local std::vector<double> weights, sums;
        const std::size_t begin = block * LANES, lanes = std::min(LANES, draws - begin);
        weights.assign(items * LANES, 0.0);
        sums.assign((height + 1) * LANES, 0.0);
        draw_weights(weights, items, kind, first_draw + begin, lanes, seed);
        for (std::size_t r = 0; r < height; ++r)
            add_weighted(rows.data() + r * items, items, weights.data(), sums.data() + r * LANES);
        use(begin, lanes, std::as_const(sums));
    });
}

}  // namespace

FlipMaxima flip_maxima(std::span<const double> rows, std::size_t items,
                       std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                       std::span<const double> threshold, std::span<const double> scale, Flips kind,
                       std::size_t draws, std::uint64_t seed, unsigned threads,
                       std::uint64_t first_draw) {
    const std::size_t height = items == 0 ? 0 : rows.size() / items, count = first.size();
    Counts alone(count);
    std::vector<double> maxima(draws);
    flipped_sums(
        rows, items, kind, draws, seed, threads, first_draw,
        [&](std::size_t begin, std::size_t lanes, const std::vector<double>& sums) {
            double largest[LANES] = {};
            for (std::size_t p = 0; p < count; ++p) {
                const auto a = static_cast<std::size_t>(first[p]);
                const auto b = second[p] < 0 ? height : static_cast<std::size_t>(second[p]);
                std::uint64_t reached = reach(sums.data() + a * LANES, sums.data() + b * LANES,
                                              scale[p], threshold[p], largest);
                if (threshold[p] <= 0) reached = lanes;  // lanes after the last draw do not count
                if (reached) alone[p].fetch_add(reached, std::memory_order_relaxed);
            }
            std::copy_n(largest, lanes, maxima.data() + begin);
        });
    return {plain(alone), std::move(maxima)};
}

std::vector<std::int64_t> one_sided_flips(std::span<const double> rows, std::size_t items,
                                          std::span<const double> threshold, Flips kind,
                                          std::size_t draws, std::uint64_t seed, unsigned threads) {
    Counts counts(threshold.size());
    flipped_sums(rows, items, kind, draws, seed, threads, 0,
                 [&](std::size_t, std::size_t lanes, const std::vector<double>& sums) {
                     for (std::size_t r = 0; r < threshold.size(); ++r) {
                         std::uint64_t reached = 0;
                         for (std::size_t l = 0; l < lanes; ++l)
                             reached += sums[r * LANES + l] >= threshold[r];
                         if (reached) counts[r].fetch_add(reached, std::memory_order_relaxed);
                     }
                 });
    return plain(counts);
}

FlipCounts flip_counts(std::span<const double> rows, std::size_t items, const FlipPairs& pairs,
                       Flips kind, std::size_t draws, std::uint64_t seed, unsigned threads,
                       std::uint64_t first_draw) {
    const std::size_t height = items == 0 ? 0 : rows.size() / items;
    const std::size_t count = pairs.first.size();
    const bool stepping = !pairs.order.empty();
    Counts alone(count), stepped(stepping ? count : 0);
    for_each_index((draws + LANES - 1) / LANES, threads, 1, [&](std::size_t block) {
        thread_local std::vector<double> weights, sums, statistics;
        const std::size_t begin = block * LANES, lanes = std::min(LANES, draws - begin);
        weights.resize(items * LANES);
        sums.assign((height + 1) * LANES, 0.0);  // the last row stays 0: what "alone" subtracts
        draw_weights(weights, items, kind, first_draw + begin, lanes, seed);
        for (std::size_t r = 0; r < height; ++r)
            add_weighted(rows.data() + r * items, items, weights.data(), sums.data() + r * LANES);
        if (stepping) statistics.resize(count * LANES);
        for (std::size_t p = 0; p < count; ++p) {
            const double* a = sums.data() + static_cast<std::size_t>(pairs.first[p]) * LANES;
            const double* b =
                sums.data() +
                (pairs.second[p] < 0 ? height : static_cast<std::size_t>(pairs.second[p])) * LANES;
            const double threshold = pairs.threshold[p];
            std::uint64_t reached = 0;
            for (std::size_t l = 0; l < lanes; ++l) reached += std::fabs(a[l] - b[l]) >= threshold;
            if (reached) alone[p].fetch_add(reached, std::memory_order_relaxed);
            if (stepping)
                for (std::size_t l = 0; l < lanes; ++l)
                    statistics[p * LANES + l] =
                        squared_t(a[l] - b[l], pairs.squares[p], pairs.sizes[p]);
        }
        if (stepping) count_step_down(statistics, pairs.observed, pairs.order, lanes, stepped);
    });
    return {plain(alone), plain(stepped)};
}

}  // namespace tare
