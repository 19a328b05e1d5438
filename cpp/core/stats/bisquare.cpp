#include "core/stats/bisquare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/seams.hpp"
#include "core/threads.hpp"
#include "core/wide.hpp"

namespace tare {
namespace {

constexpr std::size_t kLanes = 8;     // rows are padded to whole lanes, with zeros
constexpr double kDependent = 1e-12;  // of a column's own square: what others leave of it
constexpr double kHighestLeverage = 0.9999;

using Four = double
    __attribute__((vector_size(32)));  // left to itself, the compiler shuffles rows into lanes

// Σ w·a·b for `Count` columns b at once: a sum waits for the addition before it, several do not
// wait for each other.
template <std::size_t Count>
[[gnu::always_inline]] inline void sums_of_products(const double* w, const double* a,
                                                    const double* const* b, std::size_t n,
                                                    double* out) {
    const auto product = [](const Four& x, const double* from, Four& to) {
        Four y;
        std::memcpy(&y, from, sizeof(Four));
        to = x * y;
    };
    Four low[Count] = {}, high[Count] = {};
    for (std::size_t i = 0; i < n; i += kLanes) {
        Four w_low, w_high, a_low, a_high, next;
        std::memcpy(&w_low, w + i, sizeof(Four));
        std::memcpy(&w_high, w + i + 4, sizeof(Four));
        product(w_low, a + i, a_low);
        product(w_high, a + i + 4, a_high);
        for (std::size_t c = 0; c < Count; ++c) {
            product(a_low, b[c] + i, next);
            low[c] += next;
            product(a_high, b[c] + i + 4, next);
            high[c] += next;
        }
    }
    for (std::size_t c = 0; c < Count; ++c) {
        const Four lane = low[c] + high[c];
        out[c] = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    }
}

TARE_WIDE void sums_of_products(const double* w, const double* a, const double* const* b,
                                std::size_t count, std::size_t n, double* out) {
    if (count == 1) sums_of_products<1>(w, a, b, n, out);
    if (count == 2) sums_of_products<2>(w, a, b, n, out);
    if (count == 3) sums_of_products<3>(w, a, b, n, out);
    if (count == 4) sums_of_products<4>(w, a, b, n, out);
}

TARE_WIDE void subtract(double factor, const double* a, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] -= factor * a[i];
}

TARE_WIDE void add_square(const double* a, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] += a[i] * a[i];
}

TARE_WIDE void divide(double by, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] /= by;
}

// |r|·adjust.
TARE_WIDE void adjusted(const double* r, const double* adjust, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = std::fabs(r[i] * adjust[i]);
}

TARE_WIDE void weights(const double* size, double inverse, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const double u = size[i] * inverse;
        double w = 1.0 - u * u;
        w = w > 0.0 ? w : 0.0;
        out[i] = w * w;
    }
}

TARE_WIDE std::size_t count_below(const double* size, double limit, std::size_t n) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i) found += size[i] < limit ? 1 : 0;
    return found;
}

// The places low and high (high is low or the next) of the values in order, and their mean.
double middle(std::vector<double>& values, std::size_t low, std::size_t high) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(low);
    std::nth_element(values.begin(), at, values.end());
    if (high == low) return *at;
    return (*at + *std::min_element(at + 1, values.end())) / 2;
}

// One subset's work space.
class Fit {
public:
    Fit(const double* columns, std::size_t padded, std::size_t rows, const double* y, double least,
        const BisquareOptions& options)
        : columns_(columns),
          y_(y),
          padded_(padded),
          rows_(rows),
          least_(least),
          options_(options),
          residual_(padded),
          size_(padded),
          weight_(padded),
          adjust_(padded) {}

