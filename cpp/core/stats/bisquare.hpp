// Robust regression by Tukey's bisquare: many subsets of the features, each on its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tare {

struct BisquareOptions {
    double tune = 4.685;
    int most_steps = 50;
    bool matlab_scale = false;  // p − 1 of the smallest |r| are left out of s, not p
};

// columns: features × rows, one feature after another; y: rows; bit j of a mask takes feature j in.
// Returns masks × (1 + features): the intercept and the coefficients, 0 outside the subset and for
// columns that the others of the subset explain.
//
// Iteratively reweighted least squares from the plain fit, as Matlab's robustfit: residuals are
// divided by √(1 − leverage) and by s = median |r| / 0.6745, the p smallest |r| left out; weights
// are (1 − (r/(tune·s))²)² within 1.
std::vector<double> bisquare_subsets(std::span<const double> columns, std::size_t features,
                                     std::span<const double> y, std::span<const std::int64_t> masks,
                                     const BisquareOptions& options, unsigned threads);

}  // namespace tare
