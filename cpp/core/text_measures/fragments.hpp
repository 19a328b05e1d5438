// How much of a summary is taken from its source, and how much it repeats itself.
#pragma once

#include <span>
#include <vector>

#include "core/text_measures/rouge.hpp"

namespace tare::text {

// Items hold a summary and its source. Columns: tokens of the summary, tokens of the source, the
// summed lengths of the extractive fragments and of their squares (Grusky et al. 2018), then for
// each n the summary's n-grams, its distinct ones, and those of its distinct ones not in the
// source.
std::vector<double> fragment_counts(const TextItems& items, const Profile& profile,
                                    std::span<const std::size_t> sizes, unsigned threads);

}  // namespace tare::text
