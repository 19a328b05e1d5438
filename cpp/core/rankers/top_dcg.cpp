#include "core/rankers/top_dcg.hpp"

#include <algorithm>
#include <cmath>

namespace tare {

TopDcg::TopDcg(std::size_t cutoff) : cutoff_(cutoff), discounts_(cutoff), best_(cutoff), rows_(cutoff) {
    for (std::size_t i = 0; i < cutoff; ++i) discounts_[i] = 1.0 / std::log2(static_cast<double>(i) + 2.0);
}

double TopDcg::of(std::span<const double> scores, std::span<const double> gains) {
    return scan(scores, gains, -std::numeric_limits<double>::infinity());
}

double TopDcg::again(std::span<const double> scores, std::span<const double> gains) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count_; ++i) least = std::min(least, scores[rows_[i]]);
    return scan(scores, gains, count_ == cutoff_ ? least : -std::numeric_limits<double>::infinity());
}

double TopDcg::scan(std::span<const double> scores, std::span<const double> gains, double least) {
    // First without a branch who may be among the first, then them alone.
    likely_.resize(scores.size());
    std::size_t found = 0;
    for (std::size_t row = 0; row < scores.size(); ++row) {
        likely_[found] = static_cast<std::uint32_t>(row);
        found += scores[row] >= least;
    }
    std::size_t count = 0;
    for (std::size_t k = 0; k < found; ++k) {
        const std::uint32_t row = likely_[k];
        const double score = scores[row];
        if (count == cutoff_) {
            if (score <= best_[count - 1]) continue;
        } else {
            ++count;
        }
        std::size_t at = count - 1;
        for (; at > 0 && best_[at - 1] < score; --at) {
            best_[at] = best_[at - 1];
            rows_[at] = rows_[at - 1];
        }
        best_[at] = score;
        rows_[at] = row;
    }
    count_ = count;
    double dcg = 0;
    for (std::size_t i = 0; i < count; ++i) dcg += gains[rows_[i]] * discounts_[i];
    return dcg;
}

}  // namespace tare
