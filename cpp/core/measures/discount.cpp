#include "core/measures/discount.hpp"

#include <algorithm>
#include <cmath>

#include "core/measures/smooth_sum.hpp"

namespace tare {
namespace {
constexpr std::int64_t counted = 1 << 14;  // ranks that are summed one by one
}

Discount::Discount(DiscountKind kind, double parameter, std::int64_t ready)
    : kind_(kind), parameter_(parameter) {
    if (kind == DiscountKind::none) return;
    const auto size = static_cast<std::size_t>(std::clamp<std::int64_t>(ready, 16, counted)) + 1;
    weights_.assign(size, 0);
    sums_.assign(size, 0);
    squares_.assign(size, 0);
    if (parameter == 2 && (kind == DiscountKind::log || kind == DiscountKind::jk)) {
        divisors_.assign(size, 1);
        for (std::size_t i = 1; i < size; ++i) divisors_[i] = divisor(static_cast<double>(i));
    }
    double lost = 0;  // Kahan's compensation: a thousand small terms lose no digits
    for (std::size_t i = 1; i < size; ++i) {
        weights_[i] = compute(static_cast<double>(i));
        const double term = weights_[i] - lost;
        sums_[i] = sums_[i - 1] + term;
        lost = (sums_[i] - sums_[i - 1]) - term;
        squares_[i] = squares_[i - 1] + weights_[i] * weights_[i];
    }
}

double Discount::divisor(double rank) const {
    if (kind_ == DiscountKind::log) return std::log2(rank + 1);
    return rank < 2 ? 1 : std::log2(rank);
}

double Discount::compute(double rank) const {
    switch (kind_) {
        case DiscountKind::none:
            return 1;
        case DiscountKind::log:
            return parameter_ == 2 ? 1 / divisor(rank) : std::log(parameter_) / std::log(rank + 1);
        case DiscountKind::jk:
            if (rank < parameter_) return 1;
            return parameter_ == 2 ? 1 / divisor(rank) : std::log(parameter_) / std::log(rank);
        case DiscountKind::geometric:
            return std::pow(parameter_, rank - 1);
        case DiscountKind::inverse_square: {
            const double x = rank + 2 * parameter_ - 1;
            return (2 * parameter_) * (2 * parameter_) / (x * x);
        }
    }
    return 1;
}

// `known` plus Σ f(i) for i = after+1…last: one by one as far as it is cheap, then as a smooth sum.
template <class F>
double Discount::beyond(double known, std::int64_t after, std::int64_t last, F&& f) const {
    double sum = known;
    for (; after < std::min(last, counted); ++after) sum += f(static_cast<double>(after + 1));
    // A very large base makes the discount of Järvelin and Kekäläinen 1 up to there.
    if (kind_ == DiscountKind::jk && parameter_ > static_cast<double>(after)) {
        const auto flat = std::min(last, static_cast<std::int64_t>(std::ceil(parameter_)) - 1);
        sum += static_cast<double>(flat - after);
        after = flat;
    }
    return sum + smooth_sum(after + 1, last, f);
}

double Discount::sum(std::int64_t rank) const {
    if (rank < 1) return 0;
    if (kind_ == DiscountKind::none) return static_cast<double>(rank);
    const auto ready = static_cast<std::int64_t>(sums_.size()) - 1;
    if (rank <= ready) return sums_[static_cast<std::size_t>(rank)];
    if (kind_ == DiscountKind::geometric)
        return -std::expm1(static_cast<double>(rank) * std::log(parameter_)) / (1 - parameter_);
    return beyond(sums_.back(), ready, rank, [this](double x) { return compute(x); });
}

double Discount::sum_of_squares(std::int64_t rank) const {
    if (rank < 1) return 0;
    if (kind_ == DiscountKind::none) return static_cast<double>(rank);
    const auto ready = static_cast<std::int64_t>(squares_.size()) - 1;
    if (rank <= ready) return squares_[static_cast<std::size_t>(rank)];
    if (kind_ == DiscountKind::geometric) {
        const double p = parameter_ * parameter_;
        return -std::expm1(static_cast<double>(rank) * std::log(p)) / (1 - p);
    }
    return beyond(squares_.back(), ready, rank,
                  [this](double x) { return compute(x) * compute(x); });
}

}  // namespace tare
