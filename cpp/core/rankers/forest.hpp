// Regression trees, and their sum for each row of features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare {

// How a split treats missing values, in the bits of LightGBM's decision_type.
struct SplitRule {
    static constexpr std::uint8_t default_left = 2;
    static constexpr std::uint8_t missing = 12;  // the two bits that say which values are missing
    static constexpr std::uint8_t zero_is_missing = 4;
    static constexpr std::uint8_t nan_is_missing = 8;
};

// Tree t has the splits offsets[t] to offsets[t + 1] and one leaf more than splits. A child that is
// not negative is a split of the same tree, with a higher number than its parent; ~child is a leaf.
struct Forest {
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> features;
    std::span<const double> thresholds;
    std::span<const std::uint8_t> rules;
    std::span<const std::int32_t> left, right;
    std::span<const double> leaves;

    std::size_t trees() const { return offsets.size() - 1; }

    // Whether every walk from a root stays in the arrays and ends in a leaf.
    bool sound(std::size_t columns) const;
};

// The leaves that each row reaches, added up in the order of the trees. Bit for bit what LightGBM
// adds up: values no further from 0 than the float 1e-35 are 0, and NaN is 0 unless the split takes
// it as missing.
std::vector<double> forest_scores(const Forest& forest, std::span<const float> rows,
                                  std::size_t count, std::size_t columns);

}  // namespace tare
