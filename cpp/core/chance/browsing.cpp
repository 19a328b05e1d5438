// Expected values of ERR and of compatibility.
#include <cmath>

#include "core/chance/expected.hpp"
#include "core/chance/hypergeometric.hpp"
#include "core/chance/tie_groups.hpp"

namespace tare::expected {
namespace {

// For n documents with stopping probabilities θ in random order: go[i] = E[Π_{j≤i}(1-θ_j)] and
// stop[i] = E[Π_{j<i}(1-θ_j)·θ_i]. Documents are added one by one; every term is positive, so
// nothing cancels, whatever the size of the θ.
struct Cascade {
    std::vector<double> go{1}, stop{0};
    double documents = 0;

    void add(double theta, std::size_t depth) {
        documents += 1;
        const std::size_t most = std::min(depth, static_cast<std::size_t>(documents));
        go.resize(most + 1, 0);
        stop.resize(most + 1, 0);
        for (std::size_t i = most; i >= 1; --i) {
            const double x = static_cast<double>(i);
            // The new document is not among the first i, or it is the last of them, or an earlier
            // one.
            stop[i] = (documents - x) / documents * stop[i] + theta / documents * go[i - 1] +
                      (x - 1) / documents * (1 - theta) * stop[i - 1];
            go[i] = (documents - x) / documents * go[i] + x / documents * (1 - theta) * go[i - 1];
        }
    }
};

// Σ over the ranks of a group that can still be read: P(going on before it) · Σ_x stop(x)/rank.
double cascade_sum(const Ranking& r, const Spec& s) {
    const std::int64_t depth = s.seen(r);
    double sum = 0, going = 1;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t inside = std::min(g.high, depth) - g.low + 1;
        if (inside <= 0 || going == 0) return;
        double whole = 1, smallest = 1;
        std::int64_t stopping = 0;
        for (std::size_t h = g.first; h < g.last; ++h) {
            const double theta = s.gain_of(r.codes[h]);
            if (theta <= 0) continue;
            smallest = std::fmin(smallest, theta);
            whole *= 1 - theta;
            ++stopping;
        }
        if (stopping > 0) {
            // Past this many documents that could stop the user, nobody is left.
            const double enough = smallest < 1 ? std::ceil(-50 / std::log1p(-smallest)) + 1 : 1;
            const auto most = static_cast<std::size_t>(
                std::fmin(enough, static_cast<double>(std::min(inside, stopping))));
            Cascade cascade;
            for (std::size_t h = g.first; h < g.last; ++h)
                if (const double theta = s.gain_of(r.codes[h]); theta > 0) cascade.add(theta, most);
            // Of the x documents above, j can stop the user; the one here is the (j+1)th of those.
            const double m = static_cast<double>(g.size()), special = static_cast<double>(stopping);
            const auto term = [&](double x) {
                const double mean = mean_over_drawn(m - 1, special - 1, x, [&](double j) {
                    return j < static_cast<double>(most)
                               ? cascade.stop[static_cast<std::size_t>(j) + 1]
                               : 0.0;
                });
                return mean / (static_cast<double>(g.low) + x);
            };
            // By here everybody has stopped, or the documents that do it are spread so thin that
            // the terms are smooth in x.
            const std::int64_t last = inside - 1;
            const std::int64_t counted =
                std::min(last, std::max<std::int64_t>(4096, 2 * static_cast<std::int64_t>(most)));
            double terms = 0;
            for (std::int64_t x = 0; x <= counted; ++x) terms += term(static_cast<double>(x));
            if (special <= 0.9 * m && counted < last) terms += smooth_sum(counted + 1, last, term);
            sum += going * special / m * terms;
        }
        going *= whole;
    });
    return sum;
}

}  // namespace

double expected_reciprocal_rank(const Ranking& r, const Spec& s) { return cascade_sum(r, s); }

double normalised_err(const Ranking& r, const Spec& s) {
    const double best = kernels::ideal_err(r, s);
    return best == 0 ? 0 : cascade_sum(r, s) / best;
}

// At depth i the ideal holds min(i - place, n) documents of a grade that begins after `place`; the
// overlap is the smaller of that and the number of them the run has shown so far.
double compatibility(const Ranking& r, const Spec& s) {
    const std::int64_t positive = count_at_least(r.pool, s.relevant);
    if (positive == 0) return 0;
    const double p = s.parameters[0];
    std::int64_t depth = static_cast<std::int64_t>(s.parameters[1]);
    if (depth == 0) depth = std::max(r.retrieved, positive);
    const auto known = static_cast<std::int64_t>(s.table.size()) - 2;
    const std::int64_t last = std::min(depth, known);
    const auto weight = [&](std::int64_t i) {
        return std::pow(p, static_cast<double>(i - 1)) / static_cast<double>(i);
    };

    double shared = 0, ideal = 0;
    std::int64_t place = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(positive);) {
        const std::int32_t code = r.pool[k];
        std::int64_t same = 0;
        for (; k < static_cast<std::size_t>(positive) && r.pool[k] == code; ++k) ++same;
        const auto room = [&](std::int64_t i) {
            return std::clamp<std::int64_t>(i - place, 0, same);
        };
        // Past this many further depths p^i is nothing to what was before.
        const auto enough = static_cast<std::int64_t>(60 / -std::log(p)) + 1;
        const std::int64_t all = std::min(last, place + enough);
        for (std::int64_t i = place + 1; i <= all; ++i)
            ideal += weight(i) * static_cast<double>(room(i));

        std::int64_t shown = 0, next = place + 1, stop = last;
        const auto constant_until = [&](std::int64_t high) {
            if (shown == 0) next = std::max(next, high + 1);
            for (; next <= std::min(high, stop); ++next)
                shared += weight(next) * static_cast<double>(std::min(shown, room(next)));
        };
        for_each_group(r, [&](const TieGroup& g) {
            std::int64_t mine = 0;
            for (std::size_t h = g.first; h < g.last; ++h) mine += r.codes[h] == code;
            if (mine == 0 || g.low > stop || g.low > r.retrieved) return;
            constant_until(g.low - 1);
            if (shown == 0) stop = std::min(last, std::max(next, g.low) + enough);
            const std::int64_t high = std::min(g.high, r.retrieved);
            // Where the ranking ends inside the group, what it has shown stays as it is.
            const std::int64_t until = high < g.high ? stop : std::min(high, stop);
            for (next = std::max(next, g.low); next <= until; ++next) {
                const double drawn = static_cast<double>(std::min(next, high) - g.low + 1);
                const double before = static_cast<double>(shown),
                             places = static_cast<double>(room(next));
                shared +=
                    weight(next) *
                    mean_over_drawn(static_cast<double>(g.size()), static_cast<double>(mine), drawn,
                                    [&](double j) { return std::fmin(before + j, places); });
            }
            shown += mine;
        });
        if (shown > 0) constant_until(stop);
        place += same;
    }
    if (s.parameters[2] != 0) return ideal == 0 ? 0 : shared / ideal;
    return shared * (1 - p) / (1 - std::pow(p, static_cast<double>(depth)));
}

}  // namespace tare::expected
