// Statistics: the loops behind tests, intervals, correlations and agreement.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "core/chance/random.hpp"
#include "core/stats/alpha.hpp"
#include "core/stats/bisquare.hpp"
#include "core/stats/correlation.hpp"
#include "core/stats/differences.hpp"
#include "core/stats/dominance.hpp"
#include "core/stats/exponential_sums.hpp"
#include "core/stats/largest_range.hpp"
#include "core/stats/sign_flips.hpp"
#include "core/stats/signed_rank.hpp"
#include "core/stats/studentised.hpp"
#include "core/stats/studentised_range.hpp"
#include "core/threads.hpp"

namespace nb = nanobind;
using namespace tare;
using bindings::give;
using bindings::In;
using bindings::view;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const double> all(const Matrix& m) { return {m.data(), m.shape(0) * m.shape(1)}; }

void require(bool met, const char* what) {
    if (!met) throw std::invalid_argument(what);
}

// Whether all indices lie below the height; `from` is −1 where "none" is allowed.
bool below(const In<std::int32_t>& indices, std::size_t height, std::int32_t from = 0) {
    const auto all = view(indices);
    return std::all_of(all.begin(), all.end(), [&](std::int32_t k) {
        return k >= from && k < static_cast<std::int32_t>(height);
    });
}

FlipPairs flip_pairs(const Matrix& rows, const In<std::int32_t>& first,
                     const In<std::int32_t>& second, const In<double>& threshold) {
    require(second.size() == first.size() && threshold.size() == first.size() &&
                below(first, rows.shape(0)) && below(second, rows.shape(0), -1),
            "pairs do not fit the rows");
    return {view(first), view(second), view(threshold)};
}

Ratings ratings_of(const In<std::int64_t>& offsets, const In<std::int32_t>& codes,
                   const In<double>& values, const In<double>& distances) {
    require(offsets.size() > 0 && view(offsets).front() == 0 && below(codes, values.size()) &&
                view(offsets).back() == static_cast<std::int64_t>(codes.size()) &&
                std::is_sorted(view(offsets).begin(), view(offsets).end()),
            "offsets and codes do not fit together");
    require(distances.size() == 0 || distances.size() == values.size() * values.size(),
            "distances are values × values");
    return {view(offsets), view(codes), view(values), view(distances)};
}

// Runs without the GIL.
template <class Call>
auto freely(Call call) {
    nb::gil_scoped_release release;
    return call();
}

