// The studentised range distribution, behind Tukey's honestly significant difference.
#pragma once

#include <span>
#include <vector>

namespace tare {

// P(Q > q) for the range of `groups` normal means over an independent standard deviation with
// `freedom` degrees of freedom (infinity allowed). Absolute error below 1e-10.
std::vector<double> studentised_range_tail(std::span<const double> q, int groups, double freedom);

}  // namespace tare
