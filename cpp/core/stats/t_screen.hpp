// Which draws of the studentised bootstrap reach an observed t², decided in single precision where that is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/stats/step_down.hpp"

namespace tare {

// With S = Σ w·d and Q = Σ w·d² over n values, t² = S²(n − 1)/(nQ − S²), and t² ≥ T where S² ≥ nQ·T/(n − 1 + T).
// Sums in single precision are within (items + 8)·2⁻²⁴·√(nQ) of S and (items + 8)·2⁻²⁴·Q of Q. A draw is decided
// where the two sides are further apart than this can explain; the others need the sums in double precision.
class TScreen {
public:
    // shifted: rows × items; a row is screened if it has no missing value. thresholds: T of each row.
    TScreen(std::span<const double> shifted, std::size_t items, std::span<const double> thresholds);

    bool covers(std::size_t row) const { return margins_[row] > 0; }

    struct Found {
        std::uint32_t reached = 0;  // number of draws that reach the threshold
        std::uint32_t unsure = 0;   // draws that are not decided, one bit for each
    };

    // counts: how often each item is drawn, items × LANES. Of LANES draws the first `lanes` are used.
    Found decide(std::size_t row, const float* counts, std::size_t lanes) const;

private:
    std::size_t items_;
    std::vector<float> rows_;     // scaled by a power of two, so that the largest value is about 1
    std::vector<float> levels_;   // n·T/(n − 1 + T)
    std::vector<float> margins_;  // per unit of Q; 0 if the row is not screened
};

}  // namespace tare