void bind_tests(nb::module_& m) {
    m.def(
        "pair_differences",
        [](const Matrix& scores, const In<std::int32_t>& first, const In<std::int32_t>& second,
           int digits, unsigned threads) {
            require(first.size() == second.size() && below(first, scores.shape(0)) &&
                        below(second, scores.shape(0)),
                    "pairs do not fit the scores");
            auto made = freely([&] {
                return pair_differences(all(scores), scores.shape(1), view(first), view(second),
                                        digits, threads);
            });
            return std::make_tuple(give(std::move(made.values), first.size(), scores.shape(1)),
                                   give(std::move(made.quantum)), give(std::move(made.n)),
                                   give(std::move(made.mean)), give(std::move(made.deviation)));
        },
        nb::arg("scores").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
        nb::arg("digits"), nb::arg("threads"));
    m.def(
        "signed_ranks",
        [](const Matrix& rows, int zeros, std::size_t most_exact, std::uint64_t seed,
           unsigned threads) {
            auto made = freely([&] {
                return signed_ranks(all(rows), rows.shape(0), rows.shape(1),
                                    static_cast<Zeros>(zeros), most_exact, seed, threads);
            });
            return std::make_tuple(give(std::move(made.plus)), give(std::move(made.minus)),
                                   give(std::move(made.variance)), give(std::move(made.used)),
                                   give(std::move(made.exact)));
        },
        nb::arg("rows").noconvert(), nb::arg("zeros"), nb::arg("most_exact"), nb::arg("seed"),
        nb::arg("threads"));
    m.def(
        "flip_maxima",
        [](const Matrix& rows, const In<std::int32_t>& first, const In<std::int32_t>& second,
           const In<double>& threshold, const In<double>& scale, int kind, std::size_t draws,
           std::uint64_t seed, unsigned threads, std::uint64_t first_draw) {
            const FlipPairs pairs = flip_pairs(rows, first, second, threshold);
            require(scale.size() == first.size(), "pairs do not fit the rows");
            auto made = freely([&] {
                return flip_maxima(all(rows), rows.shape(1), pairs, view(scale),
                                   static_cast<Flips>(kind), draws, seed, threads, first_draw);
            });
            return std::make_pair(give(std::move(made.alone)), give(std::move(made.largest)));
        },
        nb::arg("rows").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
        nb::arg("threshold").noconvert(), nb::arg("scale").noconvert(), nb::arg("kind"),
        nb::arg("draws"), nb::arg("seed"), nb::arg("threads"), nb::arg("first_draw"));
    m.def(
        "one_sided_flips",
        [](const Matrix& rows, const In<double>& threshold, int kind, std::size_t draws,
           std::uint64_t seed, unsigned threads) {
            require(threshold.size() == rows.shape(0), "thresholds do not fit the rows");
            return give(freely([&] {
                return one_sided_flips(all(rows), rows.shape(1), view(threshold),
                                       static_cast<Flips>(kind), draws, seed, threads);
            }));
        },
        nb::arg("rows").noconvert(), nb::arg("threshold").noconvert(), nb::arg("kind"),
        nb::arg("draws"), nb::arg("seed"), nb::arg("threads"));
    m.def(
        "exponential_sum_tail",
        [](const In<double>& c, const In<std::int64_t>& weights, unsigned threads) {
            require(c.size() == weights.size(), "weights do not fit the coefficients");
            return freely([&] { return exponential_sum_tail(view(c), view(weights), threads); });
        },
        nb::arg("c").noconvert(), nb::arg("weights").noconvert(), nb::arg("threads"));
    m.def(
        "flip_counts",
        [](const Matrix& rows, const In<std::int32_t>& first, const In<std::int32_t>& second,
           const In<double>& threshold, int kind, std::size_t draws, std::uint64_t seed,
           unsigned threads, std::uint64_t first_draw) {
            const FlipPairs pairs = flip_pairs(rows, first, second, threshold);
            return give(freely([&] {
                return flip_counts(all(rows), rows.shape(1), pairs, static_cast<Flips>(kind), draws,
                                   seed, threads, first_draw);
            }));
        },
        nb::arg("rows").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
        nb::arg("threshold").noconvert(), nb::arg("kind"), nb::arg("draws"), nb::arg("seed"),
        nb::arg("threads"), nb::arg("first_draw"));
    m.def(
        "studentised_counts",
        [](const Matrix& shifted, const In<double>& observed, bool largest, std::size_t draws,
           std::uint64_t seed, unsigned threads, std::uint64_t first_draw) {
            require(observed.size() == shifted.shape(0), "one statistic a row");
            auto made = freely([&] {
                return studentised_counts(all(shifted), shifted.shape(1), view(observed), largest,
                                          draws, seed, threads, first_draw);
            });
            return std::make_pair(give(std::move(made.alone)), give(std::move(made.largest)));
        },
        nb::arg("shifted").noconvert(), nb::arg("observed").noconvert(), nb::arg("largest"),
        nb::arg("draws"), nb::arg("seed"), nb::arg("threads"), nb::arg("first_draw"));
    m.def(
        "studentised_draws",
        [](const Matrix& shifted, std::size_t draws, std::uint64_t seed, unsigned threads,
           std::uint64_t first_draw) {
            return give(freely([&] {
                            return studentised_draws(all(shifted), shifted.shape(1), draws, seed,
                                                     threads, first_draw);
                        }),
                        shifted.shape(0), draws);
        },
        nb::arg("shifted").noconvert(), nb::arg("draws"), nb::arg("seed"), nb::arg("threads"),
        nb::arg("first_draw"));
    m.def(
        "largest_ranges",
        [](const Matrix& scores, std::size_t draws, std::uint64_t seed, unsigned threads,
           std::uint64_t first_draw) {
            require(scores.shape(0) > 0 && scores.shape(1) > 0, "no scores");
            return give(freely([&] {
                return largest_ranges(all(scores), scores.shape(1), draws, seed, threads,
                                      first_draw);
            }));
        },
        nb::arg("scores").noconvert(), nb::arg("draws"), nb::arg("seed"), nb::arg("threads"),
        nb::arg("first_draw"));
    m.def(
        "studentised_range_tail",
        [](const In<double>& q, int groups, double freedom) {
            return give(freely([&] { return studentised_range_tail(view(q), groups, freedom); }));
        },
        nb::arg("q").noconvert(), nb::arg("groups"), nb::arg("freedom"));
    m.def(
        "cliffs_delta",
        [](const Matrix& scores, const In<std::int32_t>& first, const In<std::int32_t>& second,
           const In<double>& quantum, unsigned threads) {
            require(first.size() == second.size() && below(first, scores.shape(0)) &&
                        below(second, scores.shape(0)),
                    "pairs do not fit the scores");
            require(quantum.size() == first.size(), "one quantum a pair");
            return give(freely([&] {
                return cliffs_delta(all(scores), scores.shape(1), view(first), view(second),
                                    view(quantum), threads);
            }));
        },
        nb::arg("scores").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
        nb::arg("quantum").noconvert(), nb::arg("threads"));
}

