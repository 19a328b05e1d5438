#include "core/diversity/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/diversity/expected.hpp"
#include "core/diversity/ideal.hpp"
#include "core/threads.hpp"

namespace tare::diversity {

Judgements Collection::operator[](std::size_t query) const {
    const auto first = static_cast<std::size_t>(document_offsets[query]);
    const auto count = static_cast<std::size_t>(document_offsets[query + 1]) - first;
    const auto subtopic = static_cast<std::size_t>(subtopic_offsets[query]);
    const auto subtopics = static_cast<std::size_t>(subtopic_offsets[query + 1]) - subtopic;
    return {cell_offsets.subspan(first, count + 1), cell_subtopics, cell_grades,
            probabilities.subspan(subtopic, subtopics)};
}

namespace {

std::vector<TieGroup> groups_of(const Rankings& r, std::size_t q) {
    std::vector<TieGroup> groups;
    for (auto h = static_cast<std::size_t>(r.offsets[q]);
         h < static_cast<std::size_t>(r.offsets[q + 1]); ++h) {
        const std::int64_t low = r.lows.empty() ? r.ranks[h] : r.lows[h];
        const std::int64_t high = r.lows.empty() ? r.ranks[h] : r.highs[h];
        if (groups.empty() || groups.back().low != low) groups.push_back({low, high, {}});
        groups.back().documents.push_back(r.documents[h]);
    }
    return groups;
}

bool is_open(const Rankings& r, std::size_t q) {
    if (r.lows.empty()) return false;
    for (auto h = static_cast<std::size_t>(r.offsets[q]);
         h < static_cast<std::size_t>(r.offsets[q + 1]); ++h)
        if (r.lows[h] != r.highs[h]) return true;
    return false;
}

std::vector<Hit> hits_of(const Rankings& r, std::size_t q, std::int64_t depth) {
    const std::int64_t last = std::min(depth, r.retrieved[q]);
    std::vector<Hit> hits;
    for (auto h = static_cast<std::size_t>(r.offsets[q]);
         h < static_cast<std::size_t>(r.offsets[q + 1]); ++h)
        if (r.ranks[h] <= last) hits.push_back({r.ranks[h], r.documents[h]});
    return hits;
}

std::vector<Hit> backwards(std::vector<std::int32_t> order, std::int64_t size) {
    std::vector<Hit> hits;
    std::int64_t rank = size - static_cast<std::int64_t>(order.size());
    for (auto it = order.rbegin(); it != order.rend(); ++it) hits.push_back({++rank, *it});
    return hits;
}

struct Answer {
    double value = 0, error = 0;
};

Answer answer(What what, const Rankings& rankings, std::size_t q, const Query& query,
              const Spec& spec, const Sampling& sampling, double observed, double by) {
    if (!(by > 0)) return {what == What::tails ? 1.0 : 0.0, 0};
    Walk walk(query, spec);
    const auto documents = rankings.documents.subspan(
        static_cast<std::size_t>(rankings.offsets[q]),
        static_cast<std::size_t>(rankings.offsets[q + 1] - rankings.offsets[q]));
    switch (what) {
        case What::expected:
            return {expected_sum(query, spec, documents, rankings.retrieved[q]) / by, 0};
        case What::greedy:
            return {sum_of(walk, ranked(greedy_order(query, spec, documents))) / by, 0};
        case What::exact: {
            const auto sum = exact_sum(query, spec, documents, exact_steps);
            return {sum ? *sum / by : std::numeric_limits<double>::quiet_NaN(), 0};
        }
        case What::worst: {
            Spec all = spec;
            all.cutoff = 0;
            const auto order =
                greedy_order(query, spec.kind == Kind::precision ? spec : all, documents);
            return {sum_of(walk, backwards(order, rankings.retrieved[q])) / by, 0};
        }
        default:
            break;
    }
    if (what == What::values && !is_open(rankings, q))
        return {sum_of(walk, hits_of(rankings, q, spec.depth())) / by, 0};
    std::vector<TieGroup> groups = groups_of(rankings, q);
    Spec cut = spec;  // a depth may divide a tie group
    if (rankings.retrieved[q] < spec.depth())
        cut.cutoff = std::max<std::int64_t>(rankings.retrieved[q], 1);
    const SumMoments m = over_orders(query, cut, std::move(groups), sampling, observed * by);
    if (what == What::variances) return {m.variance / (by * by), m.variance_error / (by * by)};
    if (what == What::tails) return {m.at_least, m.at_least_error};
    return {m.mean / by, m.error / by};
}

}  // namespace

Answers evaluate(What what, const Rankings& rankings, const Collection& collection,
                 const Spec& spec, const Sampling& sampling, std::span<const double> observed,
                 std::span<const double> divisors, unsigned threads) {
    const std::size_t n = rankings.size();
    Answers out{std::vector<double>(n, 0), std::vector<double>(n, 0), std::vector<double>(n, 0)};
    for_each_index(n, threads, 4, [&](std::size_t q) {
        const Query query(collection[q], spec);
        Sampling own = sampling;
        own.stream = rankings.streams[q];
        const double by = out.divisors[q] = divisors.empty() ? divisor(query, spec) : divisors[q];
        const Answer found =
            answer(what, rankings, q, query, spec, own, observed.empty() ? 0 : observed[q], by);
        out.values[q] = found.value;
        out.errors[q] = found.error;
    });
    return out;
}

}  // namespace tare::diversity
