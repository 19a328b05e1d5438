// All measures of all queries of one system.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/chance/orders.hpp"
#include "core/chance/third.hpp"
#include "core/chance/variance.hpp"
#include "core/measures/kernels.hpp"

namespace tare {

// The arrays of Judged, with the pools they refer to.
struct Rankings {
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> ranks, codes;
    std::span<const std::int64_t> lows, highs, retrieved;
    std::span<const std::int64_t> pool_offsets;
    std::span<const std::int32_t> pool;
    std::span<const std::uint64_t>
        streams;  // by query, for sampling; may be empty without tie groups

    std::size_t size() const { return retrieved.size(); }
    Ranking operator[](std::size_t q) const;
};

struct MeasureKernel {
    Spec spec;
    Kernel value = nullptr;
    Kernel expected = nullptr;  // null: over the orders themselves
    VarianceKernel variance = nullptr;
    ThirdKernel third = nullptr;
};

struct Values {
    std::vector<double> values;  // measures × queries
    std::vector<double> errors;  // standard errors, 0 where the value is exact
};

// What chance makes of each query's tied documents.
struct Spread {
    std::vector<double> variances;        // measures × queries
    std::vector<double> variance_errors;  // standard errors, 0 where a variance is exact
};

Spread spread(const Rankings& rankings, std::span<const MeasureKernel> measures,
              const OrderOptions& options, unsigned threads);

// Third central moments of each query's values over the orders of its tied documents, with errors.
Values thirds(const Rankings& rankings, std::span<const MeasureKernel> measures,
              const OrderOptions& options, unsigned threads);

// The probability that chance scores at least as high as observed, measures × queries: the share
// of all orders, or (b+1)/(B+1) of B sampled ones, with standard errors.
Values tail_probabilities(const Rankings& rankings, std::span<const MeasureKernel> measures,
                          std::span<const double> observed, const OrderOptions& options,
                          unsigned threads);

Values evaluate(const Rankings& rankings, std::span<const MeasureKernel> measures,
                const OrderOptions& options, unsigned threads);

}  // namespace tare
