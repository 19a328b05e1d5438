// Ranks of some documents, by counting and by sorting, against a full sort.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "check.hpp"
#include "core/hit_ranks.hpp"
#include "core/measures/discount.hpp"

namespace tare::tests {

void hit_ranks() {
    std::mt19937 draw(5);
    for (const std::size_t size : {1, 2, 40, 97, 1000}) {
        std::vector<float> scores(size);
        for (std::size_t i = 0; i < size; ++i) scores[i] = static_cast<float>(i) * 0.25f - 3;
        std::shuffle(scores.begin(), scores.end(), draw);
        std::vector<float> sorted = scores;
        std::sort(sorted.begin(), sorted.end(), std::greater<>{});
        for (const std::size_t count : {std::size_t{0}, size / 2, size}) {
            const std::vector<float> hits(scores.begin(),
                                          scores.begin() + static_cast<std::ptrdiff_t>(count));
            std::vector<std::int32_t> ranks(count);
            CHECK(rank_hits(scores, hits, ranks));
            bool same = true;
            for (std::size_t h = 0; h < count; ++h)
                same = same && sorted[static_cast<std::size_t>(ranks[h]) - 1] == hits[h];
            CHECK(same);
        }
        // A tie is reported if a hit is in it, and only then.
        if (size < 3) continue;
        scores[0] = scores[1];
        std::vector<std::int32_t> ranks(size);
        CHECK(!rank_hits(scores, std::vector<float>{scores[0]}, std::span(ranks).first(1)));
        CHECK(rank_hits(scores, std::vector<float>{scores[2]}, std::span(ranks).first(1)));
        CHECK(!rank_hits(scores, scores, ranks));
    }
    // A gain is divided by the logarithm, within the table of weights and beyond it.
    const Discount discount(DiscountKind::log, 2, 20);
    for (const std::int64_t rank : {1, 2, 10, 20, 21, 5000})
        CHECK(discount.weighted(3, rank) == 3 / std::log2(static_cast<double>(rank) + 1));
    CHECK(Discount(DiscountKind::none, 2, 20).weighted(3, 7) == 3);
}

}  // namespace tare::tests
