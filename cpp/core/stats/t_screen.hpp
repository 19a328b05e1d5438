// Which draws of the studentised bootstrap reach an observed t², decided in whole numbers where
// that is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/stats/lanes.hpp"

namespace tare {

// How often each item is drawn, for LANES draws. Two items are next to each other, as a processor
// multiplies them.
class DrawnPairs {
public:
    // counts: items × LANES, whole numbers of at most TScreen::MOST_ITEMS.
    void assign(std::span<const double> counts);
    const std::int16_t* data() const { return counts_.data(); }

private:
    std::vector<std::int16_t> counts_;
};

// With S = Σ w·d and Q = Σ w·d² over n values, t² = S²(n − 1)/(nQ − S²), and t² ≥ T where S² ≥
// nQ·T/(n − 1 + T). Values are scaled to |d| < 1; d and d² are rounded to 1/32767. The weights of a
// draw add up to n, so S and Q are wrong by at most n/2 of these steps. A draw is decided where the
// two sides are further apart than this can explain; the others need the sums in double precision.
class TScreen {
public:
    static constexpr std::size_t MOST_ITEMS =
        4096;  // beyond, the margin leaves too many draws undecided

    // shifted: rows × items; a row is screened if it has no missing value. thresholds: T of each
    // row.
    TScreen(std::span<const double> shifted, std::size_t items, std::span<const double> thresholds);

    bool covers(std::size_t row) const { return levels_[row] > 0; }
    bool covers_any() const { return any_; }

    struct Found {
        std::uint32_t reached = 0;  // number of draws that reach the threshold
        std::uint32_t unsure = 0;   // draws that are not decided, one bit for each
    };

    // Of LANES draws the first `lanes` are used.
    Found decide(std::size_t row, const DrawnPairs& counts, std::size_t lanes) const;

private:
    std::size_t pairs_;               // of items
    double error_;                    // of S and Q, in steps
    std::vector<std::int16_t> rows_;  // d of two items, then d² of the same
    bool any_ = false;                // row is screened
    std::vector<float> levels_;       // n·T/(n − 1 + T), in steps; 0 if the row is not screened
};

}  // namespace tare
