// Weights by rank: 1, 1/log(i+1), Järvelin and Kekäläinen's, p^(i-1), 1/(i+2T)^2; and their sums.
#pragma once

#include <cstdint>
#include <vector>

namespace tare {

enum class DiscountKind { none, log, jk, geometric, inverse_square };

class Discount {
public:
    Discount() = default;
    // `parameter` is the base of the logarithm, the p of p^(i-1), or the T of 1/(i+2T-1)^2. Weights
    // are kept ready for the ranks up to `ready`; others are computed when they are asked for.
    Discount(DiscountKind kind, double parameter, std::int64_t ready);

    // The weight at a rank, from 1.
    double at(std::int64_t rank) const {
        if (kind_ == DiscountKind::none) return 1.0;
        const auto i = static_cast<std::size_t>(rank);
        return i < weights_.size() ? weights_[i] : compute(static_cast<double>(rank));
    }
    // A gain times the weight at a rank. Logarithms of base 2 divide, as in trec_eval: the product
    // with a rounded reciprocal may differ in the last bit.
    double weighted(double gain, std::int64_t rank) const {
        const auto i = static_cast<std::size_t>(rank);
        if (i < divisors_.size()) return gain / divisors_[i];
        return divisors_.empty() ? gain * at(rank) : gain / divisor(static_cast<double>(rank));
    }
    // The sum of the weights at ranks 1…rank; 0 for rank < 1.
    double sum(std::int64_t rank) const;
    // The sum of the squared weights at ranks 1…rank.
    double sum_of_squares(std::int64_t rank) const;

private:
    double compute(double rank) const;
    double divisor(double rank) const;  // for base 2
    template <class F>
    double beyond(double known, std::int64_t after, std::int64_t last, F&& f) const;

    DiscountKind kind_ = DiscountKind::none;
    double parameter_ = 2;
    std::vector<double> weights_, sums_, squares_;  // by rank
    std::vector<double> divisors_;                  // by rank; only logarithms of base 2 have them
};

}  // namespace tare
