#include "core/rankers/forest.hpp"

#include <cmath>

namespace tare {

namespace {

constexpr double nearly_zero = 1e-35f;

bool goes_left(double value, double threshold, std::uint8_t rule) {
    const std::uint8_t missing = rule & SplitRule::missing;
    if (missing == SplitRule::nan_is_missing) {
        if (std::isnan(value)) return (rule & SplitRule::default_left) != 0;
    } else {
        if (std::isnan(value)) value = 0;
        if (missing == SplitRule::zero_is_missing && std::fabs(value) <= nearly_zero)
            return (rule & SplitRule::default_left) != 0;
    }
    return value <= threshold;
}

}  // namespace

bool Forest::sound(std::size_t columns) const {
    if (offsets.empty() || offsets.front() != 0) return false;
    const std::size_t splits = features.size();
    if (static_cast<std::size_t>(offsets.back()) != splits || thresholds.size() != splits ||
        rules.size() != splits || left.size() != splits || right.size() != splits ||
        leaves.size() != splits + trees())
        return false;
    for (std::size_t t = 0; t < trees(); ++t) {
        const std::int64_t count = offsets[t + 1] - offsets[t];
        if (count < 0 || offsets[t + 1] > offsets.back()) return false;
        const auto within = [&](std::int64_t child, std::int64_t parent) {
            return child < 0 ? -child <= count + 1 : child > parent && child < count;
        };
        for (std::int64_t k = 0; k < count; ++k) {
            const auto at = static_cast<std::size_t>(offsets[t] + k);
            if (features[at] < 0 || static_cast<std::size_t>(features[at]) >= columns) return false;
            if (!within(left[at], k) || !within(right[at], k)) return false;
        }
    }
    return true;
}

std::vector<double> forest_scores(const Forest& forest, std::span<const float> rows,
                                  std::size_t count, std::size_t columns) {
    std::vector<double> scores(count), row(columns);
    for (std::size_t r = 0; r < count; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
            const double value = rows[r * columns + c];
            row[c] = std::fabs(value) <= nearly_zero ? 0 : value;  // NaN stays
        }
        double sum = 0;
        for (std::size_t t = 0; t < forest.trees(); ++t) {
            const auto first = static_cast<std::size_t>(forest.offsets[t]);
            std::int32_t node = forest.offsets[t + 1] == forest.offsets[t] ? -1 : 0;
            while (node >= 0) {
                const std::size_t at = first + static_cast<std::size_t>(node);
                const double value = row[static_cast<std::size_t>(forest.features[at])];
                node = goes_left(value, forest.thresholds[at], forest.rules[at]) ? forest.left[at]
                                                                                 : forest.right[at];
            }
            sum += forest.leaves[first + t + static_cast<std::size_t>(~node)];
        }
        scores[r] = sum;
    }
    return scores;
}

}  // namespace tare
