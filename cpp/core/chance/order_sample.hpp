// Random orders of tied documents, and the values a kernel gives them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/chance/orders.hpp"

namespace tare {

constexpr std::int32_t unjudged_code = -1;

// One order: the judged documents with the ranks they got, cut at the end of the ranking.
class Order {
public:
    explicit Order(const Ranking& r) : r_(r) {}

    void clear() { ranks_.clear(), codes_.clear(); }
    void add(std::int64_t rank, std::int32_t code) {
        if (rank > r_.retrieved) return;
        ranks_.push_back(rank);
        codes_.push_back(code);
    }
    double evaluate(const Spec& s, Kernel kernel) const {
        Ranking one = r_;
        one.ranks = std::span<const std::int64_t>(ranks_);
        one.codes = codes_;
        one.lows = one.highs = {};
        return kernel(one, s);
    }

private:
    const Ranking& r_;
    std::vector<std::int64_t> ranks_;
    std::vector<std::int32_t> codes_;
};

// Orders that are alike in something, how likely they are together, and the values of a sample.
struct Stratum {
    double weight = 1;
    std::vector<double> values;
    bool constant = false;  // all its orders have the one value
};

// A seeded sample. The random ranking of a pool with few judged documents is drawn by the rank of
// the first of them, 1, 2, 3–4, 5–8 …, as many orders for each: luck that is too rare to be met by
// a plain sample, and worth the more for it, is met here.
std::vector<Stratum> sample_orders(const Ranking& r, const Spec& s, Kernel kernel,
                                   const OrderOptions& options, std::uint64_t stream);

}  // namespace tare
