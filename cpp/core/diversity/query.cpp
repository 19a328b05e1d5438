#include "core/diversity/query.hpp"

#include <algorithm>
#include <cmath>

#include "core/diversity/ideal.hpp"
#include "core/measures/smooth_sum.hpp"

namespace tare::diversity {
namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

double gain_of(double grade, bool exponential) {
    return exponential ? std::exp2(grade) - 1 : grade;
}

// The DCG of gains in descending order, down to a depth.
double best_dcg(std::vector<double>& gains, std::int64_t depth) {
    std::sort(gains.begin(), gains.end(), std::greater<>{});
    double sum = 0;
    for (std::size_t i = 0; i < gains.size() && static_cast<std::int64_t>(i) < depth; ++i)
        sum += gains[i] / std::log2(static_cast<double>(i) + 2);
    return sum;
}

}  // namespace

double Spec::weight(double i) const {
    switch (kind) {
        case Kind::subtopic_recall:
        case Kind::precision:
        case Kind::sharp_ndcg:
            return 1;  // its discount is part of the score
        case Kind::average_precision:
        case Kind::reciprocal_rank:
            return 1 / i;
        case Kind::intent_ndcg:
        case Kind::global_ndcg:
            return 1 / std::log2(i + 1);
        case Kind::cascade:
            break;
    }
    switch (weights) {
        case Weights::logarithmic:
            return std::log(2.0) / std::log(i + 1);
        case Weights::reciprocal:
            return 1 / i;
        case Weights::geometric:
            return std::pow(beta, i - 1);
    }
    return 0;
}

std::int64_t Spec::reach() const {
    if (kind != Kind::cascade || weights != Weights::geometric || beta >= 1) return depth();
    if (beta <= 0) return std::min<std::int64_t>(depth(), 1);
    return std::min(depth(), static_cast<std::int64_t>(std::ceil(-46.0 / std::log(beta))) + 1);
}

Query::Query(const Judgements& judgements, const Spec& spec) {
    const std::size_t all = judgements.probabilities.size();
    std::vector<std::int64_t> count(all, 0);
    const auto matters = [&](double grade) { return grade >= spec.rel && grade > 0; };
    const auto first = static_cast<std::size_t>(judgements.cell_offsets.front());
    const auto last = static_cast<std::size_t>(judgements.cell_offsets.back());
    for (std::size_t c = first; c < last; ++c)
        if (matters(judgements.grades[c]))
            ++count[static_cast<std::size_t>(judgements.subtopics[c])];
    std::vector<std::int32_t> number(all, -1);
    double total = 0;
    for (std::size_t j = 0; j < all; ++j) {
        if (count[j] == 0) continue;
        number[j] = static_cast<std::int32_t>(relevant_.size());
        relevant_.push_back(count[j]);
        weights_.push_back(judgements.probabilities[j]);
        total += judgements.probabilities[j];
    }
    // Uniform weights become 1 exactly, so that ties of a greedy ideal are those of ndeval.
    const auto m = static_cast<double>(weights_.size());
    const bool uniform =
        std::all_of(weights_.begin(), weights_.end(), [&](double w) { return w == weights_[0]; });
    for (double& w : weights_) w = uniform ? 1 : total > 0 ? w * m / total : 0;

    const bool graded = spec.graded();
    std::vector<std::vector<double>> gains(weights_.size());
    offsets_.reserve(judgements.cell_offsets.size());
    if (graded) global_.reserve(judgements.cell_offsets.size());
    offsets_.push_back(0);
    for (std::size_t d = 0; d + 1 < judgements.cell_offsets.size(); ++d) {
        double global = 0;
        for (auto c = static_cast<std::size_t>(judgements.cell_offsets[d]);
             c < static_cast<std::size_t>(judgements.cell_offsets[d + 1]); ++c) {
            if (!matters(judgements.grades[c])) continue;
            const std::int32_t j = number[static_cast<std::size_t>(judgements.subtopics[c])];
            if (!graded) {
                cells_.push_back({j, 1});
                continue;
            }
            const double gain = gain_of(judgements.grades[c], spec.exponential);
            cells_.push_back({j, gain});
            gains[static_cast<std::size_t>(j)].push_back(gain);
            global += probability(j) * gain;
        }
        offsets_.push_back(cells_.size());
        if (graded) global_.push_back(global);
    }
    if (!graded) return;
    for (auto& of_subtopic : gains) ideal_.push_back(best_dcg(of_subtopic, spec.depth()));
    std::vector<double> sorted = global_;
    ideal_global_ = best_dcg(sorted, spec.depth());
}

