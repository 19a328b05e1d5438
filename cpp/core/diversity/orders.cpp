#include "core/diversity/orders.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/chance/random.hpp"

namespace tare::diversity {
namespace {

constexpr double slack = 1e-12;     // sums of the same terms in another order
constexpr double most_steps = 1e9;  // ranks in all orders together

// How many ways there are to fill ranks low…last of a group, unjudged documents alike.
double ways(const TieGroup& group, std::int64_t last) {
    const auto r = static_cast<std::int64_t>(group.documents.size());
    const std::int64_t u = group.high - group.low + 1 - r;
    const std::int64_t places = std::min(last, group.high) - group.low + 1;
    double total = 0;  // over the number of judged documents among the places
    for (std::int64_t h = std::max<std::int64_t>(0, places - u); h <= std::min(r, places); ++h) {
        double way = 1;
        for (std::int64_t i = 0; i < h; ++i)
            way *= static_cast<double>((r - i) * (places - i)) / static_cast<double>(i + 1);
        total += way;
    }
    return total;
}

// Every order once, each with its probability.
class Enumeration {
public:
    Enumeration(const Query& query, const Spec& spec, std::vector<TieGroup>& groups,
                double observed)
        : spec_(spec), groups_(groups), walk_(query, spec), observed_(observed) {}

    SumMoments run() {
        fill(0, groups_.empty() ? 0 : groups_[0].low, 1);
        double variance = 0;
        for (const auto& [sum, p] : sums_) variance += p * (sum - mean_) * (sum - mean_);
        return {mean_, 0, variance, 0, std::min(1.0, at_least_), 0};
    }

private:
    // Recursion goes one level deeper for each judged document that has a choice of ranks, and
    // their number is small where all orders are few. Ranks without a choice, of which there may be
    // millions, are a loop.
    void fill(std::size_t g, std::int64_t rank, double p) {
        const std::size_t before = hits_.size();
        while (g < groups_.size() && rank <= spec_.reach()) {
            TieGroup& group = groups_[g];
            const std::int64_t places = group.high - rank + 1;
            const auto left = static_cast<double>(places);
            const std::size_t judged = group.documents.size();
            if (judged == 0 || places == 1) {
                if (judged != 0) hits_.push_back({rank, group.documents.front()});
                rank = ++g < groups_.size() ? groups_[g].low : group.high + 1;
                continue;
            }
            for (std::size_t i = 0; i < judged; ++i) {
                std::swap(group.documents[i], group.documents.back());
                const std::int32_t document = group.documents.back();
                group.documents.pop_back();
                hits_.push_back({rank, document});
                fill(g, rank + 1, p / left);
                hits_.pop_back();
                group.documents.push_back(document);
                std::swap(group.documents[i], group.documents.back());
            }
            const double others = left - static_cast<double>(judged);
            if (others <= 0) return hits_.resize(before);
            p *= others / left;
            ++rank;
        }
        const double sum = sum_of(walk_, hits_);
        mean_ += p * sum;
        sums_.emplace_back(sum, p);
        if (sum >= observed_ - slack * std::max(1.0, std::abs(observed_))) at_least_ += p;
        hits_.resize(before);
    }

    const Spec& spec_;
    std::vector<TieGroup>& groups_;
    Walk walk_;
    double observed_, mean_ = 0, at_least_ = 0;
    std::vector<Hit> hits_;
    std::vector<std::pair<double, double>> sums_;
};

// One random order: at each rank one of the documents left, all with the same chance.
void draw(std::vector<TieGroup>& groups, std::int64_t reach, RandomStream& random,
          std::vector<Hit>& hits) {
    hits.clear();
    for (TieGroup& group : groups) {
        std::size_t judged = group.documents.size();
        for (std::int64_t rank = group.low; rank <= std::min(group.high, reach) && judged > 0;
             ++rank) {
            const std::uint64_t pick =
                random.below(static_cast<std::uint64_t>(group.high - rank + 1));
            if (pick >= judged) continue;
            hits.push_back({rank, group.documents[pick]});
            std::swap(group.documents[pick], group.documents[--judged]);
        }
    }
}

SumMoments sampled(const Query& query, const Spec& spec, std::vector<TieGroup>& groups,
                   const Sampling& sampling, double observed) {
    RandomStream random(sampling.seed, sampling.stream);
    Walk walk(query, spec);
    std::vector<Hit> hits;
    std::vector<double> sums;
    std::int64_t as_high = 0;
    for (std::int64_t s = 0; s < sampling.samples; ++s) {
        draw(groups, spec.reach(), random, hits);
        sums.push_back(sum_of(walk, hits));
        as_high += sums.back() >= observed - slack * std::max(1.0, std::abs(observed));
    }
    const auto n = static_cast<double>(sums.size());
    double mean = 0, second = 0, fourth = 0;
    for (const double sum : sums) mean += sum / n;
    for (const double sum : sums) {
        const double square = (sum - mean) * (sum - mean);
        second += square, fourth += square * square;
    }
    const double variance = n > 1 ? second / (n - 1) : 0;
    const double spread = std::sqrt(std::max(0.0, fourth / n - variance * variance) / n);
    const double share = (static_cast<double>(as_high) + 1) / (n + 1);
    return {mean,  std::sqrt(variance / n),           variance, spread,
            share, std::sqrt(share * (1 - share) / n)};
}

}  // namespace

SumMoments over_orders(const Query& query, const Spec& spec, std::vector<TieGroup> groups,
                       const Sampling& sampling, double observed) {
    double orders = 1, ranks = 0;
    for (const TieGroup& group : groups) {
        if (group.low > spec.reach()) continue;
        orders *= ways(group, spec.reach());
        ranks += group.documents.empty()
                     ? 1
                     : static_cast<double>(std::min(group.high, spec.reach()) - group.low + 1);
        if (orders > static_cast<double>(sampling.most_orders) ||
            (orders > 1 && orders * ranks > most_steps))
            return sampled(query, spec, groups, sampling, observed);
    }
    std::erase_if(groups, [&](const TieGroup& g) { return g.low > spec.reach(); });
    return Enumeration(query, spec, groups, observed).run();
}

}  // namespace tare::diversity
