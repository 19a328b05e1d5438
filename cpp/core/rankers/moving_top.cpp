#include "core/rankers/moving_top.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/wide.hpp"

namespace tare {

namespace {

constexpr std::size_t BLOCK = 16;  // rows with one word of marks

using Four = double __attribute__((vector_size(32)));
using FourBits = std::int64_t __attribute__((vector_size(32)));

// Which rows score at least `least`: one bit for each.
TARE_WIDE void mark(const double* scores, const double* values, double step, double least, std::size_t blocks,
                    std::uint16_t* marks) {
    for (std::size_t b = 0; b < blocks; ++b) {
        FourBits found = {};
        for (int part = 0; part < 4; ++part) {
            const std::size_t at = b * BLOCK + 4 * static_cast<std::size_t>(part);
            Four score, value;
            std::memcpy(&score, scores + at, sizeof(Four));
            std::memcpy(&value, values + at, sizeof(Four));
            const FourBits bits = FourBits{1, 2, 4, 8} << (4 * part);
            found |= (score + step * value >= least) & bits;
        }
        marks[b] = static_cast<std::uint16_t>((found[0] | found[1]) | (found[2] | found[3]));
    }
}

bool before(double score, std::uint32_t row, double other_score, std::uint32_t other_row) {
    return score > other_score || (score == other_score && row < other_row);
}

}  // namespace

MovingTop::MovingTop(std::size_t cutoff) : top_(cutoff), discounts_(cutoff) {
    for (std::size_t i = 0; i < cutoff; ++i) discounts_[i] = 1.0 / std::log2(static_cast<double>(i) + 2.0);
}

void MovingTop::set(std::span<const double> scores, std::span<const float> values, std::span<const double> gains) {
    size_ = scores.size();
    gains_ = gains;
    const std::size_t blocks = (size_ + BLOCK - 1) / BLOCK;
    scores_.assign(blocks * BLOCK, std::numeric_limits<double>::quiet_NaN());  // never at least anything
    values_.assign(blocks * BLOCK, 0.0);
    std::copy(scores.begin(), scores.end(), scores_.begin());
    std::copy(values.begin(), values.end(), values_.begin());
    dcg_ = top_.of(scores, gains);
    rows_.assign(top_.rows().begin(), top_.rows().end());
    best_.resize(rows_.size());
    marks_.resize(blocks);
    first_.assign(blocks, 0);
    for (const std::uint32_t row : rows_) first_[row / BLOCK] |= static_cast<std::uint16_t>(1U << row % BLOCK);
}

// Puts the first documents in the order of their scores now; returns whether the order changed.
bool MovingTop::reorder(double step) {
    bool changed = false;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        const std::uint32_t row = rows_[k];
        const double now = score(row, step);
        std::size_t at = k;
        for (; at > 0 && before(now, row, best_[at - 1], rows_[at - 1]); --at) {
            best_[at] = best_[at - 1];
            rows_[at] = rows_[at - 1];
        }
        best_[at] = now;
        rows_[at] = row;
        changed |= at != k;
    }
    return changed;
}

// Takes in documents that are now better than the last of the first; returns whether there are any.
bool MovingTop::admit(double step) {
    if (rows_.size() == size_ || rows_.empty()) return false;
    bool changed = false;
    mark(scores_.data(), values_.data(), step, best_.back(), marks_.size(), marks_.data());
    for (std::size_t b = 0; b < marks_.size(); ++b)
        for (auto left = static_cast<std::uint32_t>(marks_[b] & ~first_[b]) & 0xffffU; left != 0; left &= left - 1) {
            const auto row = static_cast<std::uint32_t>(b * BLOCK) + static_cast<std::uint32_t>(std::countr_zero(left));
            const double now = score(row, step);
            if (!before(now, row, best_.back(), rows_.back())) continue;
            const std::uint32_t out = rows_.back();
            first_[out / BLOCK] &= static_cast<std::uint16_t>(~(1U << out % BLOCK));
            first_[b] |= static_cast<std::uint16_t>(1U << row % BLOCK);
            std::size_t at = rows_.size() - 1;
            for (; at > 0 && before(now, row, best_[at - 1], rows_[at - 1]); --at) {
                best_[at] = best_[at - 1];
                rows_[at] = rows_[at - 1];
            }
            best_[at] = now;
            rows_[at] = row;
            changed = true;
        }
    return changed;
}

double MovingTop::at(double step) {
    const bool reordered = reorder(step), admitted = admit(step);
    if (reordered || admitted) sum();
    return dcg_;
}

void MovingTop::sum() {
    dcg_ = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) dcg_ += gains_[rows_[i]] * discounts_[i];
}

}  // namespace tare
