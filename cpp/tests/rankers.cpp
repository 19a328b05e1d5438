// What rankers do most often: DCG of the first documents, sums over pairs, a gradient.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "core/chance/random.hpp"
#include "core/rankers/line_search.hpp"
#include "core/rankers/moving_top.hpp"
#include "core/rankers/network.hpp"
#include "core/rankers/rank_boost.hpp"

namespace tare::tests {
namespace {

// Sorted whole, the earlier row first among equals.
double plain_dcg(const std::vector<double>& scores, const std::vector<double>& gains,
                 std::size_t cutoff) {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return scores[a] > scores[b]; });
    double dcg = 0;
    for (std::size_t i = 0; i < std::min(cutoff, order.size()); ++i)
        dcg += gains[order[i]] / std::log2(static_cast<double>(i) + 2);
    return dcg;
}

void top_dcg() {
    RandomStream random(1, 2);
    for (const std::size_t cutoff : {1, 3, 10})
        for (const std::size_t n : {0, 1, 2, 9, 10, 11, 60}) {
            std::vector<double> scores(n), gains(n);
            TopDcg top(cutoff);
            for (int round = 0; round < 20; ++round) {
                for (std::size_t i = 0; i < n; ++i) {
                    gains[i] = static_cast<double>(random.below(4));
                    scores[i] = static_cast<double>(random.below(round % 2 == 0 ? 5 : 1000));
                }
                const double wanted = plain_dcg(scores, gains, cutoff);
                CHECK(near(top.of(scores, gains), wanted));
                CHECK(top.rows().size() == std::min(n, cutoff));
            }
        }
}

// Few, many or nearly equal numbers; of any size.
double made_number(RandomStream& random, std::uint64_t kind) {
    const auto drawn = static_cast<double>(random.below(kind % 2 == 0 ? 5 : 1000));
    switch (kind / 2 % 5) {
        case 0:
            return drawn / 8;
        case 1:
            return 1 + drawn * 0x1.0p-52;  // neighbours, which rounding makes equal
        case 2:
            return std::ldexp(drawn - 2, -140);  // floats without all their digits
        case 3:
            return (drawn - 3) * 1e30;
        default:
            return std::sin(drawn * 12.9898) * 43758.5453;
    }
}

void moving_top() {
    RandomStream random(1, 3);
    std::vector<double> steps;
    for (int k = 1; k <= 25; ++k) steps.push_back(0.001 * (std::ldexp(1, k) - 1));
    for (double near = 1e-9; near < 1e-6; near *= 1.01) steps.push_back(1 + near);
    std::sort(steps.begin(), steps.end());
    std::size_t most = 0, least = 1000;
    for (const std::size_t cutoff : {1, 3, 10})
        for (const std::size_t n : {1, 2, 9, 10, 11, 16, 17, 60, 130}) {
            MovingTop moving(cutoff);
            for (std::uint64_t round = 0; round < 40; ++round) {
                std::vector<double> scores(n), gains(n), moved(n), found(steps.size());
                std::vector<float> values(n);
                for (std::size_t i = 0; i < n; ++i) {
                    gains[i] = static_cast<double>(random.below(4));
                    scores[i] =
                        made_number(random, random.below(round < 20 ? round + 1 : 1) + round);
                    values[i] = static_cast<float>(made_number(random, round / 2)) *
                                (random.below(9) == 0 ? 1.0000001F : 1.0F);
                }
                const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(n)};
                const auto order = score_order(offsets, scores);
                moving.set(scores, order, values, gains);
                TopDcg top(cutoff);
                CHECK(moving.start() == top.of(scores, gains));
                for (const double sign : {1.0, -1.0}) {
                    std::vector<double> turned(steps);
                    for (double& step : turned) step *= sign;
                    moving.along(turned, found);
                    most = std::max(most, moving.candidates());
                    least = std::min(least, moving.candidates());
                    for (std::size_t s = 0; s < turned.size(); ++s) {
                        for (std::size_t i = 0; i < n; ++i)
                            moved[i] = scores[i] + turned[s] * static_cast<double>(values[i]);
                        CHECK(found[s] == top.of(moved, gains));  // the same bits
                        if (s % 5 == 0) CHECK(near(found[s], plain_dcg(moved, gains, cutoff)));
                    }
                }
                CHECK(moving.start() == top.of(scores, gains));
            }
        }
    CHECK(least == 1);   // documents are forgotten
    CHECK(most == 130);  // unless equal values keep them
}

// Documents with one value keep their order until large steps make their scores equal; then the
// first row is first.
void moving_ties() {
    const std::size_t n = 40;
    std::vector<double> scores(n), gains(n), moved(n), steps, found(25);
    std::vector<float> values(n, 3.0F);
    values[5] = 1.0F;
    for (std::size_t i = 0; i < n; ++i) {
        scores[i] = 1 + static_cast<double>(i) * 0x1.0p-44;
        gains[i] = static_cast<double>(i);
    }
    for (int k = 1; k <= 25; ++k) steps.push_back(0.001 * (std::ldexp(1, k) - 1));
    const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(n)};
    const auto order = score_order(offsets, scores);
    for (const std::size_t cutoff : {1, 3, 10}) {
        MovingTop moving(cutoff);
        TopDcg top(cutoff);
        moving.set(scores, order, values, gains);
        moving.along(steps, found);
        for (std::size_t s = 0; s < steps.size(); ++s) {
            for (std::size_t i = 0; i < n; ++i)
                moved[i] = scores[i] + steps[s] * static_cast<double>(values[i]);
            CHECK(found[s] == top.of(moved, gains));
        }
        CHECK(found.front() > found.back());
    }
}

void pairs() {
    const std::vector<double> scores{0.5, -1, 2};
    const std::vector<std::int32_t> levels{1, 0, 0};
    const std::vector<std::int64_t> offsets{0, 3};
    const Potentials found = pair_potentials(scores, levels, offsets, 2);
    CHECK(near(found.loss, std::exp(-1.5) + std::exp(1.5)));
    CHECK(near(found.values[0], found.loss));
    CHECK(near(found.values[1], -std::exp(-1.5)));
    CHECK(near(found.values[2], -std::exp(1.5)));
    const std::vector<std::uint8_t> bins{0, 1, 2};
    const auto sums = stump_sums(bins, found.values, 1, 3, 1);
    CHECK(near(sums[0], found.values[1] + found.values[2]));
    CHECK(near(sums[1], found.values[2]));
}

void net() {
    // One feature, no hidden unit: s = 2x + 1.
    const NetworkShape shape{1, 0, false, false};
    const std::vector<double> parameters{2, 1};
    const std::vector<float> features{1, 0};
    const std::vector<double> grades{1, 0};
    const std::vector<std::int64_t> offsets{0, 2};
    std::vector<double> gradient(2);
    const double loss =
        network_gradient(shape, parameters, {features, grades, offsets}, RankLoss::pairs, gradient);
    CHECK(near(loss, std::log1p(std::exp(-2.0))));
    CHECK(near(gradient[0], -1 / (1 + std::exp(2.0))));
    CHECK(near(gradient[1], 0));  // a bias moves both documents alike
}

}  // namespace

void rankers() {
    top_dcg();
    moving_top();
    moving_ties();
    pairs();
    net();
}

}  // namespace tare::tests
