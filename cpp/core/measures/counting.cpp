// Measures that count relevant documents: precision, recall and their like, of a prefix or of the
// set.
#include <cmath>

#include "core/measures/kernels.hpp"

namespace tare::kernels {
namespace {

std::int64_t relevant_within(const Ranking& r, const Spec& s, std::int64_t depth) {
    std::int64_t found = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= depth; ++h)
        found += s.is_relevant(r.codes[h]);
    return found;
}

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

// (1+w)PR / (wP+R)
double harmonic(double p, double r, double weight) {
    return p + r > 0 ? (1 + weight) * p * r / (weight * p + r) : 0;
}

double retrieved_relevant(const Ranking& r, const Spec& s) {
    return static_cast<double>(relevant_within(r, s, r.retrieved));
}

}  // namespace

double precision(const Ranking& r, const Spec& s) {
    return static_cast<double>(relevant_within(r, s, s.cutoff)) / static_cast<double>(s.cutoff);
}

double relative_precision(const Ranking& r, const Spec& s) {
    return ratio(static_cast<double>(relevant_within(r, s, s.cutoff)),
                 static_cast<double>(std::min(s.cutoff, relevant_in_pool(r, s))));
}

double recall(const Ranking& r, const Spec& s) {
    return ratio(static_cast<double>(relevant_within(r, s, s.depth())),
                 static_cast<double>(relevant_in_pool(r, s)));
}

double f_measure(const Ranking& r, const Spec& s) {
    return harmonic(precision(r, s), recall(r, s), s.parameters[0] * s.parameters[0]);
}

double success(const Ranking& r, const Spec& s) {
    return relevant_within(r, s, s.cutoff) > 0 ? 1 : 0;
}

double r_precision(const Ranking& r, const Spec& s) {
    const std::int64_t total = relevant_in_pool(r, s);
    // trec_eval's rounding: a multiple of R is rounded up when its fraction is 0.1 or more.
    const auto depth =
        static_cast<std::int64_t>(s.parameters[0] * static_cast<double>(total) + 0.9);
    return ratio(static_cast<double>(relevant_within(r, s, depth)), static_cast<double>(depth));
}

double judged_share(const Ranking& r, const Spec& s) {
    const std::int64_t seen = s.seen(r);
    std::int64_t found = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= seen; ++h) ++found;
    return ratio(static_cast<double>(found), static_cast<double>(seen));
}

double unjudged(const Ranking& r, const Spec& s) {
    const std::int64_t seen = s.seen(r);
    std::int64_t found = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= seen; ++h)
        found += s.is_judged(r.codes[h]);
    return static_cast<double>(seen - found) / static_cast<double>(s.cutoff);
}

double accuracy(const Ranking& r, const Spec& s) {
    const std::int64_t seen = s.seen(r);
    double found = 0, wrong = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= seen; ++h) {
        if (!s.is_relevant(r.codes[h])) continue;
        wrong += static_cast<double>(r.ranks[h] - 1) - found;
        found += 1;
    }
    const double pairs = found * (static_cast<double>(seen) - found);
    if (found == 0) return 0;
    return pairs == 0 ? 1 : 1 - wrong / pairs;
}

double num_ret(const Ranking& r, const Spec&) { return static_cast<double>(r.retrieved); }
double num_rel(const Ranking& r, const Spec& s) {
    return static_cast<double>(relevant_in_pool(r, s));
}
double num_rel_ret(const Ranking& r, const Spec& s) { return retrieved_relevant(r, s); }

double num_nonrel_ret(const Ranking& r, const Spec& s) {
    std::int64_t found = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= r.retrieved; ++h)
        found += s.is_judged(r.codes[h]) && !s.is_relevant(r.codes[h]);
    return static_cast<double>(found);
}

double set_precision(const Ranking& r, const Spec& s) {
    return ratio(retrieved_relevant(r, s), static_cast<double>(r.retrieved));
}

double set_relative_precision(const Ranking& r, const Spec& s) {
    return ratio(retrieved_relevant(r, s),
                 static_cast<double>(std::min(r.retrieved, relevant_in_pool(r, s))));
}

double set_recall(const Ranking& r, const Spec& s) {
    return ratio(retrieved_relevant(r, s), static_cast<double>(relevant_in_pool(r, s)));
}

// trec_eval and ir_measures do not square beta here.
double set_f(const Ranking& r, const Spec& s) {
    return harmonic(set_precision(r, s), set_recall(r, s), s.parameters[0]);
}

// One division, as in trec_eval: the product of two quotients may round to another last digit.
double set_ap(const Ranking& r, const Spec& s) {
    const double found = retrieved_relevant(r, s);
    return ratio(found * found,
                 static_cast<double>(r.retrieved) * static_cast<double>(relevant_in_pool(r, s)));
}

double utility(const Ranking& r, const Spec& s) {
    const double found = retrieved_relevant(r, s), n = static_cast<double>(r.retrieved);
    const double total = static_cast<double>(relevant_in_pool(r, s));
    const auto& w = s.parameters;  // four weights, the size of the collection
    return w[0] * found + w[1] * (n - found) + w[2] * (total - found) +
           w[3] * (w[4] + found - n - total);
}

}  // namespace tare::kernels
