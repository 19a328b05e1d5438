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
            // The new document is not among the first i, or it is the last of them, or an earlier one.
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
        Cascade cascade;
        const auto most = static_cast<std::size_t>(
            std::min<std::int64_t>(inside, static_cast<std::int64_t>(g.last - g.first)));
        double whole = 1;
        std::int64_t stopping = 0;
        for (std::size_t h = g.first; h < g.last; ++h) {
            const double theta = s.gain_of(r.codes[h]);
            if (theta <= 0) continue;
            cascade.add(theta, most);
            whole *= 1 - theta;
            ++stopping;
        }
        if (stopping > 0) {
            const std::int64_t m = g.size();
            const double share = static_cast<double>(stopping) / static_cast<double>(m);
            // Of the x documents above, j can stop the user; the one here is the (j+1)th of those.
            if (stopping == m) {
                for (std::int64_t x = 0; x < inside; ++x)
                    sum += going * cascade.stop[static_cast<std::size_t>(x) + 1] /
                           static_cast<double>(g.low + x);
            } else {
                DrawnSpecial drawn(m - 1, stopping - 1);
                for (std::int64_t x = 0; x < inside; ++x) {
                    double mean = 0;
                    for (std::int64_t j = drawn.least(); j <= drawn.most(); ++j)
                        mean += drawn[j] * cascade.stop[static_cast<std::size_t>(j) + 1];
                    sum += going * share * mean / static_cast<double>(g.low + x);
                    if (x + 1 < inside) drawn.draw();
                }
            }
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
    const auto weight = [&](std::int64_t i) { return std::pow(p, static_cast<double>(i - 1)) / static_cast<double>(i); };

    double shared = 0, ideal = 0;
    std::int64_t place = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(positive);) {
        const std::int32_t code = r.pool[k];
        std::int64_t same = 0;
        for (; k < static_cast<std::size_t>(positive) && r.pool[k] == code; ++k) ++same;
        const auto room = [&](std::int64_t i) {
            return std::clamp<std::int64_t>(i - place, 0, same);
        };
        for (std::int64_t i = 1; i <= last; ++i) ideal += weight(i) * static_cast<double>(room(i));

        std::int64_t shown = 0, next = 1;
        const auto constant_until = [&](std::int64_t high) {
            for (; next <= std::min(high, last); ++next)
                shared += weight(next) * static_cast<double>(std::min(shown, room(next)));
        };
        for_each_group(r, [&](const TieGroup& g) {
            std::int64_t mine = 0;
            for (std::size_t h = g.first; h < g.last; ++h) mine += r.codes[h] == code;
            if (mine == 0 || g.low > last || g.low > r.retrieved) return;
            constant_until(g.low - 1);
            DrawnSpecial drawn(g.size(), mine);
            const std::int64_t high = std::min({g.high, last, r.retrieved});
            double overlap = 0;
            for (; next <= high; ++next) {
                drawn.draw();
                overlap = 0;
                for (std::int64_t j = drawn.least(); j <= drawn.most(); ++j)
                    overlap += drawn[j] * static_cast<double>(std::min(shown + j, room(next)));
                shared += weight(next) * overlap;
            }
            if (high < g.high) {
                // The ranking ends inside the group: what it has shown stays as it is, room grows.
                for (; next <= last; ++next) {
                    overlap = 0;
                    for (std::int64_t j = drawn.least(); j <= drawn.most(); ++j)
                        overlap += drawn[j] * static_cast<double>(std::min(shown + j, room(next)));
                    shared += weight(next) * overlap;
                }
            }
            shown += mine;
        });
        constant_until(last);
        place += same;
    }
    if (s.parameters[2] != 0) return ideal == 0 ? 0 : shared / ideal;
    return shared * (1 - p) / (1 - std::pow(p, static_cast<double>(depth)));
}

}  // namespace tare::expected
