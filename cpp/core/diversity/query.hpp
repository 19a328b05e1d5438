// One query as a measure of diversity sees it, and the measure itself.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tare::diversity {

// Every measure here adds up, rank by rank, what a document brings given what was seen before.
enum class Kind {
    subtopic_recall,  // new subtopics
    cascade,          // alpha-DCG, ERR-IA, NRBP: (1-alpha)^(times seen), discounted
    precision,
    average_precision,
    reciprocal_rank,
    intent_ndcg,
    global_ndcg,  // D-nDCG
    sharp_ndcg,   // gamma·recall + (1-gamma)·D-nDCG
};

enum class Weights { logarithmic, reciprocal, geometric };

// What a sum of the cascade is divided by.
enum class Scale {
    none,       // nothing
    intents,    // the number of subtopics, and ERR's alpha: the mean over intents
    unlimited,  // what a document for every subtopic at every rank would score
    pool,       // what the ideal ranking of the judged documents scores
};

enum class Ideal { greedy, exact };

struct Spec {
    Kind kind = Kind::cascade;
    Weights weights = Weights::logarithmic;
    Scale scale = Scale::none;
    Ideal ideal = Ideal::greedy;
    std::int64_t cutoff = 0;  // 0 = the whole ranking
    double rel = 1, alpha = 0.5, beta = 0.5, gamma = 0.5;
    bool exponential = false;  // gains 2^grade - 1

    std::int64_t depth() const {
        return cutoff > 0 ? cutoff : std::numeric_limits<std::int64_t>::max();
    }
    // Whether gains count, and not only which subtopics a document is relevant to.
    bool graded() const {
        return kind == Kind::intent_ndcg || kind == Kind::global_ndcg || kind == Kind::sharp_ndcg;
    }
    double weight(double rank) const;
    // The rank from which on weights are too small to count.
    std::int64_t reach() const;
};

// A judged document at a rank.
struct Hit {
    std::int64_t rank;
    std::int32_t document;
};

// The judgements of one query, as given.
struct Judgements {
    std::span<const std::int64_t> cell_offsets;  // by document, plus one
    std::span<const std::int32_t> subtopics;     // of all cells
    std::span<const double> grades;
    std::span<const double> probabilities;  // by subtopic, need not add up to 1
};

// The same, prepared for one measure: cells of relevant grades only, subtopics without any left
// out.
class Query {
public:
    Query(const Judgements& judgements, const Spec& spec);

    struct Cell {
        std::int32_t subtopic;
        double gain;
    };
    std::size_t documents() const { return offsets_.size() - 1; }
    std::size_t subtopics() const { return weights_.size(); }
    std::span<const Cell> cells(std::int32_t document) const {
        const auto d = static_cast<std::size_t>(document);
        return {cells_.data() + offsets_[d], offsets_[d + 1] - offsets_[d]};
    }
    // The subtopic's probability times the number of subtopics: 1 where all are alike.
    double weight(std::int32_t subtopic) const {
        return weights_[static_cast<std::size_t>(subtopic)];
    }
    double probability(std::int32_t subtopic) const {
        return weight(subtopic) / static_cast<double>(weights_.size());
    }
    // Relevant documents of a subtopic in the judgements.
    std::int64_t relevant(std::int32_t subtopic) const {
        return relevant_[static_cast<std::size_t>(subtopic)];
    }
    // Only for measures that are graded: the best DCG that the gains of a subtopic allow.
    double ideal_gain(std::int32_t subtopic) const {
        return ideal_[static_cast<std::size_t>(subtopic)];
    }
    // Gains weighed by the subtopics' probabilities, by document, and the best DCG of them.
    double global_gain(std::int32_t document) const {
        return global_[static_cast<std::size_t>(document)];
    }
    double ideal_global() const { return ideal_global_; }

private:
    std::vector<std::size_t> offsets_;
    std::vector<Cell> cells_;
    std::vector<double> weights_, ideal_, global_;
    std::vector<std::int64_t> relevant_;
    double ideal_global_ = 0;
};

// A reader who goes down a ranking and remembers the subtopics seen.
class Walk {
public:
    Walk(const Query& query, const Spec& spec);

    // What a document brings at a rank, before the rank's weight.
    double score(std::int64_t rank, std::int32_t document) const;
    void take(std::int32_t document);
    void forget();

    const Query& query() const { return query_; }
    const Spec& spec() const { return spec_; }

private:
    const Query& query_;
    const Spec& spec_;
    std::vector<double> left_;        // (1-alpha)^(times seen), by subtopic
    std::vector<std::int32_t> seen_;  // times seen
};

// The sum over a ranking, hits in rank order.
double sum_of(Walk& walk, std::span<const Hit> hits);
// What the sum is divided by; 0 where nothing can be gained.
double divisor(const Query& query, const Spec& spec);

}  // namespace tare::diversity
