// α of many resamples at once: the innermost loops run over the draws of a block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stats/alpha.hpp"
#include "core/stats/lanes.hpp"

namespace tare {

// Every sum has the order of `alpha`, so a draw has the same bits alone and in a block.
class AlphaBlock {
public:
    AlphaBlock(const Ratings& ratings, Level level);

    // Memory of a thread, kept from block to block; values and units × LANES.
    struct Work {
        std::vector<std::int32_t> weights;
        std::vector<double> counts, scores, apart;
    };

    // α of the draws first … first + made.size() − 1, at most LANES.
    void draw(std::uint64_t seed, std::uint64_t first, std::span<double> made, Work& work) const;

private:
    const Ratings& ratings_;
    Level level_;
    std::vector<std::size_t> kind_;     // of each unit: units with the same codes are of one kind
    std::vector<std::size_t> example_;  // a unit of each kind
    std::vector<std::vector<std::size_t>>
        units_of_;         // of each value, a unit as often as it has the value
    bool finite_ = false;  // the disagreement within each kind is fixed and finite
    std::vector<double>
        fixed_;  // the disagreement within each kind, where it is the same in all draws
};

}  // namespace tare
