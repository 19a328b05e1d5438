#include "core/stats/alpha.hpp"

#include <algorithm>
#include <limits>

#include "core/chance/random.hpp"
#include "core/seams.hpp"
#include "core/stats/alpha_block.hpp"
#include "core/stats/alpha_distance.hpp"
#include "core/threads.hpp"

namespace tare {

namespace {

// The scores of the values: themselves, or their mean ranks under these counts (ordinal).
void score(const Ratings& ratings, Level level, std::span<const double> counts,
           std::vector<double>& scores) {
    scores.resize(ratings.values.size());
    if (level == Level::ordinal) {
        double before = 0;
        for (std::size_t v = 0; v < scores.size(); ++v) {
            scores[v] = before + 0.5 * counts[v];
            before += counts[v];
        }
        return;
    }
    double total = 0, weighted = 0;
    for (std::size_t v = 0; v < scores.size(); ++v)
        total += counts[v], weighted += counts[v] * ratings.values[v];
    // Centred, so that squares of large values do not cancel.
    for (std::size_t v = 0; v < scores.size(); ++v)
        scores[v] = ratings.values[v] - weighted / total;
}

// Σ over ordered pairs within a unit of their distance, over (values in the unit − 1).
double within(const Ratings& ratings, Level level, std::span<const double> scores,
              std::size_t unit) {
    if (!by_scores(level)) return pairs_within(ratings, level, unit);
    const auto codes = ratings.unit(unit);
    const auto n = static_cast<double>(codes.size());
    double total = 0, sum = 0;
    for (const std::int32_t code : codes) total += scores[static_cast<std::size_t>(code)];
    for (const std::int32_t code : codes) {
        const double d = scores[static_cast<std::size_t>(code)] - total / n;
        sum += d * d;
    }
    return 2 * n * sum / (n - 1);
}

// Σ over ordered pairs of all values of their distance.
double between(const Ratings& ratings, Level level, std::span<const double> counts,
               std::span<const double> scores) {
    double total = 0, sum = 0;
    for (const double count : counts) total += count;
    if (by_scores(level)) {
        double mean = 0;
        for (std::size_t v = 0; v < counts.size(); ++v) mean += counts[v] * scores[v];
        mean /= total;
        for (std::size_t v = 0; v < counts.size(); ++v)
            sum += counts[v] * (scores[v] - mean) * (scores[v] - mean);
        return 2 * total * sum;
    }
    if (level == Level::nominal) {
        for (const double count : counts) sum += count * (total - count);
        return sum;
    }
    for (std::size_t a = 0; a < counts.size(); ++a) {
        if (counts[a] == 0) continue;
        for (std::size_t b = a + 1; b < counts.size(); ++b)
            if (counts[b] != 0) sum += counts[a] * counts[b] * distance(ratings, level, a, b);
    }
    return 2 * sum;
}

struct Work {
    std::vector<double> counts, scores;
};

Disagreement weighted(const Ratings& ratings, Level level, std::span<const std::int32_t> weights,
                      Work& work) {
    const std::size_t units = ratings.offsets.size() - 1;
    work.counts.assign(ratings.values.size(), 0.0);
    double total = 0;
    for (std::size_t u = 0; u < units; ++u) {
        if (weights[u] == 0) continue;
        for (auto k = ratings.offsets[u]; k < ratings.offsets[u + 1]; ++k)
            work.counts[static_cast<std::size_t>(ratings.codes[static_cast<std::size_t>(k)])] +=
                weights[u];
        total += static_cast<double>(weights[u]) *
                 static_cast<double>(ratings.offsets[u + 1] - ratings.offsets[u]);
    }
    if (by_scores(level)) score(ratings, level, work.counts, work.scores);
    double observed = 0;
    for (std::size_t u = 0; u < units; ++u)
        if (weights[u] != 0) observed += weights[u] * within(ratings, level, work.scores, u);
    const double expected = between(ratings, level, work.counts, work.scores) / (total - 1);
    std::size_t kinds = 0;
    for (const double count : work.counts) kinds += count > 0;
    const bool defined = kinds > 1 && expected > 0;
    return {observed / total, expected / total,
            defined ? 1 - observed / expected : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace

double pairs_within(const Ratings& ratings, Level level, std::size_t unit) {
    const auto codes = ratings.unit(unit);
    double sum = 0;
    // Runs of equal codes, so that many coders with few values cost little.
    for (std::size_t a = 0; a < codes.size();) {
        std::size_t next = a;
        while (next < codes.size() && codes[next] == codes[a]) ++next;
        for (std::size_t b = next; b < codes.size();) {
            std::size_t last = b;
            while (last < codes.size() && codes[last] == codes[b]) ++last;
            sum += static_cast<double>(next - a) * static_cast<double>(last - b) *
                   distance(ratings, level, static_cast<std::size_t>(codes[a]),
                            static_cast<std::size_t>(codes[b]));
            b = last;
        }
        a = next;
    }
    return 2 * sum / (static_cast<double>(codes.size()) - 1);
}

Disagreement alpha(const Ratings& ratings, Level level) {
    const std::vector<std::int32_t> once(ratings.offsets.size() - 1, 1);
    Work work;
    return weighted(ratings, level, once, work);
}

std::vector<double> unit_disagreements(const Ratings& ratings, Level level) {
    const std::size_t units = ratings.offsets.size() - 1;
    std::vector<double> counts(ratings.values.size(), 0.0), scores, made(units);
    for (const std::int32_t code : ratings.codes) counts[static_cast<std::size_t>(code)] += 1;
    if (by_scores(level)) score(ratings, level, counts, scores);
    for (std::size_t u = 0; u < units; ++u)
        made[u] = within(ratings, level, scores, u) /
                  static_cast<double>(ratings.offsets[u + 1] - ratings.offsets[u]);
    return made;
}

std::vector<double> alpha_draws(const Ratings& ratings, Level level, std::size_t draws,
                                std::uint64_t seed, unsigned threads) {
    const std::size_t units = ratings.offsets.size() - 1;
    std::vector<double> made(draws);
    if (units + ratings.values.size() <= seams.alpha_rows) {
        const AlphaBlock block(ratings, level);
        for_each_index((draws + LANES - 1) / LANES, threads, 1, [&](std::size_t b) {
            thread_local AlphaBlock::Work work;
            const std::size_t first = b * LANES;
            block.draw(seed, first, std::span(made).subspan(first, std::min(LANES, draws - first)),
                       work);
        });
        return made;
    }
    for_each_index(draws, threads, 8, [&](std::size_t b) {
        thread_local std::vector<std::int32_t> weights;
        thread_local Work work;
        weights.assign(units, 0);
        RandomStream random(seed, b);
        for (std::size_t u = 0; u < units; ++u) ++weights[random.below(units)];
        made[b] = weighted(ratings, level, weights, work).alpha;
    });
    return made;
}

}  // namespace tare
