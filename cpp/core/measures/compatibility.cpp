// Compatibility: how much the ranking overlaps with the ideal one, depth by depth.
#include <cmath>

#include "core/measures/kernels.hpp"

namespace tare::kernels {

// Σ_{i=from..depth} p^{i-1}/i, from the table of its tails.
static double tail(const Spec& s, std::int64_t from, std::int64_t depth) {
    if (from > depth) return 0;
    const auto size = static_cast<std::int64_t>(s.table.size()) - 1;
    const auto at = [&](std::int64_t i) {
        return i > size ? 0.0 : s.table[static_cast<std::size_t>(i)];
    };
    return at(from) - at(depth + 1);
}

void prepare_compatibility(Spec& s) {
    const double p = s.parameters[0];
    // Past this depth p^{i-1}/i is nothing to a double.
    const auto size =
        static_cast<std::size_t>(std::min(200000.0, std::ceil(750 / -std::log(p)) + 2));
    s.table.assign(size + 1, 0);
    s.reach = static_cast<std::int64_t>(s.parameters[1] > 0
                                            ? std::fmin(s.parameters[1], static_cast<double>(size))
                                            : static_cast<double>(size));
    for (std::size_t i = size - 1; i >= 1; --i)
        s.table[i] =
            s.table[i + 1] + std::pow(p, static_cast<double>(i) - 1) / static_cast<double>(i);
}

// A document of the ideal ranking counts from the depth on where both rankings have it. The ideal
// puts better grades first and, within a grade, the run's own order, those it lacks last.
double compatibility(const Ranking& r, const Spec& s) {
    const std::int64_t positive = count_at_least(r.pool, s.relevant);
    if (positive == 0) return 0;
    std::int64_t depth = static_cast<std::int64_t>(s.parameters[1]);
    if (depth == 0) depth = std::max(r.retrieved, positive);
    double shared = 0, ideal = 0;
    std::int64_t place = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(positive);) {
        const std::int32_t code = r.pool[i];
        std::size_t same = 0;
        for (; i < static_cast<std::size_t>(positive) && r.pool[i] == code; ++i) ++same;
        std::size_t found = 0;
        for (std::size_t h = 0; h < r.codes.size() && r.ranks[h] <= r.retrieved; ++h) {
            if (r.codes[h] != code) continue;
            ++found;
            shared += tail(
                s, std::max<std::int64_t>(place + static_cast<std::int64_t>(found), r.ranks[h]),
                depth);
        }
        for (std::size_t k = 1; k <= same; ++k)
            ideal += tail(s, place + static_cast<std::int64_t>(k), depth);
        place += static_cast<std::int64_t>(same);
    }
    if (s.parameters[2] != 0) return ideal == 0 ? 0 : shared / ideal;
    const double p = s.parameters[0];
    return shared * (1 - p) / (1 - std::pow(p, static_cast<double>(depth)));
}

}  // namespace tare::kernels
