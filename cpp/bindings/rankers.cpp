// What rankers do most often: line searches, boosting rounds, epochs of a net.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cmath>

#include "bindings/arrays.hpp"
#include "core/rankers/line_search.hpp"
#include "core/rankers/moving_top.hpp"
#include "core/rankers/network.hpp"
#include "core/rankers/rank_boost.hpp"

namespace nb = nanobind;
using namespace tare;
using bindings::In;
using bindings::view;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check_offsets(const In<std::int64_t>& offsets, std::size_t rows) {
    const auto places = view(offsets);
    if (places.empty() || places.front() != 0 || static_cast<std::size_t>(places.back()) != rows ||
        !std::is_sorted(places.begin(), places.end()))
        throw nb::value_error("offsets do not belong to these rows");
}

GradedRows graded(const In<double>& gains, const In<std::int64_t>& offsets,
                  const In<double>& scale) {
    check_offsets(offsets, gains.size());
    if (scale.size() + 1 != offsets.size()) throw nb::value_error("one scale a query is needed");
    return {view(offsets), view(gains), view(scale)};
}

std::size_t checked_cutoff(std::size_t cutoff) {
    if (cutoff == 0) throw nb::value_error("the cutoff is 0");
    return cutoff;
}

void check_order(const GradedRows& rows, std::span<const std::int32_t> order) {
    for (std::size_t q = 0; q < rows.queries(); ++q)
        for (const std::int32_t row : order.subspan(rows.begin(q), rows.size(q)))
            if (row < 0 || static_cast<std::size_t>(row) >= rows.size(q))
                throw nb::value_error("the order does not belong to these rows");
}

RankLoss loss_of(std::string_view name) {
    if (name == "pairs") return RankLoss::pairs;
    if (name == "list") return RankLoss::list;
    throw nb::value_error("unknown loss");
}

NetworkShape shape_of(std::size_t features, std::size_t hidden, bool squashed, bool twice,
                      std::size_t parameters) {
    const NetworkShape shape{features, hidden, squashed, twice};
    if (shape.parameters() != parameters) throw nb::value_error("wrong number of parameters");
    return shape;
}

RankedRows ranked(const Matrix<float>& features, const In<double>& grades,
                  const In<std::int64_t>& offsets) {
    if (features.shape(0) != grades.size())
        throw nb::value_error("features and grades differ in length");
    check_offsets(offsets, grades.size());
    return {{features.data(), features.size()}, view(grades), view(offsets)};
}

}  // namespace

