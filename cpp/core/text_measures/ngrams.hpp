// N-grams of the texts of an item, as numbers; how many two texts share.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text_measures/prepared.hpp"

namespace tare::text {

// A number for each pair of numbers, in order of arrival.
class PairNumbers {
public:
    void reset(std::size_t expected);
    std::uint32_t number(std::uint32_t first, std::uint32_t second);
    // The number of a pair that has one, `none` for any other.
    std::uint32_t find(std::uint32_t first, std::uint32_t second) const;
    static constexpr std::uint32_t none = 0xffffffff;
    std::uint32_t size() const { return used_; }

private:
    struct Slot {
        std::uint64_t key;
        std::uint32_t round, number;
    };
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::uint32_t round_ = 0, used_ = 0;
};

// Numbers of n-grams, built from those of (n-1)-grams, so that equal numbers mean equal n-grams.
class NGrams {
public:
    // Texts of one item; the first is the candidate. `distinct` is the number of distinct tokens.
    void start_item(const std::vector<Prepared>& texts, std::size_t count, std::uint32_t distinct);
    // Goes on to n-grams of this length; lengths must not fall within an item.
    void extend_to(std::size_t n);

    Tokens of(std::size_t text) const { return grams_[text]; }
    // How many n-grams text `reference` shares with the candidate, clipped; or how many distinct
    // ones.
    std::uint64_t shared(std::size_t reference);
    std::uint64_t shared_distinct(std::size_t reference);

private:
    void count_candidate();

    const std::vector<Prepared>* texts_ = nullptr;
    std::size_t count_ = 0, n_ = 0;
    std::uint32_t distinct_ = 0;
    std::vector<std::vector<std::uint32_t>> grams_;
    std::vector<std::uint32_t> counts_, left_;
    PairNumbers pairs_;
};

}  // namespace tare::text
