#include "core/stats/t_screen.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/wide.hpp"

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define TARE_PAIRS_256
#endif

namespace tare {

namespace {

constexpr double STEPS = 32767;          // of a value of 1
constexpr double MOST_THRESHOLD = 1e30;  // a float holds it
constexpr double LEAST_VALUE =
    1e-100;  // beyond these, squares in double precision are lost as well
constexpr double MOST_VALUE = 1e100;
constexpr double MOST_ERROR =
    0.05;  // of S, in its standard deviations: the share of draws that stay undecided
constexpr float ROUNDING = 0x1.0p-20F;  // of S² and level·Q in single precision, more than enough
static_assert(LANES == 32, "one bit of a word for each draw");

struct Sums {
    alignas(32) std::int32_t sum[LANES];
    alignas(32) std::int32_t squares[LANES];
};

void add_pairs(const std::int16_t* row, std::size_t pairs, const std::int16_t* counts, Sums& made) {
    std::int32_t sum[LANES] = {}, squares[LANES] = {};
    for (std::size_t i = 0; i < pairs; ++i, row += 4, counts += 2 * LANES)
        for (std::size_t l = 0; l < LANES; ++l) {
            sum[l] += counts[2 * l] * row[0] + counts[2 * l + 1] * row[1];
            squares[l] += counts[2 * l] * row[2] + counts[2 * l + 1] * row[3];
        }
    std::copy_n(sum, LANES, made.sum);
    std::copy_n(squares, LANES, made.squares);
}

#ifdef TARE_PAIRS_256
// The same sums by the instruction that multiplies and adds pairs; compilers do not find it in the
// loops above.
__attribute__((target("avx2"))) void add_pairs_wide(const std::int16_t* row, std::size_t pairs,
                                                    const std::int16_t* counts, Sums& made) {
    constexpr std::size_t WIDTH = 8, PARTS = LANES / WIDTH;
    __m256i sum[PARTS], squares[PARTS];
    for (std::size_t k = 0; k < PARTS; ++k) sum[k] = squares[k] = _mm256_setzero_si256();
    for (std::size_t i = 0; i < pairs; ++i, row += 4, counts += 2 * LANES) {
        std::int32_t both[2];  // d of two items, and their d²
        std::memcpy(both, row, sizeof both);
        const __m256i d = _mm256_set1_epi32(both[0]), d2 = _mm256_set1_epi32(both[1]);
        for (std::size_t k = 0; k < PARTS; ++k) {
            const __m256i w =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts + k * 2 * WIDTH));
            sum[k] = _mm256_add_epi32(sum[k], _mm256_madd_epi16(w, d));
            squares[k] = _mm256_add_epi32(squares[k], _mm256_madd_epi16(w, d2));
        }
    }
    for (std::size_t k = 0; k < PARTS; ++k) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(made.sum + k * WIDTH), sum[k]);
        _mm256_store_si256(reinterpret_cast<__m256i*>(made.squares + k * WIDTH), squares[k]);
    }
}
#endif

void add(const std::int16_t* row, std::size_t pairs, const std::int16_t* counts, Sums& made) {
#ifdef TARE_PAIRS_256
    static const bool wide = __builtin_cpu_supports("avx2");
    if (wide) return add_pairs_wide(row, pairs, counts, made);
#endif
    add_pairs(row, pairs, counts, made);
}

// S² − level·Q, and how much of it the errors of both can explain.
struct Gap {
    float gap, room;
};

inline Gap gap_of(std::int32_t sum, std::int32_t squares, float level, float error) {
    const float s = static_cast<float>(sum), left = s * s,
                right = level * static_cast<float>(squares);
    return {left - right, error * (2 * std::fabs(s) + (error + level)) + ROUNDING * (left + right)};
}

struct Decided {
    int reached = 0, decided = 0;  // number of draws
};

TARE_WIDE Decided compare(const Sums& sums, float level, float error) {
    int reached = 0, decided = 0;
    for (std::size_t l = 0; l < LANES; ++l) {
        const Gap found = gap_of(sums.sum[l], sums.squares[l], level, error);
        reached += found.gap > found.room;
        decided += std::fabs(found.gap) > found.room;
    }
    return {reached, decided};
}

}  // namespace

void DrawnPairs::assign(std::span<const double> counts) {
    const std::size_t items = counts.size() / LANES;
    counts_.assign((items + 1) / 2 * 2 * LANES, 0);
    for (std::size_t i = 0; i < items; ++i)
        for (std::size_t l = 0; l < LANES; ++l)
            counts_[(i / 2 * LANES + l) * 2 + i % 2] =
                static_cast<std::int16_t>(counts[i * LANES + l]);
}

TScreen::TScreen(std::span<const double> shifted, std::size_t items,
                 std::span<const double> thresholds)
    : pairs_((items + 1) / 2),
      error_(0.51 * static_cast<double>(items)),
      levels_(thresholds.size()) {
    if (items < 2 || items > MOST_ITEMS) return;
    rows_.resize(thresholds.size() * pairs_ * 4);
    const auto n = static_cast<double>(items);
    for (std::size_t r = 0; r < thresholds.size(); ++r) {
        const double* row = shifted.data() + r * items;
        const double threshold = thresholds[r];
        if (!(threshold > 0 && threshold < MOST_THRESHOLD)) continue;
        if (!std::all_of(row, row + items, [](double d) { return std::isfinite(d); })) continue;
        double largest = 0;
        for (std::size_t i = 0; i < items; ++i) largest = std::max(largest, std::fabs(row[i]));
        if (!(largest > LEAST_VALUE && largest < MOST_VALUE)) continue;
        int exponent = 0;
        std::frexp(largest, &exponent);
        const double scale = std::ldexp(1.0, -exponent);
        double squares = 0;
        for (std::size_t i = 0; i < items; ++i) {
            const double d = row[i] * scale;
            std::int16_t* to = rows_.data() + (r * pairs_ + i / 2) * 4 + i % 2;
            to[0] = static_cast<std::int16_t>(std::lrint(d * STEPS));
            to[2] = static_cast<std::int16_t>(std::lrint(d * d * STEPS));
            squares += d * d;
        }
        if (error_ > MOST_ERROR * STEPS * std::sqrt(squares)) continue;
        levels_[r] = static_cast<float>(STEPS * n * threshold / (n - 1 + threshold));
        any_ = true;
    }
}

TScreen::Found TScreen::decide(std::size_t row, const DrawnPairs& counts, std::size_t lanes) const {
    Sums sums;
    add(rows_.data() + row * pairs_ * 4, pairs_, counts.data(), sums);
    const float level = levels_[row], error = static_cast<float>(error_);
    const auto [reached, decided] = compare(sums, level, error);
    Found found{static_cast<std::uint32_t>(reached), 0};
    if (decided == static_cast<int>(LANES)) return found;
    for (std::size_t l = 0; l < lanes; ++l) {
        const Gap here = gap_of(sums.sum[l], sums.squares[l], level, error);
        if (!(std::fabs(here.gap) > here.room)) found.unsure |= std::uint32_t{1} << l;
    }
    return found;
}

}  // namespace tare
