#include "core/chance/orders.hpp"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/chance/order_sample.hpp"
#include "core/chance/tie_groups.hpp"

namespace tare {
namespace {

// Mean, squared and cubed distances from it of values that are all equally likely (Welford).
struct Moments {
    double n = 0, mean = 0, squares = 0, cubes = 0;

    void add(double x) {
        n += 1;
        const double delta = x - mean, step = delta / n, term = delta * step * (n - 1);
        mean += step;
        cubes += term * step * (n - 2) - 3 * step * squares;
        squares += delta * (x - mean);
    }
};

// ln Γ(x), x > 0. On POSIX systems std::lgamma writes its sign to one place for all threads.
double log_gamma(double x) {
#if defined(__unix__) || defined(__APPLE__)
    int sign = 0;
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

// How many distinct orders there are, as a double: it may be astronomical.
double count_orders(const Ranking& r) {
    double log_orders = 0;
    for_each_group(r, [&](const TieGroup& g) {
        log_orders += log_gamma(static_cast<double>(g.size()) + 1);
        std::vector<std::int32_t> codes(r.codes.begin() + static_cast<std::ptrdiff_t>(g.first),
                                        r.codes.begin() + static_cast<std::ptrdiff_t>(g.last));
        std::sort(codes.begin(), codes.end());
        for (std::size_t i = 0; i < codes.size();) {
            std::size_t j = i;
            while (j < codes.size() && codes[j] == codes[i]) ++j;
            log_orders -= log_gamma(static_cast<double>(j - i) + 1);
            i = j;
        }
        log_orders -=
            log_gamma(static_cast<double>(g.size()) - static_cast<double>(codes.size()) + 1);
    });
    return std::exp(log_orders);
}

// Calls visit(value) for every distinct order, all equally likely.
template <class Visit>
void enumerate(const Ranking& r, const Spec& s, Kernel kernel, Visit&& visit) {
    std::vector<TieGroup> groups;
    std::vector<std::vector<std::int32_t>> arrangements;
    for_each_group(r, [&](const TieGroup& g) {
        groups.push_back(g);
        std::vector<std::int32_t> codes(static_cast<std::size_t>(g.size()), unjudged_code);
        std::copy(r.codes.begin() + static_cast<std::ptrdiff_t>(g.first),
                  r.codes.begin() + static_cast<std::ptrdiff_t>(g.last), codes.begin());
        std::sort(codes.begin(), codes.end());
        arrangements.push_back(std::move(codes));
    });
    Order order(r);
    for (;;) {
        order.clear();
        for (std::size_t k = 0; k < groups.size(); ++k)
            for (std::size_t i = 0; i < arrangements[k].size(); ++i)
                if (arrangements[k][i] != unjudged_code)
                    order.add(groups[k].low + static_cast<std::int64_t>(i), arrangements[k][i]);
        visit(order.evaluate(s, kernel));
        std::size_t k = 0;  // like an odometer: the first group that has a next order moves on
        while (k < groups.size() &&
               !std::next_permutation(arrangements[k].begin(), arrangements[k].end()))
            ++k;
        if (k == groups.size()) return;
    }
}

// Whether there are too many orders to take them all.
bool too_many(const Ranking& r, const OrderOptions& options) {
    constexpr double most_work = 1e9;
    const double orders = count_orders(r);
    return orders > static_cast<double>(options.most_orders) ||
           orders * static_cast<double>(r.retrieved) > most_work;
}

}  // namespace

OrderMean over_orders(const Ranking& r, const Spec& s, Kernel kernel, const OrderOptions& options,
                      std::uint64_t stream) {
    OrderMean out;
    if (!too_many(r, options)) {
        Moments all;
        enumerate(r, s, kernel, [&all](double value) { all.add(value); });
        out.orders = static_cast<std::int64_t>(all.n);
        out.mean = all.mean;
        out.variance = all.squares / all.n;
        out.third = all.cubes / all.n;
        return out;
    }
    out.sampled = true;
    const std::vector<Stratum> strata = sample_orders(r, s, kernel, options, stream);
    std::vector<Moments> inside(strata.size());
    for (std::size_t k = 0; k < strata.size(); ++k) {
        for (const double value : strata[k].values) inside[k].add(value);
        out.mean += strata[k].weight * inside[k].mean;
        out.orders += static_cast<std::int64_t>(inside[k].n);
    }
    double error = 0, variance_error = 0, third_error = 0;
    for (std::size_t k = 0; k < strata.size(); ++k) {
        const double n = inside[k].n, weight = strata[k].weight, gap = inside[k].mean - out.mean;
        const double own = n > 1 ? inside[k].squares / (n - 1) : 0;
        out.variance += weight * (own + gap * gap);
        Moments distances;  // of the squared distances from the mean
        Moments cubes;
        for (const double value : strata[k].values) {
            const double distance = value - out.mean;
            distances.add(distance * distance);
            cubes.add(distance * distance * distance);
        }
        out.third += weight * cubes.mean;
        if (n > 1) third_error += weight * weight * cubes.squares / (n - 1) / n;
        error += weight * weight * own / n;
        if (n > 1) variance_error += weight * weight * distances.squares / (n - 1) / n;
    }
    out.error = std::sqrt(error);
    out.variance_error = std::sqrt(variance_error);
    out.third_error = std::sqrt(third_error);
    return out;
}

Tail probability_at_least(const Ranking& r, const Spec& s, Kernel kernel, double observed,
                          const OrderOptions& options, std::uint64_t stream) {
    const double least = observed - 1e-12 * std::fmax(1, std::fabs(observed));
    if (!too_many(r, options)) {
        double reached = 0, all = 0;
        enumerate(r, s, kernel, [&](double value) {
            reached += value >= least;
            all += 1;
        });
        return {reached / all, 0};
    }
    double probability = 0, variance = 0;
    for (const Stratum& stratum : sample_orders(r, s, kernel, options, stream)) {
        const double drawn = static_cast<double>(stratum.values.size());
        double reached = 0;
        for (const double value : stratum.values) reached += value >= least;
        if (stratum.constant) {
            probability += stratum.weight * reached / drawn;
            continue;
        }
        const double share = (reached + 1) / (drawn + 1);
        probability += stratum.weight * share;
        variance += stratum.weight * stratum.weight * share * (1 - share) / drawn;
    }
    return {probability, std::sqrt(variance)};
}

}  // namespace tare
