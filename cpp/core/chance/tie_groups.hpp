// Tie groups: ranges of ranks whose documents can be in any order, all orders equally likely.
//
// This is the one mechanism behind two things. A run with tied scores has many small groups; the
// random ranking of a pool is the ranking with a single group that holds the whole pool. So the
// mean of a measure over the orders of tied documents and its expected value under chance are the
// same function of the same structure.
#pragma once

#include <cstdint>

#include "core/measures/smooth_sum.hpp"
#include "core/measures/spec.hpp"

namespace tare {

struct TieGroup {
    std::int64_t low, high;   // ranks, both included
    std::size_t first, last;  // its judged documents, half open

    std::int64_t size() const { return high - low + 1; }
};

template <class Visit>
void for_each_group(const Ranking& r, Visit&& visit) {
    for (std::size_t h = 0; h < r.codes.size();) {
        TieGroup g{r.lows[h], r.highs[h], h, h + 1};
        while (g.last < r.codes.size() && r.lows[g.last] == g.low) ++g.last;
        visit(static_cast<const TieGroup&>(g));
        h = g.last;
    }
}

inline std::int64_t relevant_in(const Ranking& r, const Spec& s, const TieGroup& g) {
    std::int64_t found = 0;
    for (std::size_t h = g.first; h < g.last; ++h) found += s.is_relevant(r.codes[h]);
    return found;
}

// The probability that a given other document of the group of m stands among the x above a given
// one: x/(m-1); 0 where the group has only one.
inline double above(double x, std::int64_t m) { return m > 1 ? x / static_cast<double>(m - 1) : 0; }

// Σ f(i) over ranks low…high; one by one as far as it is cheap and at least to `rough`, beyond
// which f is smooth; then as a smooth sum.
template <class F>
double sum_over_ranks(std::int64_t low, std::int64_t high, F&& f, std::int64_t rough = 0) {
    constexpr std::int64_t counted = 1 << 15;
    const std::int64_t stop =
        std::min(high, std::max(std::max(low, std::int64_t{1}) + counted, rough));
    double sum = 0;
    for (std::int64_t i = low; i <= stop; ++i) sum += f(static_cast<double>(i));
    if (stop < high) sum += smooth_sum(stop + 1, high, f);
    return sum;
}

}  // namespace tare
