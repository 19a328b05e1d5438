#include "core/stats/sign_flips.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cmath>
#include <limits>
#include <utility>

#include "core/chance/random.hpp"
#include "core/stats/lanes.hpp"
#include "core/threads.hpp"
#include "core/wide.hpp"

namespace tare {

namespace {

constexpr std::uint64_t ONE = std::bit_cast<std::uint64_t>(1.0);

// One bit after another of each lane's word: −1 for 1, as the sign of a number.
TARE_WIDE void spread_signs(const std::uint64_t* words, std::size_t items, double* weights) {
    for (std::size_t i = 0; i < items; ++i)
        for (std::size_t l = 0; l < LANES; ++l)
            weights[i * LANES + l] = std::bit_cast<double>(ONE | ((words[l] >> i) << 63));  // ±1.0
}

// A sign per item and draw; lanes after the last draw keep 0.
void draw_signs(std::span<double> weights, std::size_t items, std::size_t begin, std::size_t lanes,
                std::uint64_t seed) {
    std::vector<RandomStream> random;
    for (std::size_t l = 0; l < lanes; ++l) random.emplace_back(seed, begin + l);
    std::uint64_t words[LANES] = {};
    for (std::size_t first = 0; first < items; first += 64) {
        for (std::size_t l = 0; l < lanes; ++l) words[l] = random[l].next();
        spread_signs(words, std::min<std::size_t>(64, items - first), &weights[first * LANES]);
    }
    for (std::size_t i = 0; lanes < LANES && i < items; ++i)
        std::fill_n(&weights[i * LANES + lanes], LANES - lanes, 0.0);
}

// weights: items × LANES, what each item counts in each draw of the block.
void draw_weights(std::span<double> weights, std::size_t items, Flips kind, std::size_t begin,
                  std::size_t lanes, std::uint64_t seed) {
    if (kind == Flips::swap) return draw_signs(weights, items, begin, lanes, seed);
    if (kind == Flips::hybrid) std::fill(weights.begin(), weights.end(), 0.0);
    for (std::size_t l = 0; l < lanes; ++l) {
        const std::size_t b = begin + l;
        RandomStream random(seed, b);
        std::uint64_t bits = b;
        for (std::size_t i = 0; i < items; ++i) {
            if (kind == Flips::hybrid) {
                const std::uint64_t item = random.below(items);
                weights[item * LANES + l] += random.next() >> 63 ? -1.0 : 1.0;
                continue;
            }
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

FlipMaxima flip_maxima(std::span<const double> rows, std::size_t items, const FlipPairs& pairs,
                       std::span<const double> scale, Flips kind, std::size_t draws,
                       std::uint64_t seed, unsigned threads, std::uint64_t first_draw) {
    const std::size_t height = items == 0 ? 0 : rows.size() / items;
    const std::size_t count = pairs.first.size();
    Counts alone(count);
    std::vector<double> maxima(draws);
    flipped_sums(rows, items, kind, draws, seed, threads, first_draw,
                 [&](std::size_t begin, std::size_t lanes, const std::vector<double>& sums) {
                     double largest[LANES] = {};
                     for (std::size_t p = 0; p < count; ++p) {
                         auto [a, b] = pairs.sums_of(p, sums, height);
                         std::uint64_t reached = reach(a, b, scale[p], pairs.threshold[p], largest);
                         // Lanes after the last draw do not count.
                         if (pairs.threshold[p] <= 0) reached = lanes;
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

std::vector<std::int64_t> flip_counts(std::span<const double> rows, std::size_t items,
                                      const FlipPairs& pairs, Flips kind, std::size_t draws,
                                      std::uint64_t seed, unsigned threads,
                                      std::uint64_t first_draw) {
    const std::size_t height = items == 0 ? 0 : rows.size() / items;
    Counts counts(pairs.first.size());
    flipped_sums(rows, items, kind, draws, seed, threads, first_draw,
                 [&](std::size_t, std::size_t lanes, const std::vector<double>& sums) {
                     for (std::size_t p = 0; p < counts.size(); ++p) {
                         const auto [a, b] = pairs.sums_of(p, sums, height);
                         std::uint64_t reached = 0;
                         for (std::size_t l = 0; l < lanes; ++l)
                             reached += std::fabs(a[l] - b[l]) >= pairs.threshold[p];
                         if (reached) counts[p].fetch_add(reached, std::memory_order_relaxed);
                     }
                 });
    return plain(counts);
}

}  // namespace tare