void bind_rankers(nb::module_& m) {
    m.def(
        "ndcg_by_query",
        [](const In<double>& scores, const In<double>& gains, const In<std::int64_t>& offsets,
           const In<double>& scale, std::size_t cutoff, unsigned threads) {
            const GradedRows rows = graded(gains, offsets, scale);
            if (scores.size() != gains.size()) throw nb::value_error("one score a row is needed");
            checked_cutoff(cutoff);
            std::vector<double> found;
            {
                nb::gil_scoped_release release;
                found = ndcg_by_query(rows, view(scores), cutoff, threads);
            }
            return bindings::give(std::move(found));
        },
        nb::arg("scores").noconvert(), nb::arg("gains").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("scale").noconvert(), nb::arg("cutoff"), nb::arg("threads"));
    m.def(
        "score_order",
        [](const In<double>& scores, const In<std::int64_t>& offsets) {
            check_offsets(offsets, scores.size());
            const auto given = view(scores);
            if (!std::all_of(given.begin(), given.end(),
                             [](double score) { return std::isfinite(score); }))
                throw nb::value_error("a score is not finite");
            std::vector<std::int32_t> found;
            {
                nb::gil_scoped_release release;
                found = score_order(view(offsets), given);
            }
            return bindings::give(std::move(found));
        },
        nb::arg("scores").noconvert(), nb::arg("offsets").noconvert());
    m.def(
        "line_search",
        [](const In<double>& scores, const In<std::int32_t>& order, const In<float>& column,
           const In<double>& steps, const In<double>& gains, const In<std::int64_t>& offsets,
           const In<double>& scale, std::size_t cutoff, unsigned threads) {
            const GradedRows rows = graded(gains, offsets, scale);
            if (scores.size() != gains.size() || column.size() != gains.size() ||
                order.size() != gains.size())
                throw nb::value_error("one score, one place and one value per row are needed");
            check_order(rows, view(order));
            checked_cutoff(cutoff);
            std::vector<double> found;
            {
                nb::gil_scoped_release release;
                found = line_search(rows, view(scores), view(order), view(column), view(steps),
                                    cutoff, threads);
            }
            return bindings::give(std::move(found));
        },
        nb::arg("scores").noconvert(), nb::arg("order").noconvert(), nb::arg("column").noconvert(),
        nb::arg("steps").noconvert(), nb::arg("gains").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("scale").noconvert(), nb::arg("cutoff"), nb::arg("threads"));
    m.def(
        "pair_potentials",
        [](const In<double>& scores, const In<std::int32_t>& levels,
           const In<std::int64_t>& offsets, std::int32_t level_count) {
            check_offsets(offsets, scores.size());
            const auto given = view(levels);
            if (given.size() != scores.size() ||
                std::any_of(given.begin(), given.end(),
                            [&](auto l) { return l < 0 || l >= level_count; }))
                throw nb::value_error("one level a row is needed, from 0 up");
            Potentials found;
            {
                nb::gil_scoped_release release;
                found = pair_potentials(view(scores), given, view(offsets), level_count);
            }
            return std::pair(bindings::give(std::move(found.values)), found.loss);
        },
        nb::arg("scores").noconvert(), nb::arg("levels").noconvert(),
        nb::arg("offsets").noconvert(), nb::arg("level_count"));
    m.def(
        "stump_sums",
        [](const Matrix<std::uint8_t>& bins, const In<double>& potentials, std::size_t bin_count,
           unsigned threads) {
            const std::size_t features = bins.shape(0);
            if (bins.shape(1) != potentials.size())
                throw nb::value_error("one bin a row is needed");
            if (bin_count < 2 || bin_count > 256)
                throw nb::value_error("2 to 256 bins are possible");
            std::vector<double> found;
            {
                nb::gil_scoped_release release;
                found = stump_sums({bins.data(), bins.size()}, view(potentials), features,
                                   bin_count, threads);
            }
            return bindings::give(std::move(found), features, bin_count - 1);
        },
        nb::arg("bins").noconvert(), nb::arg("potentials").noconvert(), nb::arg("bin_count"),
        nb::arg("threads"));
    m.def(
        "network_scores",
        [](const In<double>& parameters, const Matrix<float>& features, std::size_t hidden,
           bool squashed) {
            const NetworkShape shape =
                shape_of(features.shape(1), hidden, squashed, false, parameters.size());
            std::vector<double> found;
            {
                nb::gil_scoped_release release;
                found = network_scores(shape, view(parameters), {features.data(), features.size()},
                                       features.shape(0));
            }
            return bindings::give(std::move(found));
        },
        nb::arg("parameters").noconvert(), nb::arg("features").noconvert(), nb::arg("hidden"),
        nb::arg("squashed"));
    m.def(
        "network_gradient",
        [](const In<double>& parameters, const Matrix<float>& features, const In<double>& grades,
           const In<std::int64_t>& offsets, std::size_t hidden, bool squashed, bool twice,
           std::string_view loss) {
            const NetworkShape shape =
                shape_of(features.shape(1), hidden, squashed, twice, parameters.size());
            const RankedRows rows = ranked(features, grades, offsets);
            const RankLoss kind = loss_of(loss);
            std::vector<double> gradient(parameters.size());
            double total;
            {
                nb::gil_scoped_release release;
                total = network_gradient(shape, view(parameters), rows, kind, gradient);
            }
            return std::pair(total, bindings::give(std::move(gradient)));
        },
        nb::arg("parameters").noconvert(), nb::arg("features").noconvert(),
        nb::arg("grades").noconvert(), nb::arg("offsets").noconvert(), nb::arg("hidden"),
        nb::arg("squashed"), nb::arg("twice"), nb::arg("loss"));
    m.def(
        "network_epoch",
        [](const In<double>& parameters, const Matrix<float>& features, const In<double>& grades,
           const In<std::int64_t>& offsets, const In<std::int64_t>& order, double rate,
           std::size_t hidden, bool squashed, bool twice, std::string_view loss) {
            const NetworkShape shape =
                shape_of(features.shape(1), hidden, squashed, twice, parameters.size());
            const RankedRows rows = ranked(features, grades, offsets);
            const RankLoss kind = loss_of(loss);
            const auto places = view(order);
            const auto queries = static_cast<std::int64_t>(offsets.size()) - 1;
            if (std::any_of(places.begin(), places.end(),
                            [&](auto q) { return q < 0 || q >= queries; }))
                throw nb::value_error("the order names a query that is not there");
            const auto from = view(parameters);
            std::vector<double> moved(from.begin(), from.end());
            double total;
            {
                nb::gil_scoped_release release;
                total = network_epoch(shape, moved, rows, kind, rate, places);
            }
            return std::pair(total, bindings::give(std::move(moved)));
        },
        nb::arg("parameters").noconvert(), nb::arg("features").noconvert(),
        nb::arg("grades").noconvert(), nb::arg("offsets").noconvert(), nb::arg("order").noconvert(),
        nb::arg("rate"), nb::arg("hidden"), nb::arg("squashed"), nb::arg("twice"), nb::arg("loss"));
}
