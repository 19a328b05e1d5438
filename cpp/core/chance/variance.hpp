// Closed forms: the variance of a measure over all orders of tied documents.
#pragma once

#include <optional>
#include <string_view>

#include "core/measures/spec.hpp"

namespace tare {

// The variance for one ranking, or nothing where this one has no closed form (then orders are
// taken).
using VarianceKernel = std::optional<double> (*)(const Ranking&, const Spec&);

// The closed form for a kernel, or null where there is none.
VarianceKernel find_variance(std::string_view name);

}  // namespace tare
