// Judgements by subtopic and the measures made of them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "bindings/arrays.hpp"
#include "core/diversity/evaluate.hpp"
#include "core/diversity/subtopic_qrels.hpp"

namespace nb = nanobind;
using namespace tare;
using bindings::In;

namespace {

template <class Enum>
Enum one_of(std::string_view name, std::initializer_list<std::pair<std::string_view, Enum>> known) {
    for (const auto& [text, value] : known)
        if (text == name) return value;
    throw nb::value_error("unknown name");
}

diversity::Kind kind_of(std::string_view name) {
    using enum diversity::Kind;
    return one_of<diversity::Kind>(name, {{"subtopic_recall", subtopic_recall},
                                          {"cascade", cascade},
                                          {"precision", precision},
                                          {"average_precision", average_precision},
                                          {"reciprocal_rank", reciprocal_rank},
                                          {"intent_ndcg", intent_ndcg},
                                          {"global_ndcg", global_ndcg},
                                          {"sharp_ndcg", sharp_ndcg}});
}

diversity::Weights weights_of(std::string_view name) {
    using enum diversity::Weights;
    return one_of<diversity::Weights>(
        name, {{"logarithmic", logarithmic}, {"reciprocal", reciprocal}, {"geometric", geometric}});
}

diversity::Scale scale_of(std::string_view name) {
    using enum diversity::Scale;
    return one_of<diversity::Scale>(
        name, {{"none", none}, {"intents", intents}, {"unlimited", unlimited}, {"pool", pool}});
}

diversity::What what_of(std::string_view name) {
    using enum diversity::What;
    return one_of<diversity::What>(name, {{"values", values},
                                          {"expected", expected},
                                          {"variances", variances},
                                          {"tails", tails},
                                          {"greedy", greedy},
                                          {"exact", exact},
                                          {"worst", worst}});
}

bool ascending(std::span<const std::int64_t> offsets, std::size_t count, std::size_t total) {
    return offsets.size() == count + 1 && offsets.front() == 0 &&
           offsets.back() == static_cast<std::int64_t>(total) &&
           std::is_sorted(offsets.begin(), offsets.end());
}

void check(const diversity::Rankings& r, const diversity::Collection& c) {
    const std::size_t n = r.retrieved.size();
    const std::size_t documents = c.cell_offsets.empty() ? 0 : c.cell_offsets.size() - 1;
    bool good = ascending(r.offsets, n, r.ranks.size()) && r.documents.size() == r.ranks.size() &&
                r.streams.size() == n && r.lows.size() == r.highs.size() &&
                (r.lows.empty() || r.lows.size() == r.ranks.size()) &&
                ascending(c.document_offsets, n, documents) &&
                ascending(c.cell_offsets, documents, c.cell_grades.size()) &&
                c.cell_subtopics.size() == c.cell_grades.size() &&
                ascending(c.subtopic_offsets, n, c.probabilities.size());
    for (std::size_t q = 0; good && q < n; ++q) {
        const std::int64_t docs = c.document_offsets[q + 1] - c.document_offsets[q];
        const std::int64_t subtopics = c.subtopic_offsets[q + 1] - c.subtopic_offsets[q];
        for (auto h = r.offsets[q]; h < r.offsets[q + 1]; ++h) {
            const std::int32_t d = r.documents[static_cast<std::size_t>(h)];
            good = good && d >= 0 && d < docs;
        }
        for (auto d = c.document_offsets[q]; d < c.document_offsets[q + 1]; ++d)
            for (auto x = c.cell_offsets[static_cast<std::size_t>(d)];
                 x < c.cell_offsets[static_cast<std::size_t>(d) + 1]; ++x) {
                const std::int32_t j = c.cell_subtopics[static_cast<std::size_t>(x)];
                good = good && j >= 0 && j < subtopics;
            }
    }
    if (!good) throw nb::value_error("the arrays of rankings and subtopics do not fit together");
}

}  // namespace

