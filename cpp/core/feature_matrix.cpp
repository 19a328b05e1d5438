#include "core/feature_matrix.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace tare {

bool FeatureMatrix::fits(std::size_t rows, FeatureSpan features) const {
    const std::size_t width = span_.joined(features).width();
    return width == 0 || rows_ + rows <= most_cells / width;
}

// Large blocks grow by moving pages, not bytes, and pages that nobody wrote to cost nothing.
void FeatureMatrix::resize(std::size_t cells) {
    const std::size_t bytes = std::max<std::size_t>(cells, 1) * sizeof(float);
    auto* const moved = static_cast<float*>(std::realloc(data_.get(), bytes));
    if (moved == nullptr) throw std::bad_alloc();
    (void)data_.release();
    data_.reset(moved);
    capacity_ = cells;
}

void FeatureMatrix::reserve(std::size_t cells) {
    if (cells > capacity_) resize(std::max(cells, capacity_ + capacity_ / 2));
}

float* FeatureMatrix::add(std::size_t rows, FeatureSpan features) {
    const FeatureSpan joined = span_.joined(features);
    if (stretches_.empty() || joined != span_) {
        // Spreading what is there is put off, unless it costs no more than what is about to come.
        if (cells_ <= rows * joined.width()) spread(joined);
        if (stretches_.empty() || stretches_.back().features != joined)
            stretches_.push_back({0, joined});
        span_ = joined;
    }
    const std::size_t before = cells_;
    reserve(before + rows * width());
    stretches_.back().rows += rows;
    rows_ += rows;
    cells_ += rows * width();
    return data_.get() + before;
}

// From the last row to the first: a row moves to the right of where it stood, never over an earlier
// one.
void FeatureMatrix::spread(FeatureSpan features) {
    const std::size_t wide = features.width();
    reserve(rows_ * wide);
    const float* from = data_.get() + cells_;
    float* to = data_.get() + rows_ * wide;
    for (auto s = stretches_.rbegin(); s != stretches_.rend(); ++s) {
        const std::size_t narrow = s->features.width(), shift = s->features.first - features.first;
        for (std::size_t i = 0; i < s->rows; ++i) {
            from -= narrow;
            to -= wide;
            std::memmove(to + shift, from, narrow * sizeof(float));
            std::fill(to, to + shift, 0.0f);
            std::fill(to + shift + narrow, to + wide, 0.0f);
        }
    }
    if (rows_ > 0) stretches_.assign(1, {rows_, features});
    cells_ = rows_ * wide;
}

void FeatureMatrix::finish() {
    if (stretches_.size() > 1) spread(span_);
    resize(cells_);
}

void FeatureMatrix::reorder(std::span<const std::int64_t> order) {
    const std::size_t bytes = width() * sizeof(float);
    std::vector<float> held(width());
    std::vector<bool> placed(order.size(), false);
    const auto row = [&](std::size_t i) { return data_.get() + i * width(); };
    for (std::size_t start = 0; start < order.size(); ++start) {
        if (placed[start] || static_cast<std::size_t>(order[start]) == start || width() == 0)
            continue;
        std::memcpy(held.data(), row(start), bytes);
        for (std::size_t to = start;;) {
            placed[to] = true;
            const auto from = static_cast<std::size_t>(order[to]);
            if (from == start) {
                std::memcpy(row(to), held.data(), bytes);
                break;
            }
            std::memcpy(row(to), row(from), bytes);
            to = from;
        }
    }
}

}  // namespace tare
