// A dense matrix of features that grows by rows while its width is still being found out.
//
// Rows are kept with the width known when they came; they are spread to the final width in place,
// so that there is never a second copy of the matrix.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace tare {

// The ids of features met so far. Columns begin with feature 1, or with feature 0 where one is met.
struct FeatureSpan {
    std::uint32_t first = 1, last = 0;

    std::size_t width() const { return std::size_t{last} + 1 - first; }
    void add(std::uint32_t id) {
        if (id < first) first = id;
        if (id > last) last = id;
    }
    FeatureSpan joined(FeatureSpan other) const {
        return {first < other.first ? first : other.first, last > other.last ? last : other.last};
    }
    bool operator==(const FeatureSpan&) const = default;
};

class FeatureMatrix {
public:
    static constexpr std::size_t most_cells = std::size_t{1} << 32;  // 16 GiB

    // Whether so many more rows of these features stay within most_cells.
    bool fits(std::size_t rows, FeatureSpan features) const;
    // Makes room for more rows, each of span().width() cells; the cells are the caller's to fill.
    float* add(std::size_t rows, FeatureSpan features);
    // Spreads all rows to the final width and gives back what room is left over.
    void finish();
    // Puts row order[i] in place i, for every i, without a second matrix.
    void reorder(std::span<const std::int64_t> order);

    FeatureSpan span() const { return span_; }
    std::size_t rows() const { return rows_; }
    std::size_t width() const { return span_.width(); }
    // Hands the cells over; they are freed with std::free.
    float* release() { return data_.release(); }

private:
    struct Stretch {  // consecutive rows of one width
        std::size_t rows;
        FeatureSpan features;
    };
    struct Free {
        void operator()(float* p) const { std::free(p); }
    };
    void reserve(std::size_t cells);
    void resize(std::size_t cells);
    void spread(FeatureSpan features);

    std::unique_ptr<float, Free> data_;
    std::vector<Stretch> stretches_;
    FeatureSpan span_;
    std::size_t rows_ = 0, cells_ = 0, capacity_ = 0;
};

}  // namespace tare
