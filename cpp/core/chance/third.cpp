// Third central moments of sums of weight × gain. For a random assignment of m gains to m weights
//   E(T − ET)³ = m/((m−1)(m−2)) · Σ(w − w̄)³ · Σ(g − ḡ)³        (Hoeffding 1951)
// and groups of ties are independent, so their third moments add up.
#include "core/chance/third.hpp"

#include <algorithm>
#include <cmath>

#include "core/chance/tie_groups.hpp"
#include "core/measures/kernels.hpp"

namespace tare {
namespace {

using Result = std::optional<double>;

constexpr std::int64_t most_ranks = 1 << 16;  // weights that are summed one by one

double as_double(std::int64_t n) { return static_cast<double>(n); }
double cube(double x) { return x * x * x; }

// Σ(x − x̄)³ over m numbers of which only the listed sums differ from 0.
double central_cubes(double sum, double squares, double cubes, double m) {
    const double mean = sum / m;
    return cubes - 3 * mean * squares + 2 * m * cube(mean);
}

template <class Gain, class Weight>
Result linear_third(const Ranking& r, std::int64_t depth, Gain&& gain_of, Weight&& weight_at) {
    double third = 0;
    bool known = true;
    for_each_group(r, [&](const TieGroup& g) {
        const std::int64_t high = std::min(g.high, depth);
        if (high < g.low || g.size() < 3) return;  // two documents are symmetric
        if (high - g.low >= most_ranks) {
            known = false;
            return;
        }
        const double m = as_double(g.size());
        double g1 = 0, g2 = 0, g3 = 0, w1 = 0, w2 = 0, w3 = 0;
        for (std::size_t h = g.first; h < g.last; ++h) {
            const double x = gain_of(r.codes[h]);
            g1 += x, g2 += x * x, g3 += cube(x);
        }
        for (std::int64_t i = g.low; i <= high; ++i) {
            const double w = weight_at(i);
            w1 += w, w2 += w * w, w3 += cube(w);
        }
        third +=
            m / ((m - 1) * (m - 2)) * central_cubes(w1, w2, w3, m) * central_cubes(g1, g2, g3, m);
    });
    if (!known) return std::nullopt;
    return third;
}

Result relevant_count(const Ranking& r, const Spec& s, std::int64_t depth) {
    return linear_third(
        r, std::min(depth, r.retrieved),
        [&](std::int32_t c) { return s.is_relevant(c) ? 1.0 : 0.0; },
        [](std::int64_t) { return 1.0; });
}
Result gain_sum(const Ranking& r, const Spec& s, std::int64_t depth) {
    return linear_third(
        r, depth, [&](std::int32_t c) { return s.gain_of(c); },
        [&](std::int64_t i) { return s.discount.at(i); });
}

Result scaled(Result third, double divisor) {
    if (!third) return third;
    return divisor == 0 ? 0.0 : *third / cube(divisor);
}

Result precision(const Ranking& r, const Spec& s) {
    return scaled(relevant_count(r, s, s.cutoff), as_double(s.cutoff));
}
Result relative_precision(const Ranking& r, const Spec& s) {
    return scaled(relevant_count(r, s, s.cutoff),
                  as_double(std::min(s.cutoff, relevant_in_pool(r, s))));
}
Result recall(const Ranking& r, const Spec& s) {
    return scaled(relevant_count(r, s, s.depth()), as_double(relevant_in_pool(r, s)));
}
Result f_measure(const Ranking& r, const Spec& s) {
    const double weight = s.parameters[0] * s.parameters[0],
                 total = as_double(relevant_in_pool(r, s));
    if (total == 0) return 0.0;
    return scaled(relevant_count(r, s, s.cutoff),
                  (weight * total + as_double(s.cutoff)) / (1 + weight));
}
Result discounted_gain(const Ranking& r, const Spec& s) { return gain_sum(r, s, s.seen(r)); }
Result normalised_gain(const Ranking& r, const Spec& s) {
    return scaled(gain_sum(r, s, s.seen(r)), kernels::ideal_discounted_gain(r, s));
}

}  // namespace

ThirdKernel find_third(std::string_view name) {
    struct Entry {
        std::string_view name;
        ThirdKernel third;
    };
    static constexpr Entry entries[] = {
        {"P", precision}, {"RelP", relative_precision}, {"Recall", recall},
        {"F", f_measure}, {"DCG", discounted_gain},     {"nDCG", normalised_gain},
    };
    for (const Entry& entry : entries)
        if (entry.name == name) return entry.third;
    return nullptr;
}

}  // namespace tare
