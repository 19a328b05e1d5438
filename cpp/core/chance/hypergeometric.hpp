// Drawing without replacement: of m documents, r are special; x are drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tare {

// The distribution of the special ones among the first x drawn, x = 0, 1, 2 …; one more at each
// step. All terms are positive, so no digits are lost.
class DrawnSpecial {
public:
    DrawnSpecial(std::int64_t m, std::int64_t r)
        : m_(m), r_(r), probability_(static_cast<std::size_t>(r) + 1, 0) {
        probability_[0] = 1;
    }
    std::int64_t drawn() const { return x_; }
    std::int64_t least() const { return std::max<std::int64_t>(0, x_ - (m_ - r_)); }
    std::int64_t most() const { return std::min(x_, r_); }
    double operator[](std::int64_t j) const { return probability_[static_cast<std::size_t>(j)]; }

    void draw() {
        const double left = static_cast<double>(m_ - x_);
        for (std::int64_t j = std::min(x_ + 1, r_); j >= 0; --j) {
            const auto k = static_cast<std::size_t>(j);
            const double others = static_cast<double>(m_ - r_ - (x_ - j));
            double p = others > 0 ? probability_[k] * others / left : 0;
            if (j > 0) p += probability_[k - 1] * static_cast<double>(r_ - j + 1) / left;
            probability_[k] = p;
        }
        ++x_;
    }

private:
    std::int64_t m_, r_, x_ = 0;
    std::vector<double> probability_;
};

// The probability that none of the r special ones is among x drawn from m: C(m-r, x)/C(m, x).
// Returns its complement too, for that is exact where the probability is near 1.
inline double probability_of_some(std::int64_t m, std::int64_t r, std::int64_t x) {
    if (r <= 0 || x <= 0) return 0;
    if (x > m - r) return 1;
    // Π (m-a-i)/(m-i) over i < b for {a, b} = {r, x}: the shorter product.
    const std::int64_t a = std::max(r, x), b = std::min(r, x);
    double log_none = 0;
    for (std::int64_t i = 0; i < b; ++i)
        log_none += std::log1p(-static_cast<double>(a) / static_cast<double>(m - i));
    return -std::expm1(log_none);
}

}  // namespace tare
