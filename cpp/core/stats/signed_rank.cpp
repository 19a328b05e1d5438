#include "core/stats/signed_rank.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/chance/random.hpp"
#include "core/threads.hpp"
#include "core/wide.hpp"

namespace tare {

namespace {

// ways[w] += ways[w − step] from above, so that each rank is used once. In blocks no longer than
// the step the cells written and those read do not overlap.
TARE_WIDE void add_rank(double* ways, std::size_t step, std::size_t reach) {
    for (std::size_t high = reach; high > step;) {
        const std::size_t low = high - step > step ? high - step : step;
        double* __restrict to = ways + low;
        const double* __restrict from = ways + low - step;
        const std::size_t length = high - low;
        for (std::size_t w = 0; w < length; ++w) to[w] += from[w];
        high = low;
    }
}

constexpr std::size_t RESCALE = 900;  // ranks after which 2^n ways would soon be no double
constexpr std::size_t LAST = 6;       // ranks, the largest, that are left to the sums at the end

// Choices of the ranks in `ways` and of these last ones that sum to no more than `bound`.
double ways_up_to(std::span<const double> up_to, std::span<const std::int64_t> last,
                  std::int64_t bound) {
    if (bound < 0) return 0;
    if (last.empty()) return up_to[static_cast<std::size_t>(bound)];
    const auto rest = last.subspan(1);
    return ways_up_to(up_to, rest, bound) + ways_up_to(up_to, rest, bound - last.front());
}

}  // namespace

double exact_signed_rank(std::span<const std::int64_t> doubled_ranks, std::int64_t smaller) {
    // Without ties of even length all doubled ranks are even, and half the cells will do.
    const bool even =
        std::all_of(doubled_ranks.begin(), doubled_ranks.end(), [](auto r) { return r % 2 == 0; });
    const std::int64_t unit = even ? 2 : 1;
    // ways[w] = choices of ranks that sum to w; only sums up to the observed one matter.
    const auto size = static_cast<std::size_t>(smaller / unit) + 1;
    thread_local std::vector<double> ways;
    ways.assign(size, 0.0);
    ways[0] = 1.0;
    std::size_t reach = 1,
                count = 0;  // cells that can be other than 0; ranks since the last scaling
    const std::size_t early = doubled_ranks.size() - std::min(LAST, doubled_ranks.size());
    for (const std::int64_t rank : doubled_ranks.first(early)) {
        const auto step = static_cast<std::size_t>(rank / unit);
        reach = std::min(size, reach + step);
        add_rank(ways.data(), step, reach);
        if (++count == RESCALE) {
            for (std::size_t w = 0; w < reach; ++w)
                ways[w] = std::ldexp(ways[w], -static_cast<int>(RESCALE));
            count = 0;
        }
    }
    // The last ranks change all cells, of which only the sum is wanted: that is a sum of sums.
    for (std::size_t w = 1; w < size; ++w) ways[w] += ways[w - 1];
    std::int64_t last[LAST];
    const std::size_t few = doubled_ranks.size() - early;
    for (std::size_t k = 0; k < few; ++k) last[k] = doubled_ranks[early + k] / unit;
    const double sum = ways_up_to(ways, {last, few}, smaller / unit);
    return std::min(1.0, 2.0 * std::ldexp(sum, -static_cast<int>(count + few)));
}

namespace {

constexpr std::size_t SHORT = 96;  // up to here comparing all with all is faster than sorting

// less[i] and same[i]: how many entries are below, and equal to, the i-th.
TARE_WIDE void count_below(const std::int64_t* sizes, std::int64_t* less, std::int64_t* same,
                           std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        std::int64_t below = 0, equal = 0;
        for (std::size_t j = 0; j < n; ++j) {
            below += sizes[j] < sizes[i];
            equal += sizes[j] == sizes[i];
        }
        less[i] = below;
        same[i] = equal;
    }
}

// Entries in ascending order of their sizes (the bits above the last).
void order(std::vector<std::uint64_t>& entries) {
    const std::size_t n = entries.size();
    if (n > SHORT) {
        std::sort(entries.begin(), entries.end());
        return;
    }
    std::int64_t sizes[SHORT], less[SHORT], same[SHORT];
    std::uint64_t sorted[SHORT];
    for (std::size_t i = 0; i < n; ++i) sizes[i] = static_cast<std::int64_t>(entries[i] >> 1);
    count_below(sizes, less, same, n);
    for (std::size_t i = n; i-- > 0;) {
        // Equal ones fill their places from the last.
        sorted[static_cast<std::size_t>(less[i] + same[i] - 1)] = entries[i];
        if (same[i] > 1)
            for (std::size_t j = 0; j < i; ++j)
                if (less[j] == less[i]) --same[j];
    }
    std::copy_n(sorted, n, entries.begin());
}

}  // namespace

SignedRanks signed_ranks(std::span<const double> rows, std::size_t count, std::size_t items,
                         Zeros zeros, std::size_t most_exact, std::uint64_t seed,
                         unsigned threads) {
    SignedRanks made;
    made.plus.assign(count, 0);
    made.minus.assign(count, 0);
    made.variance.assign(count, 0);
    made.used.assign(count, 0);
    made.exact.assign(count, std::numeric_limits<double>::quiet_NaN());
    for_each_index(count, threads, 64, [&](std::size_t r) {
        // A size that is not negative sorts as its bits do; the sign takes the last place.
        thread_local std::vector<std::uint64_t> entries;
        thread_local std::vector<std::int64_t> doubled;
        entries.clear();
        doubled.clear();
        for (std::size_t i = 0; i < items; ++i) {
            const double d = rows[r * items + i];
            if (std::isnan(d) || (d == 0 && zeros == Zeros::dropped)) continue;
            bool positive = d > 0;
            if (d == 0 && zeros == Zeros::putter) positive = RandomStream(seed, i).next() >> 63;
            entries.push_back(std::bit_cast<std::uint64_t>(std::fabs(d)) << 1 |
                              static_cast<std::uint64_t>(positive));
        }
        order(entries);
        std::int64_t plus = 0, minus = 0;
        double squares = 0;
        for (std::size_t start = 0; start < entries.size();) {
            std::size_t end = start;
            while (end < entries.size() && entries[end] >> 1 == entries[start] >> 1) ++end;
            const auto rank = static_cast<std::int64_t>(start + 1 + end);  // twice the mean rank
            for (std::size_t k = start; k < end; ++k) {
                if (entries[k] >> 1 == 0 && zeros == Zeros::pratt) continue;
                (entries[k] & 1 ? plus : minus) += rank;
                squares += static_cast<double>(rank) * static_cast<double>(rank);
                doubled.push_back(rank);
            }
            start = end;
        }
        made.plus[r] = 0.5 * static_cast<double>(plus);
        made.minus[r] = 0.5 * static_cast<double>(minus);
        made.variance[r] = squares / 16.0;
        made.used[r] = static_cast<std::int64_t>(doubled.size());
        if (doubled.size() <= most_exact)
            made.exact[r] = exact_signed_rank(doubled, std::min(plus, minus));
    });
    return made;
}

}  // namespace tare