    // Fits the columns (0 is the intercept) and writes one coefficient a column.
    void run(const std::vector<std::size_t>& chosen, double* out) {
        k_ = chosen.size();
        chosen_ = chosen.data();
        gram_.assign(k_ * k_, 0.0);
        right_.assign(k_, 0.0);
        factor_.assign(k_ * k_, 0.0);
        b_.assign(k_, 0.0);
        std::fill(weight_.begin(), weight_.end(), 1.0);
        normal_equations();
        const std::size_t rank = decompose();
        solve(b_);
        leverage();
        double scale = 0.0;
        std::vector<double> next(k_);
        const double close = std::sqrt(std::numeric_limits<double>::epsilon());
        for (int step = 0; step < options_.most_steps; ++step) {
            residuals();
            adjusted(residual_.data(), adjust_.data(), size_.data(), padded_);
            scale = deviation(rank, scale);
            weights(size_.data(), 1.0 / (std::max(scale / 0.6745, least_) * options_.tune),
                    weight_.data(), padded_);
            normal_equations();
            decompose();
            solve(next);
            bool moving = false;
            for (std::size_t j = 0; j < k_; ++j)
                moving |= std::fabs(next[j] - b_[j]) >
                          close * std::max(std::fabs(next[j]), std::fabs(b_[j]));
            b_.swap(next);
            if (!moving) break;
        }
        for (std::size_t j = 0; j < k_; ++j) out[chosen_[j]] = b_[j];
    }

private:
    const double* column(std::size_t j) const { return columns_ + chosen_[j] * padded_; }

    void normal_equations() {
        for (std::size_t i = 0; i < k_; ++i) {
            for (std::size_t j = i; j <= k_;
                 j += 4) {  // the columns from i on, and y after the last
                const std::size_t count = std::min<std::size_t>(4, k_ + 1 - j);
                const double* others[4];
                double sums[4];
                for (std::size_t m = 0; m < count; ++m) others[m] = j + m < k_ ? column(j + m) : y_;
                sums_of_products(weight_.data(), column(i), others, count, padded_, sums);
                for (std::size_t m = 0; m < count; ++m)
                    (j + m < k_ ? gram_[(j + m) * k_ + i] : right_[i]) = sums[m];
            }
        }
    }

    // Cholesky; a column that those before it explain is left out. Returns how many are left.
    std::size_t decompose() {
        std::size_t rank = 0;
        for (std::size_t j = 0; j < k_; ++j) {
            double pivot = gram_[j * k_ + j];
            const double own = pivot;
            for (std::size_t m = 0; m < j; ++m) pivot -= factor_[j * k_ + m] * factor_[j * k_ + m];
            const bool kept = pivot > kDependent * own;
            const double root = kept ? std::sqrt(pivot) : 0.0;
            factor_[j * k_ + j] = root;
            rank += kept ? 1 : 0;
            for (std::size_t i = j + 1; i < k_; ++i) {
                double sum = gram_[i * k_ + j];
                for (std::size_t m = 0; m < j; ++m)
                    sum -= factor_[i * k_ + m] * factor_[j * k_ + m];
                factor_[i * k_ + j] = kept ? sum / root : 0.0;
            }
        }
        return rank;
    }

    void solve(std::vector<double>& b) const {
        for (std::size_t i = 0; i < k_; ++i) {
            double sum = right_[i];
            for (std::size_t m = 0; m < i; ++m) sum -= factor_[i * k_ + m] * b[m];
            const double root = factor_[i * k_ + i];
            b[i] = root > 0.0 ? sum / root : 0.0;
        }
        for (std::size_t i = k_; i-- > 0;) {
            const double root = factor_[i * k_ + i];
            double sum = b[i];
            for (std::size_t m = i + 1; m < k_; ++m) sum -= factor_[m * k_ + i] * b[m];
            b[i] = root > 0.0 ? sum / root : 0.0;
        }
    }

    // h_i = |L⁻¹ x_i|², column by column of L⁻¹ X; adjust = 1/√(1 − h).
    void leverage() {
        std::fill(adjust_.begin(), adjust_.end(), 0.0);
        basis_.assign(k_ * padded_, 0.0);
        for (std::size_t j = 0; j < k_; ++j) {
            const double root = factor_[j * k_ + j];
            if (root <= 0.0) continue;
            double* made = basis_.data() + j * padded_;
            std::copy(column(j), column(j) + padded_, made);
            for (std::size_t m = 0; m < j; ++m)
                if (factor_[j * k_ + m] != 0.0)
                    subtract(factor_[j * k_ + m], basis_.data() + m * padded_, made, padded_);
            divide(root, made, padded_);
            add_square(made, adjust_.data(), padded_);
        }
        for (double& h : adjust_) h = 1.0 / std::sqrt(1.0 - std::min(h, kHighestLeverage));
    }

