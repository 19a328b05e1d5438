// Longest common subsequences that favour runs: a run of k matches is worth k^w.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text_measures/prepared.hpp"

namespace tare::text {

class WeightedLcs {
public:
    explicit WeightedLcs(double weight) : weight_(weight) {}

    // The value of the best weighted subsequence of two whole texts (Lin 2004, §4); memory is
    // linear.
    double value(Tokens reference, Tokens candidate);
    // Marks the reference's tokens on it, by the same walk back as for the plain subsequence.
    void mark(Tokens reference, Tokens candidate, std::vector<bool>& marked);
    double f(std::size_t run);

private:
    // The row of one reference token: values and the lengths of the runs that end there.
    void advance(std::uint32_t token, Tokens candidate, std::vector<bool>* ups, std::size_t at);

    double weight_;
    std::vector<double> powers_, values_;
    std::vector<std::uint32_t> runs_;
};

}  // namespace tare::text
