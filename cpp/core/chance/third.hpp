// Closed forms: the third central moment of a measure over all orders of tied documents.
#pragma once

#include <optional>
#include <string_view>

#include "core/measures/spec.hpp"

namespace tare {

using ThirdKernel = std::optional<double> (*)(const Ranking&, const Spec&);

// The closed form for a kernel, or null where there is none (then orders are taken).
ThirdKernel find_third(std::string_view name);

}  // namespace tare
