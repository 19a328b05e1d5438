// Correlations of two columns of numbers, for many pairs of columns at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

enum class Correlation { pearson, spearman, tau_a, tau_b, tau_ap_a, tau_ap_b };

// x, y: rows × width; returns one value per row, NaN if it is not defined (a constant column).
// τ_AP reads y as the ranking that is examined and x as the one that is true; larger is better.
std::vector<double> correlations(std::span<const double> x, std::span<const double> y,
                                 std::size_t rows, std::size_t width, Correlation kind,
                                 unsigned threads);

}  // namespace tare