Walk::Walk(const Query& query, const Spec& spec)
    : query_(query), spec_(spec), left_(query.subtopics(), 1), seen_(query.subtopics(), 0) {}

double Walk::score(std::int64_t rank, std::int32_t document) const {
    double sum = 0;
    const auto each = [&](auto&& f) {
        for (const Query::Cell& cell : query_.cells(document))
            sum += f(cell, static_cast<std::size_t>(cell.subtopic));
    };
    const auto m = static_cast<double>(query_.subtopics());
    switch (spec_.kind) {
        case Kind::subtopic_recall:
            each([&](const Query::Cell&, std::size_t j) { return seen_[j] == 0 ? 1.0 : 0.0; });
            return sum / m;
        case Kind::cascade:
            each([&](const Query::Cell& c, std::size_t j) {
                return query_.weight(c.subtopic) * left_[j];
            });
            return sum;
        case Kind::precision:
            each([&](const Query::Cell& c, std::size_t) { return query_.probability(c.subtopic); });
            return sum;
        case Kind::average_precision:
            each([&](const Query::Cell& c, std::size_t j) {
                return query_.probability(c.subtopic) * (seen_[j] + 1) /
                       static_cast<double>(query_.relevant(c.subtopic));
            });
            return sum;
        case Kind::reciprocal_rank:
            each([&](const Query::Cell& c, std::size_t j) {
                return seen_[j] == 0 ? query_.probability(c.subtopic) : 0.0;
            });
            return sum;
        case Kind::intent_ndcg:
            each([&](const Query::Cell& c, std::size_t) {
                return query_.probability(c.subtopic) * c.gain / query_.ideal_gain(c.subtopic);
            });
            return sum;
        case Kind::global_ndcg:
            return query_.global_gain(document);
        case Kind::sharp_ndcg:
            break;
    }
    each([&](const Query::Cell&, std::size_t j) { return seen_[j] == 0 ? 1.0 : 0.0; });
    const double discounted =
        query_.global_gain(document) / std::log2(static_cast<double>(rank) + 1);
    const double share = query_.ideal_global() > 0 ? discounted / query_.ideal_global() : 0;
    return spec_.gamma * sum / m + (1 - spec_.gamma) * share;
}

void Walk::take(std::int32_t document) {
    for (const Query::Cell& cell : query_.cells(document)) {
        const auto j = static_cast<std::size_t>(cell.subtopic);
        left_[j] *= 1 - spec_.alpha;
        ++seen_[j];
    }
}

void Walk::forget() {
    std::fill(left_.begin(), left_.end(), 1);
    std::fill(seen_.begin(), seen_.end(), 0);
}

double sum_of(Walk& walk, std::span<const Hit> hits) {
    walk.forget();
    const std::int64_t depth = walk.spec().depth();
    double sum = 0;
    for (const Hit& hit : hits) {
        if (hit.rank > depth) break;
        if (walk.query().cells(hit.document).empty()) continue;
        sum += walk.spec().weight(hit.rank) * walk.score(hit.rank, hit.document);
        walk.take(hit.document);
    }
    return sum;
}

double divisor(const Query& query, const Spec& spec) {
    if (query.subtopics() == 0) return 0;
    const auto m = static_cast<double>(query.subtopics());
    if (spec.kind == Kind::precision) return static_cast<double>(spec.cutoff);
    if (spec.kind == Kind::global_ndcg) return query.ideal_global();
    if (spec.kind != Kind::cascade) return 1;
    switch (spec.scale) {
        case Scale::none:
            return 1;
        case Scale::intents:
            return spec.weights == Weights::reciprocal ? m / spec.alpha : m;
        case Scale::unlimited: {
            if (spec.weights == Weights::geometric) return m / (1 - (1 - spec.alpha) * spec.beta);
            double sum = 0, left = m;
            const std::int64_t stop = std::min<std::int64_t>(spec.cutoff, 1 << 17);
            for (std::int64_t i = 1; i <= stop; ++i, left *= 1 - spec.alpha)
                sum += left * spec.weight(real(i));
            if (stop == spec.cutoff) return sum;
            // Ranks at which less than e^-46 is left are too small to count.
            const double rate = std::log1p(-spec.alpha);
            const auto reach = rate < -46.0 / real(spec.cutoff)
                                   ? static_cast<std::int64_t>(-46.0 / rate)
                                   : spec.cutoff;
            return sum + smooth_sum(stop + 1, reach, [&](double x) {
                       return m * std::exp(rate * (x - 1)) * spec.weight(x);
                   });
        }
        case Scale::pool:
            break;
    }
    return ideal_sum(query, spec);
}

}  // namespace tare::diversity
