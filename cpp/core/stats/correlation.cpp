#include "core/stats/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/threads.hpp"

namespace tare {

namespace {

using Values = std::span<const double>;
constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

double pearson(Values x, Values y) {
    const auto n = static_cast<double>(x.size());
    double mx = 0, my = 0;
    for (std::size_t i = 0; i < x.size(); ++i) mx += x[i], my += y[i];
    mx /= n, my /= n;
    double xx = 0, yy = 0, xy = 0, largest_x = 0, largest_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
        largest_x = std::max(largest_x, std::fabs(x[i]));
        largest_y = std::max(largest_y, std::fabs(y[i]));
    }
    // A constant column has rounding errors for a variance.
    if (xx <= 1e-26 * n * largest_x * largest_x || yy <= 1e-26 * n * largest_y * largest_y)
        return NONE;
    return std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0);
}

std::vector<double> mean_ranks(Values x) {
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
    std::vector<double> ranks(x.size());
    for (std::size_t start = 0; start < order.size();) {
        std::size_t end = start;
        while (end < order.size() && x[order[end]] == x[order[start]]) ++end;
        for (std::size_t k = start; k < end; ++k)
            ranks[order[k]] = 0.5 * static_cast<double>(start + 1 + end);
        start = end;
    }
    return ranks;
}

// Exchanges that sorting needs: the discordant pairs (Knight 1966).
std::int64_t exchanges(std::vector<double>& values, std::vector<double>& spare, std::size_t low,
                       std::size_t high) {
    if (high - low < 2) return 0;
    const std::size_t middle = (low + high) / 2;
    std::int64_t count =
        exchanges(values, spare, low, middle) + exchanges(values, spare, middle, high);
    std::size_t a = low, b = middle, out = low;
    while (a < middle && b < high) {
        if (values[b] < values[a]) {
            count += static_cast<std::int64_t>(middle - a);
            spare[out++] = values[b++];
        } else {
            spare[out++] = values[a++];
        }
    }
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(a),
              values.begin() + static_cast<std::ptrdiff_t>(middle),
              spare.begin() + static_cast<std::ptrdiff_t>(out));
    out += middle - a;
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(b),
              values.begin() + static_cast<std::ptrdiff_t>(high),
              spare.begin() + static_cast<std::ptrdiff_t>(out));
    std::copy(spare.begin() + static_cast<std::ptrdiff_t>(low),
              spare.begin() + static_cast<std::ptrdiff_t>(high),
              values.begin() + static_cast<std::ptrdiff_t>(low));
    return count;
}

template <class Same>
std::int64_t tied_pairs(std::size_t n, Same same) {
    std::int64_t pairs = 0, run = 1;
    for (std::size_t k = 1; k <= n; ++k) {
        if (k < n && same(k - 1, k)) {
            ++run;
        } else {
            pairs += run * (run - 1) / 2;
            run = 1;
        }
    }
    return pairs;
}

double kendall(Values x, Values y, bool corrected) {
    const std::size_t n = x.size();
    thread_local std::vector<std::pair<double, double>> both;
    thread_local std::vector<double> second, spare;
    both.resize(n);
    second.resize(n);
    spare.resize(n);
    for (std::size_t i = 0; i < n; ++i) both[i] = {x[i], y[i]};
    std::sort(both.begin(), both.end());
    const std::int64_t tied_x =
        tied_pairs(n, [](auto a, auto b) { return both[a].first == both[b].first; });
    const std::int64_t tied_both = tied_pairs(n, [](auto a, auto b) { return both[a] == both[b]; });
    for (std::size_t i = 0; i < n; ++i) second[i] = both[i].second;
    const std::int64_t discordant = exchanges(second, spare, 0, n);
    const std::int64_t tied_y =
        tied_pairs(n, [](auto a, auto b) { return second[a] == second[b]; });
    const std::int64_t all = static_cast<std::int64_t>(n) * (static_cast<std::int64_t>(n) - 1) / 2;
    const auto balance = static_cast<double>(all - tied_x - tied_y + tied_both - 2 * discordant);
    if (!corrected) return all == 0 ? NONE : balance / static_cast<double>(all);
    if (all == tied_x || all == tied_y) return NONE;
    const double bound =
        std::sqrt(static_cast<double>(all - tied_x) * static_cast<double>(all - tied_y));
    return std::clamp(balance / bound, -1.0, 1.0);
}

// Ties of y in all orders alike (accuracy against a true ranking x).
double tau_ap_a(Values x, Values y) {
    const std::size_t n = x.size();
    if (n < 2) return NONE;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return y[a] > y[b]; });
    double sum = 0;
    for (std::size_t start = 0; start < n;) {
        std::size_t end = start;
        while (end < n && y[order[end]] == y[order[start]]) ++end;
        double above = 0;  // concordant items above the group, averaged over its members
        for (std::size_t k = start; k < end; ++k)
            for (std::size_t j = 0; j < start; ++j) {
                const double a = x[order[j]], b = x[order[k]];
                above += a > b ? 1.0 : a == b ? 0.5 : 0.0;
            }
        above /= static_cast<double>(end - start);
        // At the m-th place of the group m members stand above, each concordant in half the orders.
        for (std::size_t k = std::max<std::size_t>(start, 1); k < end; ++k)
            sum += (above + 0.5 * static_cast<double>(k - start)) / static_cast<double>(k);
        start = end;
    }
    return 2 * sum / static_cast<double>(n - 1) - 1;
}

// One direction of the agreement of two observers: items of y's first group have none above.
double tau_ap_directed(Values x, Values y) {
    double sum = 0;
    std::size_t counted = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        std::size_t above = 0, concordant = 0;
        for (std::size_t j = 0; j < x.size(); ++j)
            if (y[j] > y[i]) {
                ++above;
                concordant += x[j] > x[i];
            }
        if (above == 0) continue;
        ++counted;
        sum += static_cast<double>(concordant) / static_cast<double>(above);
    }
    return counted == 0 ? NONE : 2 * sum / static_cast<double>(counted) - 1;
}

double one(Values x, Values y, Correlation kind) {
    switch (kind) {
        case Correlation::pearson:
            return pearson(x, y);
        case Correlation::spearman:
            return pearson(mean_ranks(x), mean_ranks(y));
        case Correlation::tau_a:
            return kendall(x, y, false);
        case Correlation::tau_b:
            return kendall(x, y, true);
        case Correlation::tau_ap_a:
            return tau_ap_a(x, y);
        case Correlation::tau_ap_b:
            return 0.5 * (tau_ap_directed(x, y) + tau_ap_directed(y, x));
    }
    return NONE;
}

}  // namespace

std::vector<double> correlations(std::span<const double> x, std::span<const double> y,
                                 std::size_t rows, std::size_t width, Correlation kind,
                                 unsigned threads) {
    std::vector<double> made(rows, std::numeric_limits<double>::quiet_NaN());
    if (width == 0) return made;
    for_each_index(rows, threads, 16, [&](std::size_t r) {
        made[r] = one(x.subspan(r * width, width), y.subspan(r * width, width), kind);
    });
    return made;
}

}  // namespace tare
