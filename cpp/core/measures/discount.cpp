#include "core/measures/discount.hpp"

#include <algorithm>
#include <cmath>

#include "core/measures/smooth_sum.hpp"

namespace tare {
namespace {
constexpr std::int64_t depth = 1 << 14;  // ranks kept in tables
}

Discount::Discount(DiscountKind kind, double parameter) : kind_(kind), parameter_(parameter) {
    if (kind == DiscountKind::none) return;
    weights_.assign(depth + 1, 0);
    sums_.assign(depth + 1, 0);
    squares_.assign(depth + 1, 0);
    double lost = 0;  // Kahan's compensation: a thousand small terms lose no digits
    for (std::int64_t i = 1; i <= depth; ++i) {
        const auto k = static_cast<std::size_t>(i);
        weights_[k] = compute(i);
        const double term = weights_[k] - lost;
        sums_[k] = sums_[k - 1] + term;
        lost = (sums_[k] - sums_[k - 1]) - term;
        squares_[k] = squares_[k - 1] + weights_[k] * weights_[k];
    }
}

double Discount::compute(std::int64_t rank) const { return compute(static_cast<double>(rank)); }

double Discount::compute(double rank) const {
    switch (kind_) {
        case DiscountKind::none: return 1;
        case DiscountKind::log:
            return parameter_ == 2 ? 1 / std::log2(rank + 1) : std::log(parameter_) / std::log(rank + 1);
        case DiscountKind::jk:
            if (rank < parameter_) return 1;
            return parameter_ == 2 ? 1 / std::log2(rank) : std::log(parameter_) / std::log(rank);
        case DiscountKind::geometric: return std::pow(parameter_, rank - 1);
        case DiscountKind::inverse_square: {
            const double x = rank + 2 * parameter_ - 1;
            return (2 * parameter_) * (2 * parameter_) / (x * x);
        }
    }
    return 1;
}

template <class F>
double Discount::tail(std::int64_t after, std::int64_t last, F&& f) const {
    // A base above the table makes the discount of Järvelin and Kekäläinen 1 up to there.
    if (kind_ == DiscountKind::jk && parameter_ > static_cast<double>(after)) {
        const auto flat = std::min(last, static_cast<std::int64_t>(std::ceil(parameter_)) - 1);
        return static_cast<double>(flat - after) + smooth_sum(flat + 1, last, f);
    }
    return smooth_sum(after + 1, last, f);
}

double Discount::sum(std::int64_t rank) const {
    if (rank < 1) return 0;
    if (kind_ == DiscountKind::none) return static_cast<double>(rank);
    if (rank <= depth) return sums_[static_cast<std::size_t>(rank)];
    if (kind_ == DiscountKind::geometric)
        return parameter_ == 1 ? static_cast<double>(rank)
                               : -std::expm1(static_cast<double>(rank) * std::log(parameter_)) / (1 - parameter_);
    return sums_[depth] + tail(depth, rank, [this](double x) { return compute(x); });
}

double Discount::sum_of_squares(std::int64_t rank) const {
    if (rank < 1) return 0;
    if (kind_ == DiscountKind::none) return static_cast<double>(rank);
    if (rank <= depth) return squares_[static_cast<std::size_t>(rank)];
    if (kind_ == DiscountKind::geometric) {
        const double p = parameter_ * parameter_;
        return p == 1 ? static_cast<double>(rank)
                      : -std::expm1(static_cast<double>(rank) * std::log(p)) / (1 - p);
    }
    return squares_[depth] + tail(depth, rank, [this](double x) { return compute(x) * compute(x); });
}

}  // namespace tare
