#include "core/rankers/moving_top.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/wide.hpp"

namespace tare {

namespace {

constexpr std::size_t BLOCK = 16;  // documents with one word of marks
constexpr std::size_t LOOKS = 4;   // steps after which documents are forgotten

// Rounding of score + step · value is at most 2⁻⁵² of |score| + |step · value|. Two documents whose
// scores differ by more than this share of them stay apart if the better one has the larger value:
// values are floats, so that a difference between them is at least 2⁻²⁵ of the larger one, far more
// than rounding.
constexpr double CLEAR = 0x1.0p-48;

using Four = double __attribute__((vector_size(32)));
using FourBits = std::int64_t __attribute__((vector_size(32)));

// Marks the documents for which a test holds, one bit for each. The test gets scores at the step
// and values.
template <class Holds>
[[gnu::always_inline]] inline void mark_where(const double* scores, const double* values,
                                              double step, std::size_t blocks, std::uint16_t* marks,
                                              const Holds& holds) {
    for (std::size_t b = 0; b < blocks; ++b) {
        FourBits found = {};
        for (int part = 0; part < 4; ++part) {
            const std::size_t at = b * BLOCK + 4 * static_cast<std::size_t>(part);
            Four now, value;
            std::memcpy(&now, scores + at, sizeof(Four));
            std::memcpy(&value, values + at, sizeof(Four));
            now += step * value;
            FourBits here;
            holds(now, value, here);
            found |= here & (FourBits{1, 2, 4, 8} << (4 * part));
        }
        marks[b] = static_cast<std::uint16_t>((found[0] | found[1]) | (found[2] | found[3]));
    }
}

// Documents that score at least `least`.
TARE_WIDE void mark(const double* scores, const double* values, double step, double least,
                    std::size_t blocks, std::uint16_t* marks) {
    mark_where(scores, values, step, blocks, marks,
               [least](const Four& now, const Four&, FourBits& here) { here = now >= least; });
}

// Documents that score at least `bound` or have at least the value `least`.
TARE_WIDE void mark_open(const double* scores, const double* values, double step, double bound,
                         double least, std::size_t blocks, std::uint16_t* marks) {
    mark_where(scores, values, step, blocks, marks,
               [bound, least](const Four& now, const Four& value, FourBits& here) {
                   here = (now >= bound) | (value >= least);
               });
}

bool before(double score, std::uint32_t row, double other_score, std::uint32_t other_row) {
    return score > other_score || (score == other_score && row < other_row);
}

std::size_t blocks_of(std::size_t documents) { return (documents + BLOCK - 1) / BLOCK; }

}  // namespace

MovingTop::MovingTop(std::size_t cutoff) : cutoff_(cutoff), discounts_(cutoff) {
    for (std::size_t i = 0; i < cutoff; ++i)
        discounts_[i] = 1.0 / std::log2(static_cast<double>(i) + 2.0);
}

void MovingTop::set(std::span<const double> scores, std::span<const std::int32_t> order,
                    std::span<const float> values, std::span<const double> gains) {
    size_ = scores.size();
    first_ = std::min(cutoff_, size_);
    scores_ = scores;
    order_ = order;
    gains_ = gains;
    values_ = values;
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::fabs(value));
    largest_value_ = static_cast<double>(largest);
    largest_score_ = 0;
    if (size_ != 0)
        largest_score_ = std::max(std::fabs(scores[static_cast<std::size_t>(order.front())]),
                                  std::fabs(scores[static_cast<std::size_t>(order.back())]));
    for (auto* const part : {&now_, &top_scores_, &top_values_}) part->resize(first_);
    top_rows_.resize(first_);
    const std::size_t padded = blocks_of(size_) * BLOCK;
    for (auto* const part : {&out_scores_, &out_values_}) part->resize(padded);
    out_rows_.resize(padded);
    marks_.resize(blocks_of(size_));
    dcg_ = 0;
    for (std::size_t i = 0; i < first_; ++i)
        dcg_ += gains[static_cast<std::size_t>(order[i])] * discounts_[i];
}

// The first documents at step 0, and the others.
void MovingTop::begin(bool negative) {
    const double sign = negative ? -1.0 : 1.0;
    const auto copy = [&](std::size_t from, std::size_t to, double* scores, double* values,
                          std::uint32_t* rows) {
        for (std::size_t k = from; k < to; ++k) {
            const auto row = static_cast<std::uint32_t>(order_[k]);
            rows[k - from] = row;
            scores[k - from] = scores_[row];
            values[k - from] = sign * static_cast<double>(values_[row]);
        }
    };
    copy(0, first_, top_scores_.data(), top_values_.data(), top_rows_.data());
    copy(first_, size_, out_scores_.data(), out_values_.data(), out_rows_.data());
    outside_ = size_ - first_;
    pad(outside_, out_scores_.size());
}

// Places without a document: never at least anything.
void MovingTop::pad(std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to; ++k) {
        out_scores_[k] = std::numeric_limits<double>::quiet_NaN();
        out_values_[k] = -std::numeric_limits<double>::infinity();
    }
}

