// Long sums in short time: harmonic numbers, smooth sums, sums of discounts.
#include <cmath>

#include "check.hpp"
#include "core/chance/harmonic.hpp"
#include "core/chance/hypergeometric.hpp"
#include "core/measures/discount.hpp"
#include "core/measures/smooth_sum.hpp"

namespace tare::tests {
namespace {

// One by one, from the smallest term, in more digits.
template <class F>
double plain_sum(std::int64_t first, std::int64_t last, F&& f) {
    long double sum = 0;
    for (std::int64_t i = last; i >= first; --i)
        sum += static_cast<long double>(f(static_cast<double>(i)));
    return static_cast<double>(sum);
}

}  // namespace

void sums() {
    const auto inverse = [](double x) { return 1 / x; };
    for (const std::int64_t n : {0, 1, 2, 63, 64, 65, 1000, 1000000})
        CHECK(near(harmonic(static_cast<double>(n)), plain_sum(1, n, inverse), 1e-15));
    for (const std::int64_t a : {0, 1, 50, 64, 1000, 99999})
        for (const std::int64_t length : {0, 1, 64, 65, 100000}) {
            const double found =
                harmonic_between(static_cast<double>(a), static_cast<double>(a + length));
            CHECK(std::fabs(found - plain_sum(a + 1, a + length, inverse)) <=
                  4e-15 * std::fmax(found, 1e-3));
        }
    const auto logarithm = [](double x) { return 1 / std::log2(x + 1); };
    const auto square = [](double x) { return 1 / (x * x); };
    for (const std::int64_t first : {16384, 50000}) {
        const std::int64_t last = first + 300000;
        CHECK(near(smooth_sum(first, last, logarithm) / plain_sum(first, last, logarithm), 1));
        CHECK(near(smooth_sum(first, last, square) / plain_sum(first, last, square), 1));
        CHECK(smooth_sum(last, first, square) == 0);
        CHECK(near(smooth_sum(first, first, logarithm), logarithm(static_cast<double>(first)),
                   1e-12));
    }
    for (const std::int64_t first : {0, 1, 3, 100000})
        for (const std::int64_t length : {0, 1, 131072, 131073, 400000}) {
            const auto shifted = [](double x) { return 1 / ((x + 2) * (x + 2)); };
            CHECK(near(long_sum(first, first + length, shifted),
                       plain_sum(first, first + length, shifted)));
            const auto slow = [](double x) { return 1 / (x + 1); };
            CHECK(near(long_sum(first, first + length, slow),
                       plain_sum(first, first + length, slow), 4e-13));
        }
    for (const DiscountKind kind : {DiscountKind::log, DiscountKind::jk, DiscountKind::geometric,
                                    DiscountKind::inverse_square, DiscountKind::none}) {
        const double parameter = kind == DiscountKind::geometric ? 0.9 : 3;
        const Discount discount(kind, parameter, 50);
        const auto at = [&](double rank) { return discount.at(static_cast<std::int64_t>(rank)); };
        for (const std::int64_t rank : {0, 1, 50, 51, 20000, 60000}) {
            CHECK(near(discount.sum(rank), plain_sum(1, rank, at)));
            CHECK(near(discount.sum_of_squares(rank),
                       plain_sum(1, rank, [&](double r) { return at(r) * at(r); })));
        }
    }
    // Of 10 documents 3 are special; x are drawn.
    for (int x = 0; x < 10; ++x) {
        const double none = mean_over_drawn(10, 3, x, [](double j) { return j == 0 ? 1.0 : 0.0; });
        CHECK(near(mean_over_drawn(10, 3, x, [](double) { return 1.0; }), 1));
        CHECK(near(mean_over_drawn(10, 3, x, [](double j) { return j; }), 0.3 * x));
        CHECK(near(probability_of_some(10, 3, x), 1 - none));
    }
}

}  // namespace tare::tests
