#include "core/stats/t_screen.hpp"

#include <algorithm>
#include <cmath>

#include "core/wide.hpp"

namespace tare {

namespace {

constexpr std::size_t MOST_ITEMS = 4096;   // beyond, the margin leaves too many draws undecided
constexpr double MOST_THRESHOLD = 1e30;    // a float holds it
constexpr double LEAST_VALUE = 1e-100;     // beyond these, squares in double precision are lost as well
constexpr double MOST_VALUE = 1e100;
constexpr float LEAST_SQUARES = 1e-20F;    // below, squares of small values may be lost
static_assert(LANES == 32, "one bit of a word for each draw");

struct Gaps {
    float gap[LANES], room[LANES];  // S² − level·Q, and what rounding can explain of it
    int reached, decided;           // number of draws
};

TARE_WIDE void compare(const float* row, std::size_t items, const float* counts, float level, float margin,
                       Gaps& made) {
    float sum[LANES] = {}, squares[LANES] = {};
    for (std::size_t i = 0; i < items; ++i) {
        const float d = row[i], d2 = d * d;
        const float* w = counts + i * LANES;
        for (std::size_t l = 0; l < LANES; ++l) {
            sum[l] += w[l] * d;
            squares[l] += w[l] * d2;
        }
    }
    int reached = 0, decided = 0;
    for (std::size_t l = 0; l < LANES; ++l) {
        const float gap = sum[l] * sum[l] - level * squares[l];
        const float room = squares[l] > LEAST_SQUARES ? margin * squares[l] : INFINITY;
        made.gap[l] = gap;
        made.room[l] = room;
        reached += gap > room;
        decided += std::fabs(gap) > room;
    }
    made.reached = reached;
    made.decided = decided;
}

}  // namespace

TScreen::TScreen(std::span<const double> shifted, std::size_t items, std::span<const double> thresholds)
    : items_(items), levels_(thresholds.size()), margins_(thresholds.size()) {
    if (items < 2 || items > MOST_ITEMS) return;
    rows_.resize(thresholds.size() * items);
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
        for (std::size_t i = 0; i < items; ++i)
            rows_[r * items + i] = static_cast<float>(std::ldexp(row[i], -exponent));
        levels_[r] = static_cast<float>(n * threshold / (n - 1 + threshold));
        margins_[r] = static_cast<float>(8 * (n + 8) * 0x1.0p-24 * n);
    }
}

TScreen::Found TScreen::decide(std::size_t row, const float* counts, std::size_t lanes) const {
    Gaps made;
    compare(rows_.data() + row * items_, items_, counts, levels_[row], margins_[row], made);
    Found found{static_cast<std::uint32_t>(made.reached), 0};
    if (made.decided == static_cast<int>(LANES)) return found;
    for (std::size_t l = 0; l < lanes; ++l)
        if (!(std::fabs(made.gap[l]) > made.room[l])) found.unsure |= std::uint32_t{1} << l;
    return found;
}

}  // namespace tare
