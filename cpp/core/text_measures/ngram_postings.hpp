// The n-grams of an item's references, and how many of them another text shares.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/text_measures/ngrams.hpp"

namespace tare::text {

// One distinct n-gram of a reference: where it stands first, and how often it stands there.
struct GramCount {
    std::uint32_t reference, place, count;
};

class NGramPostings {
public:
    // The references are texts 1 … count-1.
    void build(const std::vector<Prepared>& texts, std::size_t count, std::size_t n,
               std::uint32_t distinct);
    // Adds the clipped matches of a text to hits[reference - 1].
    void add_hits(Tokens text, std::span<double> hits);
    // The distinct n-grams, each reference's own counted apart.
    std::span<const GramCount> grams() const { return entries_; }

private:
    std::uint32_t find(const std::uint32_t* token) const;

    std::size_t n_ = 1;
    std::vector<PairNumbers> levels_;
    std::vector<GramCount> entries_;    // sorted by n-gram
    std::vector<std::uint32_t> start_;  // of each n-gram's entries
    std::vector<std::uint32_t> counts_, touched_;
};

}  // namespace tare::text
