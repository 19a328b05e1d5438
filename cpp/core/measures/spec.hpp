// A measure as the kernels see it: what is relevant, what it gains, how far to look.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/judged.hpp"
#include "core/measures/discount.hpp"

namespace tare {

struct Spec {
    std::int64_t cutoff = 0;    // 0 = the whole ranking
    std::int64_t reach = 0;     // the kernel reads no rank beyond this; 0 = it may read all
    std::int32_t relevant = 0;  // the least code that is relevant
    std::int32_t judged = 0;    // the least code that is no negative grade ("pooled, not judged")
    std::vector<double> gain;   // by code
    std::vector<double> parameters;  // the kernel's own, in its order
    Discount discount;
    std::vector<double> table;  // what the kernel prepared

    std::int64_t depth() const {
        return cutoff > 0 ? cutoff : std::numeric_limits<std::int64_t>::max();
    }
    // The documents looked at: the cutoff, or all that were retrieved.
    std::int64_t seen(const Ranking& r) const { return std::min(depth(), r.retrieved); }
    bool is_relevant(std::int32_t code) const { return code >= relevant; }
    bool is_judged(std::int32_t code) const { return code >= judged; }
    double gain_of(std::int32_t code) const { return gain[static_cast<std::size_t>(code)]; }
};

// How many of the pool have at least this code; the pool is in descending order.
inline std::int64_t count_at_least(std::span<const std::int32_t> pool, std::int32_t code) {
    return std::partition_point(pool.begin(), pool.end(),
                                [code](std::int32_t c) { return c >= code; }) -
           pool.begin();
}

// R, the relevant documents of the pool.
inline std::int64_t relevant_in_pool(const Ranking& r, const Spec& s) {
    return count_at_least(r.pool, s.relevant);
}

// Judged documents of the pool that are not relevant.
inline std::int64_t nonrelevant_in_pool(const Ranking& r, const Spec& s) {
    return std::max<std::int64_t>(0, count_at_least(r.pool, s.judged) - relevant_in_pool(r, s));
}

// Positive gains of the pool, largest first: what an ideal ranking earns. Called within one thread;
// the result is good until the next call.
std::span<const double> ideal_gains(const Ranking& r, const Spec& s);

using Kernel = double (*)(const Ranking&, const Spec&);

}  // namespace tare
