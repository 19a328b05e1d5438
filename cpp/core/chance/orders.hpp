// The orders of tied documents themselves: all of them where they are few, a seeded sample
// otherwise.
#pragma once

#include <cstdint>

#include "core/measures/spec.hpp"

namespace tare {

struct OrderOptions {
    std::int64_t most_orders = 50000;  // enumerate up to this many
    std::int64_t samples = 10000;      // at most: fewer for queries with over 5,000 documents
    std::uint64_t seed = 0;
};

struct OrderMean {
    double mean = 0;
    double variance = 0;
    double error = 0;  // standard error of the mean; 0 where all orders were taken
    double variance_error = 0;
    double third = 0;  // third central moment
    double third_error = 0;
    std::int64_t orders = 0;
    bool sampled = false;
};

// Mean and variance of a kernel over the orders of a ranking's tie groups. `stream` tells one
// query's random numbers from another's, so that neither threads nor batches change them.
OrderMean over_orders(const Ranking& r, const Spec& s, Kernel kernel, const OrderOptions& options,
                      std::uint64_t stream);

struct Tail {
    double probability = 1;
    double error = 0;  // 0 where all orders were taken
};

// The probability that an order scores at least `observed`: exact where all orders are taken,
// otherwise (b+1)/(B+1) for b of B sampled ones, with its standard error. Values closer than 1e-12
// count as equal.
Tail probability_at_least(const Ranking& r, const Spec& s, Kernel kernel, double observed,
                          const OrderOptions& options, std::uint64_t stream);

}  // namespace tare
