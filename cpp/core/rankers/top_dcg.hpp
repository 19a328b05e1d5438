// DCG of the first documents of a ranking, without sorting the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tare {

// Documents of queries: those of query q are the rows from offsets[q] up to offsets[q + 1].
struct GradedRows {
    std::span<const std::int64_t> offsets;
    std::span<const double> gains;
    std::span<const double> scale;  // 1/IDCG of each query; 0 takes a query out

    std::size_t queries() const { return scale.size(); }
    std::size_t begin(std::size_t q) const { return static_cast<std::size_t>(offsets[q]); }
    std::size_t size(std::size_t q) const {
        return static_cast<std::size_t>(offsets[q + 1] - offsets[q]);
    }
};

// The best `cutoff` of the documents offered; of equal scores the one offered first is better.
class TopDcg {
public:
    explicit TopDcg(std::size_t cutoff);

    // DCG of documents ranked by score. `rows()` then holds the places of those that counted.
    double of(std::span<const double> scores, std::span<const double> gains);

    std::span<const std::uint32_t> rows() const { return {rows_.data(), count_}; }

private:
    std::size_t cutoff_, count_ = 0;
    std::vector<double> discounts_, best_;
    std::vector<std::uint32_t> rows_;
};

}  // namespace tare
