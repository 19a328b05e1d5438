// LETOR data, read from blocks of text and written again.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>

#include "bindings/arrays.hpp"
#include "bindings/problem_list.hpp"
#include "core/letor.hpp"
#include "core/letor_writer.hpp"

namespace nb = nanobind;
using namespace tare;

namespace {

nb::dict as_dict(Letor&& letor) {
    const std::size_t rows = letor.features.rows(), width = letor.features.width();
    float* const cells = letor.features.release();
    const nb::capsule owner(cells, [](void* p) noexcept { std::free(p); });
    nb::dict out;
    out["features"] = nb::ndarray<nb::numpy, float, nb::ndim<2>>(cells, {rows, width}, owner);
    out["grades"] = bindings::give(std::move(letor.grades));
    out["offsets"] = bindings::give(std::move(letor.offsets));
    out["queries"] = letor.queries;
    out["documents"] = letor.documents;
    out["first_feature"] = letor.features.span().first;
    out["scattered"] = letor.scattered;
    return out;
}

nb::bytes letor_text(
    std::string_view query, const bindings::In<double>& grades,
    const nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>& features,
    const std::vector<std::string_view>& documents) {
    const std::size_t rows = grades.size();
    if (features.shape(0) != rows || (!documents.empty() && documents.size() != rows))
        throw nb::value_error("grades, features and documents differ in length");
    std::string out;
    {
        nb::gil_scoped_release release;
        write_letor({query, bindings::view(grades), {features.data(), features.size()}, documents},
                    out);
    }
    return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_letor(nb::module_& m) {
    nb::class_<LetorReader>(m, "LetorReader")
        .def(nb::init<bool, unsigned>(), nb::arg("documents"), nb::arg("threads"))
        .def(
            "feed",
            [](LetorReader& reader, const bindings::In<std::uint8_t>& block) {
                nb::gil_scoped_release release;
                reader.feed({reinterpret_cast<const char*>(block.data()), block.size()});
            },
            nb::arg("block").noconvert())
        .def(
            "finish",
            [](LetorReader& reader) -> std::optional<nb::dict> {
                {
                    nb::gil_scoped_release release;
                    reader.finish();
                }
                const bool refused = reader.problems().count > 0 || reader.too_large();
                if (refused || reader.rows() == 0) return std::nullopt;
                return as_dict(std::move(reader.letor()));
            },
            "The data, or None where they cannot be used.")
        .def_prop_ro("problems",
                     [](const LetorReader& r) { return bindings::problem_list(r.problems()); })
        .def_prop_ro("problem_count", [](const LetorReader& r) { return r.problems().count; })
        .def_prop_ro("lines", &LetorReader::lines)
        .def_prop_ro("rows", &LetorReader::rows)
        .def_prop_ro("width", [](const LetorReader& r) { return r.features().width(); })
        .def_prop_ro("too_large", &LetorReader::too_large);

    m.def("letor_text", &letor_text, nb::arg("query"), nb::arg("grades").noconvert(),
          nb::arg("features").noconvert(), nb::arg("documents"), "The rows of one query as text.");
    m.attr("LETOR_HIGHEST_FEATURE") = LetorText::highest_feature;
    m.attr("LETOR_MOST_CELLS") = FeatureMatrix::most_cells;
}
