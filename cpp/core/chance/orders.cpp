#include "core/chance/orders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "core/chance/random.hpp"
#include "core/chance/tie_groups.hpp"

namespace tare {
namespace {

constexpr std::int32_t unjudged_code = -1;

// Running mean and central moments (Welford; Pébay).
struct Moments {
    double n = 0, mean = 0, m2 = 0, m3 = 0, m4 = 0;

    void add(double x) {
        const double before = n;
        n += 1;
        const double delta = x - mean, step = delta / n, square = step * step, term = delta * step * before;
        mean += step;
        m4 += term * square * (n * n - 3 * n + 3) + 6 * square * m2 - 4 * step * m3;
        m3 += term * step * (n - 2) - 3 * step * m2;
        m2 += term;
    }
};

// How many distinct orders there are, as a double: it may be astronomical.
double count_orders(const Ranking& r) {
    double log_orders = 0;
    for_each_group(r, [&](const TieGroup& g) {
        log_orders += std::lgamma(static_cast<double>(g.size()) + 1);
        std::vector<std::int32_t> codes(r.codes.begin() + static_cast<std::ptrdiff_t>(g.first),
                                        r.codes.begin() + static_cast<std::ptrdiff_t>(g.last));
        std::sort(codes.begin(), codes.end());
        for (std::size_t i = 0; i < codes.size();) {
            std::size_t j = i;
            while (j < codes.size() && codes[j] == codes[i]) ++j;
            log_orders -= std::lgamma(static_cast<double>(j - i) + 1);
            i = j;
        }
        log_orders -= std::lgamma(static_cast<double>(g.size()) - static_cast<double>(codes.size()) + 1);
    });
    return std::exp(log_orders);
}

// One order: the judged documents with the ranks they got, cut at the end of the ranking.
class Order {
public:
    explicit Order(const Ranking& r) : r_(r) {}

    void clear() { ranks_.clear(), codes_.clear(); }
    void add(std::int64_t rank, std::int32_t code) {
        if (rank > r_.retrieved) return;
        ranks_.push_back(static_cast<std::int32_t>(rank));
        codes_.push_back(code);
    }
    double evaluate(const Spec& s, Kernel kernel) const {
        Ranking one = r_;
        one.ranks = ranks_;
        one.codes = codes_;
        one.lows = one.highs = {};
        return kernel(one, s);
    }

private:
    const Ranking& r_;
    std::vector<std::int32_t> ranks_, codes_;
};

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
        while (k < groups.size() && !std::next_permutation(arrangements[k].begin(), arrangements[k].end())) ++k;
        if (k == groups.size()) return;
    }
}

// Draws `count` different ranks out of a group (Floyd's method for few out of many).
void draw_ranks(RandomStream& random, const TieGroup& g, std::size_t count, std::vector<std::int64_t>& out) {
    out.clear();
    const auto size = static_cast<std::uint64_t>(g.size());
    if (count * 4 > size) {
        std::vector<std::int64_t> all(size);
        std::iota(all.begin(), all.end(), g.low);
        for (std::size_t i = 0; i < count; ++i) {
            std::swap(all[i], all[i + random.below(size - i)]);
            out.push_back(all[i]);
        }
        return;
    }
    for (std::uint64_t top = size - count; top < size; ++top) {
        auto rank = g.low + static_cast<std::int64_t>(random.below(top + 1));
        if (std::find(out.begin(), out.end(), rank) != out.end()) rank = g.low + static_cast<std::int64_t>(top);
        out.push_back(rank);
    }
    for (std::size_t i = count; i > 1; --i) std::swap(out[i - 1], out[random.below(i)]);
}

// Calls visit(value) for a seeded sample of orders.
template <class Visit>
void sample(const Ranking& r, const Spec& s, Kernel kernel, const OrderOptions& options, std::uint64_t stream,
            Visit&& visit) {
    Order order(r);
    std::vector<std::int64_t> ranks;
    std::vector<std::pair<std::int64_t, std::int32_t>> placed;
    for (std::int64_t n = 0; n < options.samples; ++n) {
        RandomStream random(options.seed, stream, static_cast<std::uint64_t>(n));
        order.clear();
        for_each_group(r, [&](const TieGroup& g) {
            draw_ranks(random, g, g.last - g.first, ranks);
            placed.clear();
            for (std::size_t i = 0; i < ranks.size(); ++i) placed.emplace_back(ranks[i], r.codes[g.first + i]);
            std::sort(placed.begin(), placed.end());
            for (const auto& [rank, code] : placed) order.add(rank, code);
        });
        visit(order.evaluate(s, kernel));
    }
}

}  // namespace

OrderMean over_orders(const Ranking& r, const Spec& s, Kernel kernel, const OrderOptions& options,
                      std::uint64_t stream) {
    OrderMean out;
    out.sampled = count_orders(r) > static_cast<double>(options.most_orders);
    Moments m;
    const auto add = [&m](double value) { m.add(value); };
    if (out.sampled) sample(r, s, kernel, options, stream, add);
    else enumerate(r, s, kernel, add);
    out.mean = m.mean;
    out.variance = m.m2 / m.n;
    out.orders = static_cast<std::int64_t>(m.n);
    if (out.sampled && m.n > 1) {
        out.variance = m.m2 / (m.n - 1);
        out.error = std::sqrt(out.variance / m.n);
        out.variance_error = std::sqrt(std::max(0.0, m.m4 / m.n - out.variance * out.variance) / m.n);
    }
    return out;
}

double probability_at_least(const Ranking& r, const Spec& s, Kernel kernel, double observed,
                            const OrderOptions& options, std::uint64_t stream) {
    const double least = observed - 1e-12 * std::fmax(1, std::fabs(observed));
    double reached = 0, all = 0;
    const auto count = [&](double value) {
        reached += value >= least;
        all += 1;
    };
    if (count_orders(r) > static_cast<double>(options.most_orders)) {
        sample(r, s, kernel, options, stream, count);
        return (reached + 1) / (all + 1);
    }
    enumerate(r, s, kernel, count);
    return reached / all;
}

}  // namespace tare
