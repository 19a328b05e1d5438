// Harmonic numbers, exact to a few units in the last place for any n.
#pragma once

#include <cmath>

namespace tare {

// H_n = 1 + 1/2 + … + 1/n.
inline double harmonic(double n) {
    if (n < 64) {
        double sum = 0;
        for (double i = n; i >= 1; --i) sum += 1 / i;
        return sum;
    }
    constexpr double euler = 0.57721566490153286061;
    const double x = 1 / (n * n);
    return std::log(n) + euler + 1 / (2 * n) -
           x * (1.0 / 12 - x * (1.0 / 120 - x * (1.0 / 252 - x / 240)));
}

// H_b - H_a, without the cancellation where the two are close.
inline double harmonic_between(double a, double b) {
    if (b - a <= 64) {
        double sum = 0;
        for (double i = b; i > a; --i) sum += 1 / i;
        return sum;
    }
    if (a < 64) return harmonic(b) - harmonic(a);
    const double x = 1 / (a * a), y = 1 / (b * b);
    const auto series = [](double u) {
        return u * (1.0 / 12 - u * (1.0 / 120 - u * (1.0 / 252 - u / 240)));
    };
    return std::log1p((b - a) / a) + (1 / (2 * b) - 1 / (2 * a)) + (series(x) - series(y));
}

}  // namespace tare
