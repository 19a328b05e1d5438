#include "core/stats/studentised_range.hpp"

#include <algorithm>
#include <cmath>

namespace tare {

namespace {

constexpr double STEP = 1.0 / 16;  // of the table; the range's tail is smooth on the scale of 1
constexpr double END = 20.0;       // beyond it the tail is below 1e-40 for any number of groups
constexpr int AHEAD = 4;           // points of the table on each side of an interpolated one

double normal_below(double z) { return 0.5 * std::erfc(-z * M_SQRT1_2); }

// P(range of k standard normals > w) at w = 0, STEP, 2·STEP, …:
// 1 − k ∫ φ(z) [Φ(z) − Φ(z − w)]^(k−1) dz. Trapezoids converge geometrically for such integrands,
// and a grid with the step of the table needs each Φ once.
std::vector<double> range_tail_table(int groups) {
    const int points = static_cast<int>(END / STEP) + 2 * AHEAD + 1;
    const int reach = static_cast<int>(9.0 / STEP);
    std::vector<double> below(static_cast<std::size_t>(2 * reach + points + 1));
    for (std::size_t j = 0; j < below.size(); ++j)
        below[j] = normal_below((static_cast<int>(j) - reach - points) * STEP);
    std::vector<double> tail(static_cast<std::size_t>(points));
    for (int k = 0; k < points; ++k) {
        double sum = 0;
        for (int j = -reach; j <= reach; ++j) {
            const double z = j * STEP;
            const double inside = below[static_cast<std::size_t>(j + reach + points)] -
                                  below[static_cast<std::size_t>(j - k + reach + points)];
            if (inside > 0) sum += std::exp(-0.5 * z * z) * std::pow(inside, groups - 1);
        }
        tail[static_cast<std::size_t>(k)] =
            std::max(0.0, 1 - groups * sum * STEP / std::sqrt(2 * M_PI));
    }
    return tail;
}

// Lagrange's polynomial through the eight nearest points.
double interpolate(const std::vector<double>& table, double w) {
    if (w >= END) return 0;
    const double place = w / STEP;
    const int left = std::max(0, static_cast<int>(place) - AHEAD + 1);
    double value = 0;
    for (int a = 0; a < 2 * AHEAD; ++a) {
        double weight = 1;
        for (int b = 0; b < 2 * AHEAD; ++b)
            if (b != a) weight *= (place - left - b) / (a - b);
        value += weight * table[static_cast<std::size_t>(left + a)];
    }
    return std::clamp(value, 0.0, 1.0);
}

}  // namespace

std::vector<double> studentised_range_tail(std::span<const double> q, int groups, double freedom) {
    // Quantiles ask again and again for the same number of groups.
    thread_local int known = 0;
    thread_local std::vector<double> table;
    if (known != groups) {
        table = range_tail_table(groups);
        known = groups;
    }
    std::vector<double> tail(q.size());
    if (std::isinf(freedom)) {
        for (std::size_t k = 0; k < q.size(); ++k)
            tail[k] = interpolate(table, std::max(0.0, q[k]));
        return tail;
    }
    // Over x = log s, s the standard deviation: density ∝ exp(f·(x − (e^{2x} − 1)/2)).
    const auto exponent = [&](double x) { return freedom * (x - 0.5 * std::expm1(2 * x)); };
    double low = 0, high = 0;
    const double stride = 0.25 / std::sqrt(freedom);
    while (exponent(low) > -38) low -= stride;
    while (exponent(high) > -38) high += stride;
    const int nodes = 2 * static_cast<int>((high - low) / stride);
    const double h = (high - low) / nodes;
    std::vector<double> weight, scale;
    double total = 0;
    for (int j = 0; j <= nodes; ++j) {
        const double x = low + j * h;
        weight.push_back(std::exp(exponent(x)));
        scale.push_back(std::exp(x));
        total += weight.back();
    }
    for (std::size_t k = 0; k < q.size(); ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < weight.size(); ++j)
            sum += weight[j] * interpolate(table, std::max(0.0, q[k]) * scale[j]);
        tail[k] = std::clamp(sum / total, 0.0, 1.0);
    }
    return tail;
}

}  // namespace tare
