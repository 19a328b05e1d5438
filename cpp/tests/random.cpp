// Random streams: the same for the same key, without bias; and resampled means.
#include "core/chance/random.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "core/stats/bootstrap.hpp"
#include "core/threads.hpp"

namespace tare::tests {

void random_streams() {
    RandomStream one(1, 2, 3), same(1, 2, 3), other_seed(2, 2, 3), other_stream(1, 3, 3),
        other_part(1, 2, 4);
    bool equal = true;
    int shared = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t x = one.next();
        equal &= x == same.next();
        shared += (x == other_seed.next()) + (x == other_stream.next()) + (x == other_part.next());
    }
    CHECK(equal);
    CHECK(shared == 0);

    RandomStream dice(5, 0);
    std::vector<int> seen(7, 0);
    const int throws = 70000;
    for (int i = 0; i < throws; ++i) ++seen[dice.below(7)];
    double chi2 = 0;
    for (const int n : seen) chi2 += (n - throws / 7.0) * (n - throws / 7.0) / (throws / 7.0);
    CHECK(chi2 < 22.5);  // 6 degrees of freedom, p = 0.001
    CHECK(dice.below(1) == 0);
    double mean = 0;
    bool within = true;
    for (int i = 0; i < 10000; ++i) {
        const double u = dice.uniform();
        within &= u >= 0 && u < 1;
        mean += u / 10000;
    }
    CHECK(within);
    CHECK(near(mean, 0.5, 0.01));

    // Every task once, for any number of threads; a failure comes through.
    for (const unsigned threads : {1u, 2u, 5u}) {
        std::vector<int> done(1000, 0);
        for_each_index(done.size(), threads, 7, [&](std::size_t i) { ++done[i]; });
        bool once = true;
        for (const int n : done) once &= n == 1;
        CHECK(once);
        bool thrown = false;
        try {
            for_each_index(100, threads, 1, [](std::size_t i) {
                if (i == 57) throw 1;
            });
        } catch (int) {
            thrown = true;
        }
        CHECK(thrown);

        // Who asks for the work can stop it between two tasks.
        static std::atomic<int> begun;
        begun = 0;
        stop_if_asked = [] {
            if (begun >= 20) throw 2;
        };
        bool stopped = false;
        try {
            for_each_index(100'000, threads, 1, [](std::size_t) { ++begun; });
        } catch (int) {
            stopped = true;
        }
        stop_if_asked = nullptr;
        CHECK(stopped && begun < 100'000);
    }
}

void bootstrap() {
    const double gap = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> values = {1, 2,   3,   4,   5,   gap,
                                        5, gap, gap, gap, gap, gap};  // 3 rows × 4
    const auto means = bootstrap_means(values, 3, 4, 500, 7, 1);
    CHECK(means.size() == 1500);
    for (const unsigned threads : {2u, 5u}) {
        const auto again = bootstrap_means(values, 3, 4, 500, 7, threads);
        bool same = true;
        for (std::size_t i = 0; i < means.size(); ++i)
            same &= again[i] == means[i] || (std::isnan(again[i]) && std::isnan(means[i]));
        CHECK(same);
    }
    bool bounded = true, five = true, missing = true;
    for (std::size_t b = 0; b < 500; ++b) {
        bounded &= means[b] >= 1 && means[b] <= 4;
        five &= means[500 + b] == 5 || std::isnan(means[500 + b]);
        missing &= std::isnan(means[1000 + b]);
    }
    CHECK(bounded);
    CHECK(five);
    CHECK(missing);
    CHECK(std::isnan(bootstrap_means({}, 1, 0, 3, 7, 1)[0]));
}

}  // namespace tare::tests
