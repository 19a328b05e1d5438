// Measures with a user who goes down the list and may stop: ERR and the C/W/L family.
#include <cmath>

#include "core/measures/kernels.hpp"
#include "core/measures/smooth_sum.hpp"

namespace tare::kernels {
namespace {

// Calls visit(rank, gain) for every rank up to `depth`, unjudged documents with gain 0; stops
// when visit returns false.
template <class Visit>
void walk(const Ranking& r, const Spec& s, std::int64_t depth, Visit&& visit) {
    std::size_t h = 0;
    for (std::int64_t i = 1; i <= depth; ++i) {
        double gain = 0;
        if (h < r.ranks.size() && r.ranks[h] == i) gain = s.gain_of(r.codes[h++]);
        if (!visit(i, gain)) return;
    }
}

// Σ W_i g_i / Σ W_i over `depth` ranks, W_1 = 1, W_{i+1} = W_i · go_on(i, g_i, gain so far). Ranks
// past the last gain are summed in one step where `rest` knows Σ W_i / W_first from there on.
template <class GoOn, class Rest>
double weighted_mean(const Ranking& r, const Spec& s, std::int64_t depth, GoOn&& go_on,
                     Rest&& rest) {
    double sum = 0, weights = 0, weight = 1, gained = 0;
    const std::int64_t last_gain =
        r.ranks.empty() ? 0 : std::min<std::int64_t>(depth, r.ranks.back());
    walk(r, s, last_gain, [&](std::int64_t i, double gain) {
        gained += gain;
        sum += weight * gain;
        weights += weight;
        weight *= go_on(i, gain, gained);
        return true;
    });
    weights += weight * rest(last_gain, gained, depth);
    return sum / weights;
}

// Σ_{i=n+1..depth} of ((n+c)/(i-1+c))²: the weights of INST and INSQ where nothing more is gained.
double square_rest(std::int64_t n, double c, std::int64_t depth) {
    const double first = static_cast<double>(n), start = first + c;
    return long_sum(0, depth - 1 - n, [&](double k) {
        const double ratio = start / (first + k + c);
        return ratio * ratio;
    });
}

std::int64_t browsing_depth(const Spec& s) {
    return static_cast<std::int64_t>(s.parameters.back());
}

double err_of(Ranks ranks, std::span<const std::int32_t> codes, const Spec& s) {
    double sum = 0, going = 1;
    for (std::size_t h = 0; h < codes.size(); ++h) {
        const std::int64_t rank = ranks.empty() ? static_cast<std::int64_t>(h) + 1 : ranks[h];
        if (rank > s.depth() || going < 1e-100) break;
        const double stop = s.gain_of(codes[h]);
        sum += going * stop / static_cast<double>(rank);
        going *= 1 - stop;
    }
    return sum;
}

}  // namespace

double expected_reciprocal_rank(const Ranking& r, const Spec& s) {
    return err_of(r.ranks, r.codes, s);
}

double ideal_err(const Ranking& r, const Spec& s) { return err_of(Ranks{}, r.pool, s); }

double normalised_err(const Ranking& r, const Spec& s) {
    const double best = ideal_err(r, s);
    return best == 0 ? 0 : expected_reciprocal_rank(r, s) / best;
}

void prepare_browsing(Spec& s) { s.reach = browsing_depth(s); }

double inst(const Ranking& r, const Spec& s) {
    const double t = s.parameters[0];
    return weighted_mean(
        r, s, browsing_depth(s),
        [t](std::int64_t i, double, double gained) {
            const double go = 1 - 1 / (static_cast<double>(i) + 2 * t - gained);
            return go * go;
        },
        [t](std::int64_t n, double gained, std::int64_t depth) {
            return square_rest(n, 2 * t - gained, depth);
        });
}

double insq(const Ranking& r, const Spec& s) {
    const std::int64_t depth = browsing_depth(s);
    double sum = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= std::min(depth, r.retrieved); ++h)
        sum += s.gain_of(r.codes[h]) * s.discount.at(r.ranks[h]);
    return sum / s.discount.sum(depth);
}

double bejeweled(const Ranking& r, const Spec& s) {
    // Thirds that add up to the target in one order must do so in every order.
    const double target = s.parameters[0] * (1 - 1e-12);
    double gained = 0;
    for (std::size_t h = 0; h < r.ranks.size() && r.ranks[h] <= s.cutoff; ++h) {
        gained += s.gain_of(r.codes[h]);
        if (gained >= target) return gained / static_cast<double>(r.ranks[h]);
    }
    return gained / static_cast<double>(s.cutoff);
}

// The four ways to make ERR a weighted mean (Azzopardi, Mackenzie and Moffat 2021).
double nerr8(const Ranking& r, const Spec& s) {
    return weighted_mean(
        r, s, s.cutoff, [](std::int64_t, double gain, double) { return 1 - gain; },
        [](std::int64_t n, double, std::int64_t depth) { return static_cast<double>(depth - n); });
}

double nerr9(const Ranking& r, const Spec& s) {
    return weighted_mean(
        r, s, s.cutoff,
        [](std::int64_t i, double gain, double) {
            return static_cast<double>(i) / static_cast<double>(i + 1) * (1 - gain);
        },
        [](std::int64_t n, double, std::int64_t depth) {
            return long_sum(n + 1, depth, [&](double i) { return static_cast<double>(n + 1) / i; });
        });
}

double nerr10(const Ranking& r, const Spec& s) {
    const double p = s.parameters[0];
    return weighted_mean(
        r, s, browsing_depth(s), [p](std::int64_t, double gain, double) { return p * (1 - gain); },
        [p](std::int64_t n, double, std::int64_t depth) {
            return (1 - std::pow(p, static_cast<double>(depth - n))) / (1 - p);
        });
}

double nerr11(const Ranking& r, const Spec& s) {
    const double t = s.parameters[0];
    return weighted_mean(
        r, s, browsing_depth(s),
        [t](std::int64_t i, double gain, double) {
            const double go = 1 - 1 / (static_cast<double>(i) + 2 * t);
            return go * go * (1 - gain);
        },
        [t](std::int64_t n, double, std::int64_t depth) { return square_rest(n, 2 * t, depth); });
}

}  // namespace tare::kernels
