// Sums of smooth functions over very many integers, to full precision and in constant time.
#pragma once

#include <cmath>
#include <cstdint>

namespace tare {

// Σ f(i) for i = first…last, f smooth and slowly varying (relative change per step below about
// 1/first). The sum is the integral from first-1/2 to last+1/2 less f'/24 at the ends
// (Euler–Maclaurin at midpoints, the next term in 7f'''/5760); the integral is taken on panels that
// grow like their distance from zero, by ten-point Gauss–Legendre.
template <class F>
double smooth_sum(std::int64_t first, std::int64_t last, F&& f) {
    if (last < first) return 0;
    static constexpr double nodes[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                       0.8650633666889845, 0.9739065285171717};
    static constexpr double weights[] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820,
                                         0.1494513491505806, 0.0666713443086881};
    const double a = static_cast<double>(first) - 0.5, b = static_cast<double>(last) + 0.5;
    double total = 0;
    for (double left = a; left < b;) {
        const double right = std::fmin(b, left * 1.5);
        const double middle = 0.5 * (left + right), half = 0.5 * (right - left);
        double panel = 0;
        for (int k = 0; k < 5; ++k)
            panel += weights[k] * (f(middle - half * nodes[k]) + f(middle + half * nodes[k]));
        total += panel * half;
        left = right;
    }
    const auto slope = [&](double x) { return f(x + 0.5) - f(x - 0.5); };
    return total - (slope(b) - slope(a)) / 24;
}

// The same for any first: the first terms one by one, and the rest smoothly if it is long.
template <class F>
double long_sum(std::int64_t first, std::int64_t last, F&& f) {
    constexpr std::int64_t by_one = 1 << 16;
    const std::int64_t stop = last - first > 2 * by_one ? first + by_one : last;
    double sum = 0;
    for (std::int64_t i = first; i <= stop; ++i) sum += f(static_cast<double>(i));
    return stop < last ? sum + smooth_sum(stop + 1, last, f) : sum;
}

}  // namespace tare
