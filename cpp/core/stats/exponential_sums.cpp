#include "core/stats/exponential_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "core/threads.hpp"
#include "core/wide.hpp"

namespace tare {

namespace {

constexpr double FIRST = 1e-15;     // the integral begins at FIRST / (number of variables + 1)
constexpr double LAST = 40;         // and ends at e^40, both in log t
constexpr double WIDEST = 0.01;     // of a step
constexpr double MOST_PHASE = 0.5;  // that a step may move where |φ| > FAINT
constexpr double FAINT = 1e-12;
constexpr std::size_t ROW = 64;        // values of t that are worked on together
constexpr double HUGE_PRODUCT = 1e60;  // |1/φ| beyond which φ is 0
constexpr double NEAR = 0.125;         // of t, up to which log φ is a series of power sums
constexpr std::size_t TERMS = 20;      // of the series; NEAR^TERMS = 9e-19

// 1/φ(t) = Π (1 − i t c)^w for a row of t, by multiplication; powers by repeated squaring.
TARE_WIDE void multiply(const double* t, double c, std::int64_t power, double* re, double* im) {
    double bre[ROW], bim[ROW];
    for (std::size_t k = 0; k < ROW; ++k) {
        bre[k] = 1;
        bim[k] = -t[k] * c;
    }
    for (;;) {
        if (power & 1)
            for (std::size_t k = 0; k < ROW; ++k) {
                const double r = re[k] * bre[k] - im[k] * bim[k];
                im[k] = re[k] * bim[k] + im[k] * bre[k];
                re[k] = r;
            }
        power >>= 1;
        if (power == 0) return;
        for (std::size_t k = 0; k < ROW; ++k) {
            // Beyond this φ is 0 whatever else it is multiplied by; the bound keeps it finite.
            const double r = bre[k] * bre[k] - bim[k] * bim[k], i = 2 * bre[k] * bim[k];
            const bool far = std::fabs(r) + std::fabs(i) > HUGE_PRODUCT;
            bre[k] = far ? HUGE_PRODUCT : r;
            bim[k] = far ? 0 : i;
        }
    }
}

// Σ w c^k for k = 1 … TERMS, where |c| ≤ 1.
std::array<double, TERMS> power_sums(std::span<const double> c,
                                     std::span<const std::int64_t> weights) {
    std::array<double, TERMS> sums{};
    for (std::size_t j = 0; j < c.size(); ++j) {
        double power = static_cast<double>(weights[j]);
        for (double& sum : sums) sum += power *= c[j];
    }
    return sums;
}

// The same as `transform` for one t ≤ NEAR: log φ = −Σ w log(1 − i t c) = Σ_k (i t)^k p_k / k.
void near_zero(const std::array<double, TERMS>& sums, double t, double& imaginary, double& size,
               double& angle) {
    double real = 0, phase = 0, power = 1;
    for (std::size_t k = 1; k <= TERMS; ++k) {
        power *= t;
        const double term = power * sums[k - 1] / static_cast<double>(k);
        (k % 2 ? phase : real) += (k / 2) % 2 ? -term : term;
    }
    size = std::exp(real);
    angle = phase;
    imaginary = size * std::sin(phase);
}

// Im φ, |φ| and arg φ at a row of t.
void transform(std::span<const double> c, std::span<const std::int64_t> weights, const double* t,
               double* imaginary, double* size, double* angle) {
    double re[ROW], im[ROW];
    bool gone[ROW] = {};
    std::fill_n(re, ROW, 1.0);
    std::fill_n(im, ROW, 0.0);
    for (std::size_t j = 0; j < c.size(); ++j) {
        multiply(t, c[j], weights[j], re, im);
        if (j % 16 != 15 && j + 1 != c.size()) continue;
        bool all = true;
        for (std::size_t k = 0; k < ROW; ++k) {
            if (!(std::fabs(re[k]) + std::fabs(im[k]) < HUGE_PRODUCT)) {
                gone[k] = true;
                re[k] = 1;  // keeps the product finite; what it is no longer matters
                im[k] = 0;
            }
            all &= gone[k];
        }
        if (all) break;
    }
    for (std::size_t k = 0; k < ROW; ++k) {
        const double norm = re[k] * re[k] + im[k] * im[k];
        imaginary[k] = gone[k] ? 0 : -im[k] / norm;
        size[k] = gone[k] ? 0 : 1 / std::sqrt(norm);
        angle[k] = gone[k] ? 0 : std::atan2(-im[k], re[k]);
    }
}

}  // namespace

double exponential_sum_tail(std::span<const double> c, std::span<const std::int64_t> weights,
                            unsigned threads) {
    double largest = 0;
    std::int64_t count = 0;
    bool above = false, below = false;
    for (std::size_t j = 0; j < c.size(); ++j) {
        largest = std::max(largest, std::fabs(c[j]));
        count += weights[j];
        above |= c[j] > 0;
        below |= c[j] < 0;
    }
    if (!above) return 1;
    if (!below) return 0;
    std::vector<double> scaled(c.begin(), c.end());
    for (double& value : scaled) value /= largest;
    const auto sums = power_sums(scaled, weights);
    const double from = std::log(FIRST / static_cast<double>(count + 1));
    for (double step = WIDEST;; step /= 2) {
        const auto points = static_cast<std::size_t>((LAST - from) / step) + 1;
        const std::size_t rows = (points + ROW - 1) / ROW;
        std::vector<double> imaginary(rows * ROW), size(rows * ROW), angle(rows * ROW);
        for_each_index(rows, threads, 1, [&](std::size_t row) {
            double t[ROW];
            for (std::size_t k = 0; k < ROW; ++k)
                t[k] = std::exp(from + step * static_cast<double>(row * ROW + k));
            const std::size_t at = row * ROW;
            if (t[ROW - 1] <= NEAR) {
                for (std::size_t k = 0; k < ROW; ++k)
                    near_zero(sums, t[k], imaginary[at + k], size[at + k], angle[at + k]);
                return;
            }
            transform(scaled, weights, t, &imaginary[at], &size[at], &angle[at]);
        });
        bool fine = true;
        double total = 0;
        for (std::size_t k = 0; k < points; ++k) {
            const double end = k == 0 || k + 1 == points ? 0.5 : 1;
            total += end * imaginary[k];
            if (k == 0 || size[k] <= FAINT || size[k - 1] <= FAINT) continue;
            const double moved = std::remainder(angle[k] - angle[k - 1], 2 * std::numbers::pi);
            fine &= std::fabs(moved) < MOST_PHASE;
        }
        if (fine || step < WIDEST / 64)
            return std::clamp(0.5 - step * total / std::numbers::pi, 0.0, 1.0);
    }
}

}  // namespace tare
