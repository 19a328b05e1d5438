#include "core/diversity/expected.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/chance/harmonic.hpp"
#include "core/chance/hypergeometric.hpp"
#include "core/measures/discount.hpp"

namespace tare::diversity {
namespace {

// Σ_{i≤K} weight(i)·(R/n)·E[(1-alpha)^M], M the relevant among i-1 drawn from the n-1 others.
double cascade(const Spec& spec, std::int64_t n, std::int64_t r, std::int64_t k) {
    if (r == 0) return 0;
    const double others = static_cast<double>(n - 1), relevant = static_cast<double>(r - 1);
    double sum = 0;
    for (std::int64_t i = 1; i <= k; ++i)
        sum +=
            spec.weight(i) * mean_over_drawn(others, relevant, static_cast<double>(i - 1),
                                             [&](double j) { return std::pow(1 - spec.alpha, j); });
    return sum * static_cast<double>(r) / static_cast<double>(n);
}

// Σ_{i≤K} (1/i)(R/n)[1 + (i-1)(R-1)/(n-1)].
double sum_of_precision(std::int64_t n, std::int64_t r, std::int64_t k) {
    const auto nn = static_cast<double>(n), rr = static_cast<double>(r),
               kk = static_cast<double>(k);
    const double h = harmonic(kk), pairs = n > 1 ? (rr - 1) / (nn - 1) : 0;
    return rr / nn * (h + (kk - h) * pairs);
}

// Σ_{i≤K} (1/i)·P(the first relevant document is at rank i).
double first_reciprocal(std::int64_t n, std::int64_t r, std::int64_t k) {
    if (r == 0) return 0;
    const auto nn = static_cast<double>(n), rr = static_cast<double>(r);
    if (k == n && n > 4096) return rr / (nn - rr + 1) * harmonic_between(rr - 1, nn);
    double none = 1, sum = 0;
    for (std::int64_t i = 1; i <= k && none > 0; ++i) {
        const double here = std::min(1.0, rr / (nn - static_cast<double>(i) + 1));
        sum += none * here / static_cast<double>(i);
        none *= 1 - here;
    }
    return sum;
}

double recall(const Query& query, std::span<const std::int64_t> r, std::int64_t n, std::int64_t k) {
    double sum = 0;
    for (const std::int64_t relevant : r) sum += probability_of_some(n, relevant, k);
    return sum / static_cast<double>(query.subtopics());
}

}  // namespace

double expected_sum(const Query& query, const Spec& spec, std::span<const std::int32_t> documents,
                    std::int64_t size) {
    if (size == 0 || query.subtopics() == 0) return 0;
    std::vector<std::int64_t> r(query.subtopics(), 0);
    double gains = 0, global = 0;
    for (const std::int32_t d : documents) {
        for (const Query::Cell& cell : query.cells(d)) {
            ++r[static_cast<std::size_t>(cell.subtopic)];
            if (spec.graded())
                gains +=
                    query.probability(cell.subtopic) * cell.gain / query.ideal_gain(cell.subtopic);
        }
        if (spec.graded()) global += query.global_gain(d);
    }
    const std::int64_t k = std::min(spec.depth(), size);
    const auto n = static_cast<double>(size);
    const auto discounts = [&] {
        return Discount(DiscountKind::log, 2, std::min<std::int64_t>(k, 4096)).sum(k);
    };
    double sum = 0;
    for (std::size_t j = 0; j < r.size(); ++j) {
        const auto subtopic = static_cast<std::int32_t>(j);
        const double p = query.probability(subtopic);
        switch (spec.kind) {
            case Kind::cascade:
                sum += query.weight(subtopic) *
                       cascade(spec, size, r[j], std::min(spec.reach(), size));
                break;
            case Kind::precision:
                sum += p * static_cast<double>(k) * static_cast<double>(r[j]) / n;
                break;
            case Kind::average_precision:
                sum += p * sum_of_precision(size, r[j], k) /
                       static_cast<double>(query.relevant(subtopic));
                break;
            case Kind::reciprocal_rank:
                sum += p * first_reciprocal(size, r[j], k);
                break;
            default:
                break;
        }
    }
    if (spec.kind == Kind::subtopic_recall) return recall(query, r, size, k);
    if (spec.kind == Kind::intent_ndcg) return gains / n * discounts();
    if (spec.kind == Kind::global_ndcg) return global / n * discounts();
    if (spec.kind == Kind::sharp_ndcg) {
        const double share =
            query.ideal_global() > 0 ? global / n * discounts() / query.ideal_global() : 0;
        return spec.gamma * recall(query, r, size, k) + (1 - spec.gamma) * share;
    }
    return sum;
}

}  // namespace tare::diversity
