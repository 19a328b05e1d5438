#include "core/diversity/ideal.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tare::diversity {
namespace {

constexpr std::int64_t documents_a_step =
    100;  // that are scored on average; larger pools get fewer steps

// Documents that bring the same, so that one of them stands for all.
struct Pattern {
    std::vector<std::int32_t> documents;  // ascending
    std::size_t used = 0;
    bool left() const { return used < documents.size(); }
    std::int32_t next() const { return documents[used]; }
};

std::vector<Pattern> patterns_of(const Query& query, std::span<const std::int32_t> documents) {
    std::map<std::vector<std::pair<std::int32_t, double>>, std::size_t> known;
    std::vector<Pattern> patterns;
    for (const std::int32_t d : documents) {
        std::vector<std::pair<std::int32_t, double>> key;
        for (const Query::Cell& cell : query.cells(d)) key.emplace_back(cell.subtopic, cell.gain);
        if (key.empty()) continue;
        const auto [it, fresh] = known.try_emplace(std::move(key), patterns.size());
        if (fresh) patterns.emplace_back();
        patterns[it->second].documents.push_back(d);
    }
    for (Pattern& p : patterns) std::sort(p.documents.begin(), p.documents.end());
    return patterns;
}

class Search {
public:
    Search(const Query& query, const Spec& spec, std::span<const std::int32_t> documents,
           std::int64_t most)
        : query_(query),
          spec_(spec),
          patterns_(patterns_of(query, documents)),
          most_(most),
          documents_(documents_a_step * most) {
        for (const Pattern& p : patterns_) left_ += static_cast<std::int64_t>(p.documents.size());
    }

    std::optional<double> best(double known) {
        best_ = known;
        const bool whole = descend(Walk(query_, spec_), 1, 0);
        return whole ? std::optional<double>(best_) : std::nullopt;
    }

private:
    // What a document brings never grows, so the best scores of now, best first, bound what
    // follows.
    double bound(const Walk& walk, std::int64_t rank) {
        std::vector<double> scores;
        for (const Pattern& p : patterns_)
            if (p.left())
                scores.insert(scores.end(), p.documents.size() - p.used,
                              walk.score(rank, p.next()));
        documents_ -= static_cast<std::int64_t>(scores.size());
        std::sort(scores.begin(), scores.end(), std::greater<>{});
        double sum = 0;
        for (std::size_t i = 0;
             i < scores.size() && rank + static_cast<std::int64_t>(i) <= spec_.reach(); ++i)
            sum += spec_.weight(rank + static_cast<std::int64_t>(i)) * scores[i];
        return sum;
    }

    bool descend(const Walk& walk, std::int64_t rank, double sum) {
        best_ = std::max(best_, sum);
        if (rank > spec_.reach() || left_ == 0) return true;
        if (--most_ < 0 || documents_ < 0) return false;
        if (sum + bound(walk, rank) <= best_ * (1 + 1e-14)) return true;
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t p = 0; p < patterns_.size(); ++p)
            if (patterns_[p].left()) order.emplace_back(-walk.score(rank, patterns_[p].next()), p);
        std::sort(order.begin(), order.end());
        for (const auto& [score, p] : order) {
            Walk next = walk;
            next.take(patterns_[p].next());
            ++patterns_[p].used, --left_;
            const bool whole = descend(next, rank + 1, sum - spec_.weight(rank) * score);
            --patterns_[p].used, ++left_;
            if (!whole) return false;
        }
        return true;
    }

    const Query& query_;
    const Spec& spec_;
    std::vector<Pattern> patterns_;
    std::int64_t most_, documents_, left_ = 0;
    double best_ = 0;
};

}  // namespace

std::vector<std::int32_t> greedy_order(const Query& query, const Spec& spec,
                                       std::span<const std::int32_t> documents) {
    std::vector<Pattern> patterns = patterns_of(query, documents);
    Walk walk(query, spec);
    std::vector<std::int32_t> order;
    for (std::int64_t rank = 1; rank <= spec.reach(); ++rank) {
        Pattern* best = nullptr;
        double most = 0;
        for (Pattern& p : patterns) {
            if (!p.left()) continue;
            const double score = walk.score(rank, p.next());
            if (best == nullptr || score > most || (score == most && p.next() < best->next())) {
                best = &p;
                most = score;
            }
        }
        if (best == nullptr) break;
        walk.take(best->next());
        order.push_back(best->next());
        ++best->used;
    }
    return order;
}

std::optional<double> exact_sum(const Query& query, const Spec& spec,
                                std::span<const std::int32_t> documents, std::int64_t most) {
    if (spec.kind == Kind::average_precision) return std::nullopt;
    Walk walk(query, spec);
    const double known = sum_of(walk, ranked(greedy_order(query, spec, documents)));
    return Search(query, spec, documents, most).best(known);
}

std::vector<std::int32_t> all_documents(const Query& query) {
    std::vector<std::int32_t> all(query.documents());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

double ideal_sum(const Query& query, const Spec& spec) {
    const std::vector<std::int32_t> all = all_documents(query);
    if (spec.ideal == Ideal::exact)
        if (const auto exact = exact_sum(query, spec, all, exact_steps)) return *exact;
    Walk walk(query, spec);
    return sum_of(walk, ranked(greedy_order(query, spec, all)));
}

std::vector<Hit> ranked(std::span<const std::int32_t> documents) {
    std::vector<Hit> hits;
    for (std::size_t i = 0; i < documents.size(); ++i)
        hits.push_back({static_cast<std::int64_t>(i) + 1, documents[i]});
    return hits;
}

}  // namespace tare::diversity