void bind_agreement(nb::module_& m) {
    m.def(
        "correlations",
        [](const Matrix& x, const Matrix& y, int kind, unsigned threads) {
            require(x.shape(0) == y.shape(0) && x.shape(1) == y.shape(1),
                    "x and y differ in shape");
            return give(freely([&] {
                return correlations(all(x), all(y), x.shape(0), x.shape(1),
                                    static_cast<Correlation>(kind), threads);
            }));
        },
        nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("kind"), nb::arg("threads"));
    m.def(
        "alpha",
        [](const In<std::int64_t>& offsets, const In<std::int32_t>& codes, const In<double>& values,
           const In<double>& distances, int level) {
            const Ratings ratings = ratings_of(offsets, codes, values, distances);
            const auto made = freely([&] { return alpha(ratings, static_cast<Level>(level)); });
            return std::make_tuple(made.alpha, made.observed, made.expected);
        },
        nb::arg("offsets").noconvert(), nb::arg("codes").noconvert(), nb::arg("values").noconvert(),
        nb::arg("distances").noconvert(), nb::arg("level"));
    m.def(
        "unit_disagreements",
        [](const In<std::int64_t>& offsets, const In<std::int32_t>& codes, const In<double>& values,
           const In<double>& distances, int level) {
            const Ratings ratings = ratings_of(offsets, codes, values, distances);
            return give(
                freely([&] { return unit_disagreements(ratings, static_cast<Level>(level)); }));
        },
        nb::arg("offsets").noconvert(), nb::arg("codes").noconvert(), nb::arg("values").noconvert(),
        nb::arg("distances").noconvert(), nb::arg("level"));
    m.def(
        "alpha_draws",
        [](const In<std::int64_t>& offsets, const In<std::int32_t>& codes, const In<double>& values,
           const In<double>& distances, int level, std::size_t draws, std::uint64_t seed,
           unsigned threads) {
            const Ratings ratings = ratings_of(offsets, codes, values, distances);
            return give(freely([&] {
                return alpha_draws(ratings, static_cast<Level>(level), draws, seed, threads);
            }));
        },
        nb::arg("offsets").noconvert(), nb::arg("codes").noconvert(), nb::arg("values").noconvert(),
        nb::arg("distances").noconvert(), nb::arg("level"), nb::arg("draws"), nb::arg("seed"),
        nb::arg("threads"));
}

void bind_draws(nb::module_& m) {
    m.def(
        "uniforms",
        [](std::size_t rows, std::size_t columns, std::uint64_t seed, std::uint64_t substream,
           unsigned threads) {
            std::vector<double> made(rows * columns);
            freely([&] {
                for_each_index(rows, threads, 64, [&](std::size_t r) {
                    RandomStream random(seed, r, substream);
                    for (std::size_t c = 0; c < columns; ++c)
                        made[r * columns + c] = random.uniform();
                });
                return 0;
            });
            return give(std::move(made), rows, columns);
        },
        nb::arg("rows"), nb::arg("columns"), nb::arg("seed"), nb::arg("substream"),
        nb::arg("threads"));
    m.def(
        "resampled_indices",
        [](std::size_t n, std::size_t draws, std::uint64_t seed, std::uint64_t substream,
           unsigned threads) {
            std::vector<std::int64_t> made(draws * n);
            freely([&] {
                for_each_index(draws, threads, 64, [&](std::size_t b) {
                    RandomStream random(seed, b, substream);
                    for (std::size_t i = 0; i < n; ++i)
                        made[b * n + i] = static_cast<std::int64_t>(random.below(n));
                });
                return 0;
            });
            return give(std::move(made), draws, n);
        },
        nb::arg("n"), nb::arg("draws"), nb::arg("seed"), nb::arg("substream"), nb::arg("threads"));
}

void bind_regression(nb::module_& m) {
    m.def(
        "bisquare_subsets",
        [](const Matrix& columns, const In<double>& y, const In<std::int64_t>& masks, double tune,
           int most_steps, bool matlab_scale, unsigned threads) {
            const std::size_t features = columns.shape(0);
            require(features < 63 && columns.shape(1) == y.size(),
                    "features and scores have other rows");
            const auto subsets = view(masks);
            require(
                std::all_of(subsets.begin(), subsets.end(),
                            [&](std::int64_t mask) { return mask >= 0 && mask >> features == 0; }),
                "a mask names a feature that there is not");
            auto made = freely([&] {
                return bisquare_subsets(all(columns), features, view(y), subsets,
                                        {tune, most_steps, matlab_scale}, threads);
            });
            return give(std::move(made), masks.size(), features + 1);
        },
        nb::arg("columns").noconvert(), nb::arg("y").noconvert(), nb::arg("masks").noconvert(),
        nb::arg("tune"), nb::arg("most_steps"), nb::arg("matlab_scale"), nb::arg("threads"));
}

}  // namespace

void bind_statistics(nb::module_& m) {
    bind_tests(m);
    bind_agreement(m);
    bind_draws(m);
    bind_regression(m);
}
