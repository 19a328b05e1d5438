// DCG of the first documents of one query while their scores move along a line: score + step ·
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rankers/top_dcg.hpp"

namespace tare {

// Steps grow in one direction. A document that scores less than all of the first and has a lower
// value stays behind them at every later step and is forgotten; when none is left, no step changes
// anything. Of equal scores the first row is better, as in `TopDcg`.
class MovingTop {
public:
    explicit MovingTop(std::size_t cutoff);

    // Begins with another query. order: its rows by descending score, the first row first among
    // equals.
    void set(std::span<const double> scores, std::span<const std::int32_t> order,
             std::span<const float> values, std::span<const double> gains);

    double start() const { return dcg_; }  // DCG at step 0

    // DCG at steps that all have one sign and grow in size. Only as long as all scores are finite.
    void along(std::span<const double> steps, std::span<double> found);

    // How many documents can be among the first at a later step, as far as was looked.
    std::size_t candidates() const { return first_ + outside_; }

private:
    void begin(bool negative);
    void pad(std::size_t from, std::size_t to);
    void put(std::size_t from, double now, double score, double value, std::uint32_t row);
    void drop(double step);
    bool reorder(double step);
    bool admit(double step);
    bool settled(double step) const;
    void sum();

    std::size_t cutoff_, size_ = 0, first_ = 0, outside_ = 0;
    std::vector<double> discounts_;
    std::span<const double> scores_, gains_;
    std::span<const std::int32_t> order_;
    double largest_score_ = 0, largest_value_ = 0;
    std::span<const float> values_;
    std::vector<double> now_;  // scores of the first documents at the step, in order
    std::vector<double> top_scores_, top_values_;  // values are turned, if steps are negative
    std::vector<std::uint32_t> top_rows_;
    std::vector<double> out_scores_, out_values_;  // of the others, padded to whole blocks
    std::vector<std::uint32_t> out_rows_;
    std::vector<std::uint16_t> marks_;  // one bit for each of them: may be among the first
    double dcg_ = 0;
};

// The rows of each query by descending score, counted from the query's first row; the first row
// first among equals.
std::vector<std::int32_t> score_order(std::span<const std::int64_t> offsets,
                                      std::span<const double> scores);

}  // namespace tare
