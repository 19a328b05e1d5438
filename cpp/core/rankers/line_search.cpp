#include "core/rankers/line_search.hpp"

#include <algorithm>

#include "core/rankers/moving_top.hpp"
#include "core/threads.hpp"

namespace tare {

namespace {

constexpr std::size_t chunk = 64;  // queries that are added up together, whoever does it

}  // namespace

std::vector<double> ndcg_by_query(const GradedRows& rows, std::span<const double> scores,
                                  std::size_t cutoff, unsigned threads) {
    std::vector<double> found(rows.queries());
    const std::size_t chunks = (rows.queries() + chunk - 1) / chunk;
    for_each_index(chunks, threads, 1, [&](std::size_t c) {
        TopDcg top(cutoff);
        for (std::size_t q = c * chunk; q < std::min(rows.queries(), (c + 1) * chunk); ++q)
            if (rows.scale[q] != 0)
                found[q] = rows.scale[q] * top.of(scores.subspan(rows.begin(q), rows.size(q)),
                                                  rows.gains.subspan(rows.begin(q), rows.size(q)));
    });
    return found;
}

std::vector<double> line_search(const GradedRows& rows, std::span<const double> scores,
                                std::span<const float> column, std::span<const double> steps,
                                std::size_t cutoff, unsigned threads) {
    const std::size_t chunks = (rows.queries() + chunk - 1) / chunk;
    std::vector<double> parts(chunks * steps.size());
    for_each_index(chunks, threads, 1, [&](std::size_t c) {
        MovingTop top(cutoff);
        double* const sums = parts.data() + c * steps.size();
        for (std::size_t q = c * chunk; q < std::min(rows.queries(), (c + 1) * chunk); ++q) {
            if (rows.scale[q] == 0) continue;
            const std::size_t begin = rows.begin(q), n = rows.size(q);
            const auto values = column.subspan(begin, n);
            top.set(scores.subspan(begin, n), values, rows.gains.subspan(begin, n));
            const auto [low, high] = std::minmax_element(values.begin(), values.end());
            const bool fixed = *low == *high;  // no step changes the order
            for (std::size_t s = 0; s < steps.size(); ++s) sums[s] += rows.scale[q] * (fixed ? top.start() : top.at(steps[s]));
        }
    });
    std::vector<double> sums(steps.size());
    for (std::size_t c = 0; c < chunks; ++c)
        for (std::size_t s = 0; s < steps.size(); ++s) sums[s] += parts[c * steps.size() + s];
    return sums;
}

}  // namespace tare
