// Kernels on a few rankings, and their means over the orders of tied documents.
#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/chance/expected.hpp"
#include "core/chance/orders.hpp"
#include "core/measures/kernels.hpp"

namespace tare::tests {
namespace {

// A ranking of grades 0…3, −1 where a document was not judged; the codes are the grades.
struct Example {
    std::vector<std::int32_t> ranks, codes, pool;
    std::vector<std::int64_t> lows, highs;
    std::int64_t retrieved;

    Example(std::vector<int> grades, std::vector<std::int32_t> missed, bool tied) {
        retrieved = static_cast<std::int64_t>(grades.size());
        for (std::size_t i = 0; i < grades.size(); ++i) {
            if (grades[i] < 0) continue;
            ranks.push_back(static_cast<std::int32_t>(i + 1));
            codes.push_back(grades[i]);
            if (!tied) continue;
            lows.push_back(1);
            highs.push_back(retrieved);
        }
        pool = codes;
        pool.insert(pool.end(), missed.begin(), missed.end());
        std::sort(pool.begin(), pool.end(), std::greater<>{});
    }
    Ranking ranking() const {
        return {std::span<const std::int32_t>(ranks), codes, lows, highs, retrieved, pool};
    }
};

Spec spec(std::int64_t cutoff, DiscountKind discount = DiscountKind::log, double parameter = 2) {
    Spec s;
    s.cutoff = cutoff;
    s.relevant = 1;
    s.gain = {0, 1, 2, 3};
    s.discount = Discount(discount, parameter, 100);
    return s;
}

double value(const Example& example, const char* kernel, std::int64_t cutoff = 0) {
    return find_kernel(kernel)->value(example.ranking(), spec(cutoff));
}

}  // namespace

void measures() {
    const Example some({1, -1, 1, 0, 1}, {}, false);
    CHECK(near(value(some, "AP"), (1 + 2.0 / 3 + 3.0 / 5) / 3));
    CHECK(near(value(some, "P", 2), 0.5) && near(value(some, "P", 10), 0.3));
    CHECK(value(some, "RR") == 1 && near(value(some, "Recall", 3), 2.0 / 3));
    CHECK(near(value(some, "bpref"), 2.0 / 3));
    CHECK(value(some, "NumRet") == 5 && value(some, "NumRel") == 3 &&
          value(some, "NumNonrelRet") == 1);

    const Example graded({3, 2, 3, 0, 1, 2}, {3, 2}, false);
    CHECK(near(value(graded, "DCG"), 6.861, 1e-3) && near(value(graded, "IDCG", 6), 8.740, 1e-3));
    CHECK(near(value(graded, "nDCG", 6), 0.785, 1e-3));
    const double original = find_kernel("DCG")->value(
        Example({3, 2, 3, 0, 0, 1, 2, 2, 3, 0}, {}, false).ranking(), spec(0, DiscountKind::jk));
    CHECK(near(original, 9.61, 1e-3));

    const Example none({}, {1}, false), nothing({0, -1}, {}, false);
    for (const char* kernel :
         {"P", "Recall", "AP", "RR", "nDCG", "bpref", "DCG", "Success", "Q", "infAP"}) {
        Spec s = spec(5);
        s.parameters = {1, 1, 1};
        CHECK(find_kernel(kernel)->value(none.ranking(), s) == 0);
        CHECK(find_kernel(kernel)->value(nothing.ranking(), s) == 0);
    }
    CHECK(value(Example({0, -1, 1, 2}, {}, false), "MeanRank") == 3);
    CHECK(std::isinf(value(none, "MeanRank")) && std::isnan(value(nothing, "MeanRank")));
    CHECK(find_kernel("nothing") == nullptr && find_expected("nothing") == nullptr);
}

void chance() {
    // Every closed form is the mean over all orders of one group.
    const Example pool({3, 0, 1, -1, 2, 0}, {2}, true);
    for (const char* kernel :
         {"P",    "RelP",   "Recall",   "F",        "Success", "RR",  "MeanRank", "SP",
          "AP",   "bpref",  "infAP",    "Q",        "GAP",     "DCG", "nDCG",     "ERR",
          "nERR", "Judged", "Unjudged", "Accuracy", "RnDCG",   "binG"})
        for (const std::int64_t cutoff : {1, 2, 4, 9}) {
            Spec s = spec(cutoff);
            s.parameters = {1, 1, 1};
            if (std::string(kernel).ends_with("ERR")) s.gain = {0, 1.0 / 8, 3.0 / 8, 7.0 / 8};
            const OrderMean mean =
                over_orders(pool.ranking(), s, find_kernel(kernel)->value, {}, 1);
            CHECK(!mean.sampled && mean.orders == 360);
            const double closed = find_expected(kernel)(pool.ranking(), s);
            if (!near(closed, mean.mean)) std::printf("%s@%d\n", kernel, static_cast<int>(cutoff));
            CHECK(near(closed, mean.mean));
        }
    // Sampled: near the mean, and the same for the same stream.
    OrderOptions few;
    few.most_orders = 10;
    few.samples = 4000;
    const Spec s = spec(3);
    const auto sample = [&](std::uint64_t stream) {
        return over_orders(pool.ranking(), s, find_kernel("DCG")->value, few, stream);
    };
    const double exact = find_expected("DCG")(pool.ranking(), s);
    CHECK(sample(1).sampled && sample(1).mean == sample(1).mean &&
          sample(1).mean != sample(2).mean);
    CHECK(std::fabs(sample(1).mean - exact) < 5 * sample(1).error);
}

}  // namespace tare::tests