    void residuals() {
        std::copy(y_, y_ + padded_, residual_.begin());
        for (std::size_t j = 0; j < k_; ++j)
            if (b_[j] != 0.0) subtract(b_[j], column(j), residual_.data(), padded_);
    }

    // The median of the sizes without the `rank` smallest (one fewer for Matlab's scale). Near the
    // last one, if there was one, only the sizes around it need to be put in order.
    double deviation(std::size_t rank, double last) {
        const std::size_t drop = options_.matlab_scale && rank > 0 ? rank - 1 : rank;
        const std::size_t out = std::min(drop, rows_ - 1);
        const std::size_t low = out + (rows_ - out - 1) / 2, high = out + (rows_ - out) / 2;
        if (last > 0.0) {
            const double from = 0.8 * last, to = 1.25 * last;
            const std::size_t before = count_below(size_.data(), from, rows_);
            if (before <= low) {
                near_.resize(rows_);
                std::size_t count = 0;
                for (std::size_t i = 0; i < rows_; ++i) {
                    near_[count] = size_[i];
                    count += size_[i] >= from && size_[i] < to ? 1 : 0;
                }
                if (high < before + count) {
                    near_.resize(count);
                    return middle(near_, low - before, high - before);
                }
            }
        }
        near_.assign(size_.begin(), size_.begin() + static_cast<std::ptrdiff_t>(rows_));
        return middle(near_, low, high);
    }

    const double* columns_;
    const double* y_;
    std::size_t padded_, rows_, k_ = 0;
    double least_;
    BisquareOptions options_;
    const std::size_t* chosen_ = nullptr;
    std::vector<double> residual_, size_, weight_, adjust_, near_, basis_, gram_, right_, factor_,
        b_;
};

double spread(std::span<const double> y) {
    double mean = 0.0, squares = 0.0;
    for (const double v : y) mean += v / static_cast<double>(y.size());
    for (const double v : y) squares += (v - mean) * (v - mean);
    return y.size() > 1 ? std::sqrt(squares / static_cast<double>(y.size() - 1)) : 0.0;
}

}  // namespace

std::vector<double> bisquare_subsets(std::span<const double> columns, std::size_t features,
                                     std::span<const double> y, std::span<const std::int64_t> masks,
                                     const BisquareOptions& options, unsigned threads) {
    const std::size_t rows = y.size(), width = features + 1;
    std::vector<double> found(masks.size() * width, 0.0);
    if (rows == 0) return found;
    const std::size_t padded = (rows + kLanes - 1) / kLanes * kLanes;
    std::vector<double> design(width * padded, 0.0), target(padded, 0.0);
    std::fill_n(design.begin(), rows, 1.0);
    for (std::size_t j = 0; j < features; ++j)
        std::copy_n(columns.begin() + static_cast<std::ptrdiff_t>(j * rows), rows,
                    design.begin() + static_cast<std::ptrdiff_t>((j + 1) * padded));
    std::copy(y.begin(), y.end(), target.begin());
    const double deviation = spread(y), least = 1e-6 * (deviation > 0.0 ? deviation : 1.0);
    const std::size_t chunk = seams.subsets, chunks = (masks.size() + chunk - 1) / chunk;
    for_each_index(chunks, threads, 1, [&](std::size_t c) {
        Fit fit(design.data(), padded, rows, target.data(), least, options);
        std::vector<std::size_t> chosen;
        for (std::size_t s = c * chunk; s < std::min(masks.size(), (c + 1) * chunk); ++s) {
            chosen.assign(1, 0);
            for (std::size_t j = 0; j < features; ++j)
                if (masks[s] >> j & 1) chosen.push_back(j + 1);
            fit.run(chosen, found.data() + s * width);
        }
    });
    return found;
}

}  // namespace tare
