#include "core/stats/bayesian_signed_rank.hpp"

#include <algorithm>
#include <cmath>

#include "core/chance/random.hpp"
#include "core/threads.hpp"

namespace tare {

namespace {

double exponential(RandomStream& random) { return -std::log1p(-random.uniform()); }

double normal(RandomStream& random) {
    const double radius = std::sqrt(2 * exponential(random));
    return radius * std::cos(2 * M_PI * random.uniform());
}

// Marsaglia and Tsang (2000); shapes below 1 by the power of a uniform.
double gamma(RandomStream& random, double shape) {
    if (shape < 1) return gamma(random, shape + 1) * std::pow(1 - random.uniform(), 1 / shape);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = normal(random);
        const double v = std::pow(1 + c * x, 3);
        if (v > 0 && std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
            return d * v;
    }
}

// Σ w_i w_j over pairs with z_i + z_j > bound; z ascending, so the partners of i are a suffix.
double share_above(std::span<const double> z, std::span<const double> weights, double bound) {
    double suffix = 0, share = 0;
    std::size_t first = z.size();
    for (std::size_t i = 0; i < z.size(); ++i) {
        while (first > 0 && z[i] + z[first - 1] > bound) suffix += weights[--first];
        share += weights[i] * suffix;
    }
    return share;
}

}  // namespace

std::vector<double> bayesian_signed_rank(std::span<const double> rows, std::size_t items,
                                         double rope, double prior, std::size_t draws,
                                         std::uint64_t seed, unsigned threads) {
    const std::size_t count = items == 0 ? 0 : rows.size() / items;
    std::vector<double> made(count * 6, 0.0);
    for_each_index(count, threads, 1, [&](std::size_t r) {
        std::vector<double> z{0.0};
        for (std::size_t i = 0; i < items; ++i)
            if (!std::isnan(rows[r * items + i])) z.push_back(rows[r * items + i]);
        std::sort(z.begin() + 1, z.end());
        // The pseudo-observation takes its place among the others.
        const auto place =
            static_cast<std::size_t>(std::lower_bound(z.begin() + 1, z.end(), 0.0) - z.begin() - 1);
        std::rotate(z.begin(), z.begin() + 1, z.begin() + 1 + static_cast<std::ptrdiff_t>(place));
        std::vector<double> mirrored(z.size()), weights(z.size()), reversed(z.size());
        for (std::size_t k = 0; k < z.size(); ++k) mirrored[z.size() - 1 - k] = -z[k];
        for (std::size_t b = 0; b < draws; ++b) {
            RandomStream random(seed, b);  // the same posterior draws for every row
            double total = 0;
            const double pseudo = prior > 0 ? gamma(random, prior) : 0.0;
            for (std::size_t k = 0; k < z.size(); ++k) {
                weights[k] = k == place ? pseudo : exponential(random);
                total += weights[k];
            }
            for (double& w : weights) w /= total;
            for (std::size_t k = 0; k < z.size(); ++k) reversed[z.size() - 1 - k] = weights[k];
            const double above = share_above(z, weights, 2 * rope);
            const double below = share_above(mirrored, reversed, 2 * rope);
            const double within = std::max(0.0, 1 - above - below);
            double* out = made.data() + r * 6;
            const std::size_t winner = within > above && within > below ? 1 : above > below ? 2 : 0;
            // Without a region, or where both sides are alike, the tie is shared.
            if (winner != 1 && above == below) {
                out[0] += 0.5;
                out[2] += 0.5;
            } else {
                out[winner] += 1;
            }
            out[3] += below / static_cast<double>(draws);
            out[4] += within / static_cast<double>(draws);
            out[5] += above / static_cast<double>(draws);
        }
    });
    return made;
}

}  // namespace tare
