#include "core/stats/studentised.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/chance/random.hpp"
#include "core/stats/lanes.hpp"
#include "core/stats/t_screen.hpp"
#include "core/threads.hpp"
#include "core/wide.hpp"

namespace tare {

namespace {

// How often each item is drawn, items × LANES.
void draw_counts(std::vector<double>& counts, std::size_t items, std::size_t begin,
                 std::size_t lanes, std::uint64_t seed) {
    counts.assign(items * LANES, 0.0);
    for (std::size_t l = 0; l < lanes; ++l) {
        RandomStream random(seed, begin + l);
        for (std::size_t i = 0; i < items; ++i) counts[random.below(items) * LANES + l] += 1;
    }
}

struct Moments {
    double n[LANES], sum[LANES], squares[LANES];
};

// A row without gaps: as many values in each draw as there are items.
TARE_WIDE void resample_whole(const double* row, std::size_t items, const double* counts,
                              Moments& m) {
    double sum[LANES] = {}, squares[LANES] = {};
    for (std::size_t i = 0; i < items; ++i) {
        const double d = row[i], d2 = d * d;
        const double* w = counts + i * LANES;
        for (std::size_t l = 0; l < LANES; ++l) {
            sum[l] += w[l] * d;
            squares[l] += w[l] * d2;
        }
    }
    std::copy_n(sum, LANES, m.sum);
    std::copy_n(squares, LANES, m.squares);
    std::fill_n(m.n, LANES, static_cast<double>(items));
}

void resample(const double* row, std::size_t items, const double* counts, Moments& m) {
    if (std::none_of(row, row + items, [](double d) { return std::isnan(d); })) {
        resample_whole(row, items, counts, m);
        return;
    }
    std::fill_n(m.n, LANES, 0.0);
    std::fill_n(m.sum, LANES, 0.0);
    std::fill_n(m.squares, LANES, 0.0);
    for (std::size_t i = 0; i < items; ++i) {
        const double d = row[i];
        if (std::isnan(d)) continue;
        const double d2 = d * d;
        const double* w = counts + i * LANES;
        for (std::size_t l = 0; l < LANES; ++l) {
            m.n[l] += w[l];
            m.sum[l] += w[l] * d;
            m.squares[l] += w[l] * d2;
        }
    }
}

// t of a draw. Without spread it is 0 at mean 0 and infinite elsewhere; with fewer than two
// values there is none.
double t_of(double n, double sum, double squares) {
    if (n < 2) return std::numeric_limits<double>::quiet_NaN();
    const double mean = sum / n;
    const double spread = squares - sum * mean;
    if (spread <= 1e-13 * squares || squares == 0) {
        if (std::fabs(sum) <= 1e-13 * std::sqrt(n * squares) || sum == 0) return 0;
        return std::copysign(std::numeric_limits<double>::infinity(), mean);
    }
    return mean / std::sqrt(spread / (n - 1) / n);
}

// A draw without a statistic counts for the null hypothesis, which is the careful side.
double squared_t(double n, double sum, double squares) {
    const double t = t_of(n, sum, squares);
    return std::isnan(t) ? std::numeric_limits<double>::infinity() : t * t;
}

// t² of one draw of a row without gaps, from sums in the order of `resample_whole`.
double squared_t(const double* row, std::size_t items, const double* counts, std::size_t lane) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < items; ++i) {
        const double w = counts[i * LANES + lane];
        sum += w * row[i];
        squares += w * (row[i] * row[i]);
    }
    return squared_t(static_cast<double>(items), sum, squares);
}

}  // namespace

StudentisedCounts studentised_counts(std::span<const double> shifted, std::size_t items,
                                     std::span<const double> observed, bool largest,
                                     std::size_t draws, std::uint64_t seed, unsigned threads,
                                     std::uint64_t first_draw) {
    const std::size_t count = observed.size();
    Counts alone(count), family(largest ? count : 0);
    std::vector<double> thresholds(count);
    for (std::size_t p = 0; p < count; ++p) thresholds[p] = observed[p] * (1 - STATISTIC_TOLERANCE);
    // The largest is one of the statistics themselves, so all of them are needed.
    const TScreen screen(shifted, largest ? 0 : items, thresholds);
    for_each_index((draws + LANES - 1) / LANES, threads, 1, [&](std::size_t block) {
        thread_local DrawnPairs pairs;
        thread_local std::vector<double> counts, statistics;
        const std::size_t begin = block * LANES, lanes = std::min(LANES, draws - begin);
        draw_counts(counts, items, first_draw + begin, lanes, seed);
        if (screen.covers_any()) pairs.assign(counts);
        if (largest) statistics.resize(count * LANES);
        Moments m;
        for (std::size_t p = 0; p < count; ++p) {
            const double* row = shifted.data() + p * items;
            std::uint64_t reached = 0;
            if (screen.covers(p)) {
                auto [sure, unsure] = screen.decide(p, pairs, lanes);
                reached = sure;
                for (; unsure != 0; unsure &= unsure - 1) {
                    const auto lane = static_cast<std::size_t>(std::countr_zero(unsure));
                    reached += squared_t(row, items, counts.data(), lane) >= thresholds[p];
                }
            } else {
                resample(row, items, counts.data(), m);
                for (std::size_t l = 0; l < lanes; ++l) {
                    const double squared = squared_t(m.n[l], m.sum[l], m.squares[l]);
                    reached += squared >= thresholds[p];
                    if (largest) statistics[p * LANES + l] = squared;
                }
            }
            if (reached) alone[p].fetch_add(reached, std::memory_order_relaxed);
        }
        if (largest) count_largest(statistics, observed, lanes, family);
    });
    return {plain(alone), plain(family)};
}

std::vector<double> studentised_draws(std::span<const double> shifted, std::size_t items,
                                      std::size_t draws, std::uint64_t seed, unsigned threads,
                                      std::uint64_t first_draw) {
    const std::size_t rows = items == 0 ? 0 : shifted.size() / items;
    std::vector<double> made(rows * draws);
    for_each_index((draws + LANES - 1) / LANES, threads, 1, [&](std::size_t block) {
        thread_local std::vector<double> counts;
        const std::size_t begin = block * LANES, lanes = std::min(LANES, draws - begin);
        draw_counts(counts, items, first_draw + begin, lanes, seed);
        Moments m;
        for (std::size_t r = 0; r < rows; ++r) {
            resample(shifted.data() + r * items, items, counts.data(), m);
            for (std::size_t l = 0; l < lanes; ++l)
                made[r * draws + begin + l] = t_of(m.n[l], m.sum[l], m.squares[l]);
        }
    });
    return made;
}

}  // namespace tare