void bind_diversity(nb::module_& m) {
    nb::class_<SubtopicQrels>(m, "SubtopicQrels")
        .def(nb::init<const Rows&>(), nb::arg("rows"), nb::call_guard<nb::gil_scoped_release>())
        .def_ro("queries", &SubtopicQrels::queries)
        .def_ro("documents", &SubtopicQrels::documents)
        .def_ro("subtopics", &SubtopicQrels::subtopics)
        .def("numbered", &SubtopicQrels::numbered)
        .def("arrays", [](const SubtopicQrels& s) {
            nb::dict out;
            out["document_offsets"] = bindings::give(std::vector<std::int64_t>(s.document_offsets));
            out["cell_offsets"] = bindings::give(std::vector<std::int64_t>(s.cell_offsets));
            out["subtopic_offsets"] = bindings::give(std::vector<std::int64_t>(s.subtopic_offsets));
            out["cell_subtopics"] = bindings::give(std::vector<std::int32_t>(s.cell_subtopics));
            out["cell_grades"] = bindings::give(std::vector<double>(s.cell_grades));
            return out;
        });

    nb::class_<diversity::Spec>(m, "DiversityKernel")
        .def(
            "__init__",
            [](diversity::Spec* self, std::string_view kind, std::string_view weights,
               std::string_view scale, bool exact_ideal, std::int64_t cutoff, double rel,
               double alpha, double beta, double gamma, bool exponential) {
                new (self) diversity::Spec{
                    kind_of(kind),
                    weights_of(weights),
                    scale_of(scale),
                    exact_ideal ? diversity::Ideal::exact : diversity::Ideal::greedy,
                    cutoff,
                    rel,
                    alpha,
                    beta,
                    gamma,
                    exponential};
            },
            nb::arg("kind"), nb::arg("weights"), nb::arg("scale"), nb::arg("exact_ideal"),
            nb::arg("cutoff"), nb::arg("rel"), nb::arg("alpha"), nb::arg("beta"), nb::arg("gamma"),
            nb::arg("exponential"));

    m.def(
        "evaluate_diversity",
        [](std::string_view what, const In<std::int64_t>& offsets, const In<std::int32_t>& ranks,
           const In<std::int32_t>& documents, const In<std::int64_t>& lows,
           const In<std::int64_t>& highs, const In<std::int64_t>& retrieved,
           const In<std::uint64_t>& streams, const In<std::int64_t>& document_offsets,
           const In<std::int64_t>& cell_offsets, const In<std::int64_t>& subtopic_offsets,
           const In<std::int32_t>& cell_subtopics, const In<double>& cell_grades,
           const In<double>& probabilities, const diversity::Spec& kernel,
           const In<double>& observed, const In<double>& divisors, std::int64_t most_orders,
           std::int64_t samples, std::uint64_t seed, unsigned threads) {
            const diversity::Rankings rankings{bindings::view(offsets),   bindings::view(ranks),
                                               bindings::view(documents), bindings::view(lows),
                                               bindings::view(highs),     bindings::view(retrieved),
                                               bindings::view(streams)};
            const diversity::Collection collection{
                bindings::view(document_offsets), bindings::view(cell_offsets),
                bindings::view(subtopic_offsets), bindings::view(cell_subtopics),
                bindings::view(cell_grades),      bindings::view(probabilities)};
            check(rankings, collection);
            if (observed.size() != 0 && observed.size() != rankings.size())
                throw nb::value_error("the observed values do not fit the rankings");
            if (divisors.size() != 0 && divisors.size() != rankings.size())
                throw nb::value_error("the divisors do not fit the rankings");
            const diversity::Sampling sampling{most_orders, samples, seed, 0};
            const diversity::What which = what_of(what);
            diversity::Answers found;
            {
                nb::gil_scoped_release release;
                found = diversity::evaluate(which, rankings, collection, kernel, sampling,
                                            bindings::view(observed), bindings::view(divisors),
                                            threads);
            }
            return nb::make_tuple(bindings::give(std::move(found.values)),
                                  bindings::give(std::move(found.errors)),
                                  bindings::give(std::move(found.divisors)));
        },
        nb::arg("what"), nb::arg("offsets").noconvert(), nb::arg("ranks").noconvert(),
        nb::arg("documents").noconvert(), nb::arg("lows").noconvert(), nb::arg("highs").noconvert(),
        nb::arg("retrieved").noconvert(), nb::arg("streams").noconvert(),
        nb::arg("document_offsets").noconvert(), nb::arg("cell_offsets").noconvert(),
        nb::arg("subtopic_offsets").noconvert(), nb::arg("cell_subtopics").noconvert(),
        nb::arg("cell_grades").noconvert(), nb::arg("probabilities").noconvert(), nb::arg("kernel"),
        nb::arg("observed").noconvert(), nb::arg("divisors").noconvert(), nb::arg("most_orders"),
        nb::arg("samples"), nb::arg("seed"), nb::arg("threads"));
}
