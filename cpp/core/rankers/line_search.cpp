#include "core/rankers/line_search.hpp"

#include <algorithm>
#include <cmath>

#include "core/rankers/moving_top.hpp"
#include "core/threads.hpp"

namespace tare {

namespace {

constexpr std::size_t chunk = 64;  // queries that are added up together, whoever does it

// The end of the steps from the s-th on that have one sign and grow in size.
std::size_t growing(std::span<const double> steps, std::size_t s) {
    std::size_t end = s + 1;
    while (end < steps.size() && std::signbit(steps[end]) == std::signbit(steps[s]) &&
           std::fabs(steps[end]) > std::fabs(steps[end - 1]))
        ++end;
    return end;
}

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
                                std::span<const std::int32_t> order, std::span<const float> column,
                                std::span<const double> steps, std::size_t cutoff,
                                unsigned threads) {
    const std::size_t chunks = (rows.queries() + chunk - 1) / chunk;
    std::vector<double> parts(chunks * steps.size());
    for_each_index(chunks, threads, 1, [&](std::size_t c) {
        MovingTop moving(cutoff);
        TopDcg top(cutoff);
        std::vector<double> moved, found(steps.size());
        double* const sums = parts.data() + c * steps.size();
        for (std::size_t q = c * chunk; q < std::min(rows.queries(), (c + 1) * chunk); ++q) {
            if (rows.scale[q] == 0) continue;
            const std::size_t begin = rows.begin(q), n = rows.size(q);
            const auto values = column.subspan(begin, n);
            const auto gains = rows.gains.subspan(begin, n);
            moving.set(scores.subspan(begin, n), order.subspan(begin, n), values, gains);
            bool fixed = true;
            for (const float value : values) fixed &= value == values.front();
            if (fixed) {  // no step changes the order
                for (std::size_t s = 0; s < steps.size(); ++s)
                    sums[s] += rows.scale[q] * moving.start();
                continue;
            }
            for (std::size_t s = 0; s < steps.size();) {
                const std::size_t end = growing(steps, s);
                const auto out = std::span(found).subspan(s, end - s);
                if (end - s > 1) {
                    moving.along(steps.subspan(s, end - s), out);
                } else {
                    moved.resize(n);
                    for (std::size_t i = 0; i < n; ++i)
                        moved[i] = scores[begin + i] + steps[s] * static_cast<double>(values[i]);
                    out[0] = top.of(moved, gains);
                }
                s = end;
            }
            for (std::size_t s = 0; s < steps.size(); ++s) sums[s] += rows.scale[q] * found[s];
        }
    });
    std::vector<double> sums(steps.size());
    for (std::size_t c = 0; c < chunks; ++c)
        for (std::size_t s = 0; s < steps.size(); ++s) sums[s] += parts[c * steps.size() + s];
    return sums;
}

}  // namespace tare
