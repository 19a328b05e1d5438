#include "core/stats/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/chance/random.hpp"
#include "core/threads.hpp"

namespace tare {

double exact_signed_rank(std::span<const std::int64_t> doubled_ranks, std::int64_t smaller) {
    // ways[w] = probability that the chosen ranks sum to w; only sums up to the observed one matter.
    // Two buffers, so that the loops run over independent cells; halving is exact in binary.
    const auto size = static_cast<std::size_t>(smaller) + 1;
    thread_local std::vector<double> ways, next;
    ways.assign(size, 0.0);
    next.assign(size, 0.0);
    ways[0] = 1.0;
    std::size_t reach = 1;  // cells that can be other than 0
    for (const std::int64_t rank : doubled_ranks) {
        const auto step = static_cast<std::size_t>(rank);
        reach = std::min(size, reach + step);
        const std::size_t low = std::min(step, reach);
        const double* from = ways.data();
        double* to = next.data();
        for (std::size_t w = 0; w < low; ++w) to[w] = 0.5 * from[w];
        for (std::size_t w = low; w < reach; ++w) to[w] = 0.5 * (from[w] + from[w - step]);
        ways.swap(next);
    }
    double sum = 0;
    for (const double way : ways) sum += way;
    return std::min(1.0, 2.0 * sum);
}

namespace {

struct Entry {
    double size;
    bool positive;
    bool zero;
};

}  // namespace

SignedRanks signed_ranks(std::span<const double> rows, std::size_t items, Zeros zeros,
                         std::size_t most_exact, std::uint64_t seed, unsigned threads) {
    const std::size_t count = items == 0 ? 0 : rows.size() / items;
    SignedRanks made;
    made.plus.assign(count, 0);
    made.minus.assign(count, 0);
    made.variance.assign(count, 0);
    made.used.assign(count, 0);
    made.exact.assign(count, std::numeric_limits<double>::quiet_NaN());
    for_each_index(count, threads, 64, [&](std::size_t r) {
        thread_local std::vector<Entry> entries;
        thread_local std::vector<std::int64_t> doubled;
        entries.clear();
        doubled.clear();
        for (std::size_t i = 0; i < items; ++i) {
            const double d = rows[r * items + i];
            if (std::isnan(d) || (d == 0 && zeros == Zeros::dropped)) continue;
            bool positive = d > 0;
            if (d == 0 && zeros == Zeros::putter) positive = RandomStream(seed, i).next() >> 63;
            entries.push_back({std::fabs(d), positive, d == 0});
        }
        std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.size < b.size; });
        std::int64_t plus = 0, minus = 0;
        double squares = 0;
        for (std::size_t start = 0; start < entries.size();) {
            std::size_t end = start;
            while (end < entries.size() && entries[end].size == entries[start].size) ++end;
            const auto rank = static_cast<std::int64_t>(start + 1 + end);  // twice the mean rank
            for (std::size_t k = start; k < end; ++k) {
                if (entries[k].zero && zeros == Zeros::pratt) continue;
                (entries[k].positive ? plus : minus) += rank;
                squares += static_cast<double>(rank) * static_cast<double>(rank);
                doubled.push_back(rank);
            }
            start = end;
        }
        made.plus[r] = 0.5 * static_cast<double>(plus);
        made.minus[r] = 0.5 * static_cast<double>(minus);
        made.variance[r] = squares / 16.0;
        made.used[r] = static_cast<std::int64_t>(doubled.size());
        if (doubled.size() <= most_exact) made.exact[r] = exact_signed_rank(doubled, std::min(plus, minus));
    });
    return made;
}

}  // namespace tare
