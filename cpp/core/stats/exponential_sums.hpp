// Signed sums of independent exponential variables, as in Gaffke's bound of a mean.
#pragma once

#include <cstdint>
#include <span>

namespace tare {

// P(Σ c_i E_i ≤ 0) for independent standard exponentials E_i; weights[i] is how many E_i have the
// coefficient c[i]. By the inversion of Gil-Pelaez: ½ − (1/π)∫ Im φ(t)/t dt.
double exponential_sum_tail(std::span<const double> c, std::span<const std::int64_t> weights,
                            unsigned threads);

}  // namespace tare
