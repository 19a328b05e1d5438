// Drawing without replacement: of m documents, r are special; x are drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/measures/smooth_sum.hpp"

namespace tare {

// E[f(j)], j of the special ones among the x drawn. The weights C(x, j)·C(m-x, r-j) are taken
// relative to the likeliest and divided by their sum, so nothing overflows, every term is positive,
// and those too small to matter are never visited. The sum of the weights is C(m, r) for any real
// x too, so x need not be whole: then this is the smooth function through the whole ones.
template <class F>
double mean_over_drawn(double m, double r, double x, F&& f) {
    constexpr double negligible = 1e-26;
    const double least = std::fmax(0, std::ceil(x - (m - r))), most = std::fmin(r, std::floor(x));
    const double start = std::fmin(std::fmax(std::floor((x + 1) * (r + 1) / (m + 2)), least), most);
    double weights = 1, sum = f(start), weight = 1;
    for (double j = start; j < most; ++j) {
        weight *= (x - j) / (m - r - x + j + 1) * ((r - j) / (j + 1));
        if (weight < negligible) break;
        weights += weight;
        sum += weight * f(j + 1);
    }
    weight = 1;
    for (double j = start; j > least; --j) {
        weight *= (m - r - x + j) / (x - j + 1) * (j / (r - j + 1));
        if (weight < negligible) break;
        weights += weight;
        sum += weight * f(j - 1);
    }
    return sum / weights;
}

// Σ_{x=0..last} E[f(x, j)], j of the special ones among the first x drawn: one by one at both ends,
// as a smooth sum between them. Where most documents are special, the others are followed instead,
// and j may be no whole number.
template <class F>
double sum_over_drawn(std::int64_t m, std::int64_t r, std::int64_t last, F&& f) {
    constexpr std::int64_t counted = 1 << 12, end = 64;
    const double all = static_cast<double>(m), special = static_cast<double>(r);
    const auto mean = [&](double x) {
        if (2 * r <= m) return mean_over_drawn(all, special, x, [&](double j) { return f(x, j); });
        return mean_over_drawn(all, all - special, x,
                               [&](double others) { return f(x, x - others); });
    };
    double sum = 0;
    if (last <= counted + 2 * end) {
        for (std::int64_t x = 0; x <= last; ++x) sum += mean(static_cast<double>(x));
        return sum;
    }
    for (std::int64_t x = 0; x <= counted; ++x) sum += mean(static_cast<double>(x));
    for (std::int64_t x = last - end + 1; x <= last; ++x) sum += mean(static_cast<double>(x));
    return sum + smooth_sum(counted + 1, last - end, mean);
}

// The logarithm of the probability that none of the r special ones is among x drawn from m:
// C(m-r, x)/C(m, x), as Π (m-a-i)/(m-i) over i < b for {a, b} = {r, x}, the shorter product.
inline double log_probability_of_none(std::int64_t m, std::int64_t r, std::int64_t x) {
    if (r <= 0 || x <= 0) return 0;
    if (x > m - r) return -std::numeric_limits<double>::infinity();
    const std::int64_t a = std::max(r, x), b = std::min(r, x);
    double log_none = 0;
    for (std::int64_t i = 0; i < b; ++i)
        log_none += std::log1p(-static_cast<double>(a) / static_cast<double>(m - i));
    return log_none;
}

// Its complement, exact where that is small.
inline double probability_of_some(std::int64_t m, std::int64_t r, std::int64_t x) {
    return -std::expm1(log_probability_of_none(m, r, x));
}

// Σ_{j=1..last} P(the first special one is the j-th drawn)·f(j), P(j) = C(m-j, r-1)/C(m, r).
template <class F>
double sum_over_first(std::int64_t m, std::int64_t r, std::int64_t last, F&& f) {
    constexpr std::int64_t counted = 1 << 15;
    constexpr double negligible = 1e-40;
    last = std::min(last, m - r + 1);
    const double share = static_cast<double>(r) / static_cast<double>(m);
    double p = 1, sum = 0;  // p is relative to P(1) = share
    for (std::int64_t j = 1; j <= std::min(last, counted); ++j) {
        sum += p * f(static_cast<double>(j));
        p *= static_cast<double>(m - j - r + 1) / static_cast<double>(m - j);
        if (p < negligible) return share * sum;
    }
    if (last > counted)
        sum += smooth_sum(counted + 1, last, [&](double j) {
            double log_none = 0;
            for (std::int64_t k = 0; k < r - 1; ++k)
                log_none += std::log1p(-(j - 1) / static_cast<double>(m - 1 - k));
            return std::exp(log_none) * f(j);
        });
    return share * sum;
}

}  // namespace tare
