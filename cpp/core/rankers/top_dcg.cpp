#include "core/rankers/top_dcg.hpp"

#include <algorithm>
#include <cmath>

namespace tare {

TopDcg::TopDcg(std::size_t cutoff)
    : cutoff_(cutoff), discounts_(cutoff), best_(cutoff), rows_(cutoff) {
    for (std::size_t i = 0; i < cutoff; ++i)
        discounts_[i] = 1.0 / std::log2(static_cast<double>(i) + 2.0);
}

double TopDcg::of(std::span<const double> scores, std::span<const double> gains) {
    std::size_t count = 0;
    for (std::uint32_t row = 0; row < scores.size(); ++row) {
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