// Puts a document at its place among the first, which are in order up to `from`.
void MovingTop::put(std::size_t from, double now, double score, double value, std::uint32_t row) {
    std::size_t at = from;
    for (; at > 0 && before(now, row, now_[at - 1], top_rows_[at - 1]); --at) {
        now_[at] = now_[at - 1];
        top_scores_[at] = top_scores_[at - 1];
        top_values_[at] = top_values_[at - 1];
        top_rows_[at] = top_rows_[at - 1];
    }
    now_[at] = now;
    top_scores_[at] = score;
    top_values_[at] = value;
    top_rows_[at] = row;
}

// Puts the first documents in the order of their scores now; returns whether the order changed.
bool MovingTop::reorder(double step) {
    for (std::size_t k = 0; k < first_; ++k) now_[k] = top_scores_[k] + step * top_values_[k];
    bool apart = true;
    for (std::size_t k = 1; k < first_; ++k) apart &= now_[k - 1] > now_[k];
    if (apart) return false;
    bool changed = false;
    for (std::size_t k = 1; k < first_; ++k)
        if (before(now_[k], top_rows_[k], now_[k - 1], top_rows_[k - 1])) {
            put(k, now_[k], top_scores_[k], top_values_[k], top_rows_[k]);
            changed = true;
        }
    return changed;
}

// Exchanges documents that are now better than the last of the first for it; returns whether there
// are any.
bool MovingTop::admit(double step) {
    if (outside_ == 0) return false;
    bool changed = false;
    const std::size_t blocks = blocks_of(outside_), last = first_ - 1;
    mark(out_scores_.data(), out_values_.data(), step, now_[last], blocks, marks_.data());
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::uint32_t left = marks_[b]; left != 0; left &= left - 1) {
            const std::size_t place = b * BLOCK + static_cast<std::size_t>(std::countr_zero(left));
            const double score = out_scores_[place], value = out_values_[place],
                         now = score + step * value;
            const std::uint32_t row = out_rows_[place];
            if (!before(now, row, now_[last], top_rows_[last])) continue;
            out_scores_[place] = top_scores_[last];
            out_values_[place] = top_values_[last];
            out_rows_[place] = top_rows_[last];
            put(last, now, score, value, row);
            changed = true;
        }
    return changed;
}

// Forgets documents that all of the first are clearly ahead of, now and at every later step, if
// they are many.
void MovingTop::drop(double step) {
    double least = std::numeric_limits<double>::infinity();
    for (const double value : top_values_) least = std::min(least, value);
    const double bound = now_.back() - CLEAR * (largest_score_ + step * largest_value_);
    const std::size_t blocks = blocks_of(outside_);
    mark_open(out_scores_.data(), out_values_.data(), step, bound, least, blocks, marks_.data());
    std::size_t open = 0;
    for (std::size_t b = 0; b < blocks; ++b)
        open += static_cast<std::size_t>(std::popcount(marks_[b]));
    if (2 * open > outside_) return;
    std::size_t kept = 0;
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::uint32_t left = marks_[b]; left != 0; left &= left - 1) {
            const std::size_t place = b * BLOCK + static_cast<std::size_t>(std::countr_zero(left));
            out_scores_[kept] = out_scores_[place];
            out_values_[kept] = out_values_[place];
            out_rows_[kept++] = out_rows_[place];
        }
    pad(kept, outside_);
    outside_ = kept;
}

// Whether no later step changes the order.
bool MovingTop::settled(double step) const {
    if (outside_ != 0) return false;
    const double margin = CLEAR * (largest_score_ + step * largest_value_);
    for (std::size_t k = 1; k < first_; ++k)
        if (!(top_values_[k - 1] > top_values_[k] && now_[k - 1] > now_[k] + margin)) return false;
    return true;
}

void MovingTop::along(std::span<const double> steps, std::span<double> found) {
    const double start = dcg_;
    begin(!steps.empty() && steps.front() < 0);
    bool done = first_ == 0;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        if (!done) {
            const double step = std::fabs(steps[s]);
            const bool reordered = reorder(step), admitted = admit(step);
            if (reordered || admitted) sum();
            if (s % LOOKS == LOOKS - 1) {
                if (outside_ != 0) drop(step);
                done = settled(step);
            }
        }
        found[s] = dcg_;
    }
    dcg_ = start;
}

void MovingTop::sum() {
    dcg_ = 0;
    for (std::size_t i = 0; i < first_; ++i) dcg_ += gains_[top_rows_[i]] * discounts_[i];
}

std::vector<std::int32_t> score_order(std::span<const std::int64_t> offsets,
                                      std::span<const double> scores) {
    std::vector<std::int32_t> order(scores.size());
    std::vector<std::pair<double, std::int32_t>> rows;
    for (std::size_t q = 0; q + 1 < offsets.size(); ++q) {
        const auto begin = static_cast<std::size_t>(offsets[q]),
                   end = static_cast<std::size_t>(offsets[q + 1]);
        rows.clear();
        for (std::size_t i = begin; i < end; ++i)
            rows.emplace_back(-scores[i], static_cast<std::int32_t>(i - begin));
        std::sort(rows.begin(), rows.end());
        for (std::size_t i = begin; i < end; ++i) order[i] = rows[i - begin].second;
    }
    return order;
}

}  // namespace tare
