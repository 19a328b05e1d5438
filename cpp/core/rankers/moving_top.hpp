// DCG of the first documents of one query while their scores move along a line: score + step · value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rankers/top_dcg.hpp"

namespace tare {

// The first documents change little from step to step. They are put in order again, and only documents that score
// at least as much as the worst of them are looked at. Of equal scores the first row is better, as in `TopDcg`.
class MovingTop {
public:
    explicit MovingTop(std::size_t cutoff);

    // Begins with another query.
    void set(std::span<const double> scores, std::span<const float> values, std::span<const double> gains);

    double start() const { return dcg_; }  // DCG at step 0
    double at(double step);                // DCG at a step

private:
    double score(std::uint32_t row, double step) const { return scores_[row] + step * values_[row]; }
    bool reorder(double step);
    bool admit(double step);
    void sum();

    TopDcg top_;
    std::size_t size_ = 0;
    std::vector<double> discounts_, scores_, values_;  // scores and values are padded to whole blocks
    std::span<const double> gains_;
    std::vector<std::uint32_t> rows_;  // the first documents in order
    std::vector<double> best_;         // their scores
    std::vector<std::uint16_t> marks_, first_;  // one bit for each row: may be, and was, among the first
    double dcg_ = 0;
};

}  // namespace tare
