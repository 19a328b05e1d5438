// Measures: what a Python dictionary says becomes a kernel and its spec.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <string>

#include "bindings/arrays.hpp"
#include "core/chance/expected.hpp"
#include "core/measures/evaluate.hpp"
#include "core/text.hpp"

namespace nb = nanobind;
using namespace tare;
using bindings::In;

namespace {

DiscountKind discount_of(std::string_view name) {
    if (name == "none") return DiscountKind::none;
    if (name == "log") return DiscountKind::log;
    if (name == "jk") return DiscountKind::jk;
    if (name == "geometric") return DiscountKind::geometric;
    if (name == "inverse_square") return DiscountKind::inverse_square;
    throw nb::value_error("unknown discount");
}

struct PyMeasure {
    MeasureKernel kernel;
};

void check_rankings(const Rankings& r) {
    const std::size_t n = r.retrieved.size();
    const auto fits = [n](std::span<const std::int64_t> offsets, std::size_t total) {
        if (offsets.size() != n + 1 || offsets[0] != 0 ||
            offsets[n] != static_cast<std::int64_t>(total))
            return false;
        for (std::size_t i = 0; i < n; ++i)
            if (offsets[i] > offsets[i + 1]) return false;
        return true;
    };
    if (!fits(r.offsets, r.ranks.size()) || !fits(r.pool_offsets, r.pool.size()) ||
        r.codes.size() != r.ranks.size() || r.lows.size() != r.highs.size() ||
        (!r.lows.empty() && r.lows.size() != r.ranks.size()) ||
        (r.streams.size() != n &&
         !(r.streams.empty() && r.lows.empty())))  // without ties nothing is sampled
        throw nb::value_error("the arrays of the rankings do not fit together");
}

void check_codes(std::span<const std::int32_t> codes, std::size_t levels) {
    for (const std::int32_t code : codes)
        if (code < 0 || static_cast<std::size_t>(code) >= levels)
            throw nb::value_error("a grade's code lies outside the levels");
}

}  // namespace

void bind_measures(nb::module_& m) {
    nb::class_<PyMeasure>(m, "MeasureKernel")
        .def(
            "__init__",
            [](PyMeasure* self, std::string_view name, std::int64_t cutoff, std::int32_t relevant,
               std::int32_t judged, const In<double>& gain, const In<double>& parameters,
               std::string_view discount, double discount_parameter, std::int64_t ready) {
                const KernelEntry* entry = find_kernel(name);
                if (entry == nullptr) throw nb::value_error("no such kernel");
                MeasureKernel kernel;
                kernel.value = entry->value;
                kernel.expected = find_expected(name);
                kernel.variance = find_variance(name);
                kernel.third = find_third(name);
                kernel.spec.cutoff = kernel.spec.reach = cutoff;
                kernel.spec.relevant = relevant;
                kernel.spec.judged = judged;
                const auto g = bindings::view(gain), p = bindings::view(parameters);
                kernel.spec.gain.assign(g.begin(), g.end());
                kernel.spec.parameters.assign(p.begin(), p.end());
                kernel.spec.discount = Discount(discount_of(discount), discount_parameter, ready);
                if (entry->prepare != nullptr) entry->prepare(kernel.spec);
                new (self) PyMeasure{std::move(kernel)};
            },
            nb::arg("name"), nb::arg("cutoff"), nb::arg("relevant"), nb::arg("judged"),
            nb::arg("gain").noconvert(), nb::arg("parameters").noconvert(), nb::arg("discount"),
            nb::arg("discount_parameter"), nb::arg("ready"))
        .def_prop_ro("closed_form",
                     [](const PyMeasure& k) { return k.kernel.expected != nullptr; });

    // One signature for all that is computed of rankings; `what` chooses.
    m.def(
        "evaluate",
        [](std::string_view what, const In<std::int64_t>& offsets, const In<std::int32_t>& ranks,
           const In<std::int32_t>& codes, const In<std::int64_t>& lows,
           const In<std::int64_t>& highs, const In<std::int64_t>& retrieved,
           const In<std::int64_t>& pool_offsets, const In<std::int32_t>& pool,
           const In<std::uint64_t>& streams, const std::vector<const PyMeasure*>& measures,
           const In<double>& observed, std::int64_t most_orders, std::int64_t samples,
           std::uint64_t seed, unsigned threads) {
            const Rankings rankings{
                bindings::view(offsets),      bindings::view(ranks), bindings::view(codes),
                bindings::view(lows),         bindings::view(highs), bindings::view(retrieved),
                bindings::view(pool_offsets), bindings::view(pool),  bindings::view(streams)};
            check_rankings(rankings);
            std::vector<MeasureKernel> kernels;
            for (const PyMeasure* measure : measures) {
                check_codes(rankings.codes, measure->kernel.spec.gain.size());
                check_codes(rankings.pool, measure->kernel.spec.gain.size());
                kernels.push_back(measure->kernel);
            }
            const std::size_t cells = kernels.size() * rankings.size();
            if (what == "tails" && observed.size() != cells)
                throw nb::value_error("the observed values do not fit the rankings");
            const OrderOptions options{most_orders, samples, seed};
            std::vector<double> first, second;
            {
                nb::gil_scoped_release release;
                if (what == "values") {
                    Values values = evaluate(rankings, kernels, options, threads);
                    first = std::move(values.values);
                    second = std::move(values.errors);
                } else if (what == "variances") {
                    Spread found = spread(rankings, kernels, options, threads);
                    first = std::move(found.variances);
                    second = std::move(found.variance_errors);
                } else if (what == "thirds") {
                    Values found = thirds(rankings, kernels, options, threads);
                    first = std::move(found.values);
                    second = std::move(found.errors);
                } else {
                    Values tails = tail_probabilities(rankings, kernels, bindings::view(observed),
                                                      options, threads);
                    first = std::move(tails.values);
                    second = std::move(tails.errors);
                }
            }
            return nb::make_tuple(
                bindings::give(std::move(first), kernels.size(), rankings.size()),
                bindings::give(std::move(second), kernels.size(), rankings.size()));
        },
        nb::arg("what"), nb::arg("offsets").noconvert(), nb::arg("ranks").noconvert(),
        nb::arg("codes").noconvert(), nb::arg("lows").noconvert(), nb::arg("highs").noconvert(),
        nb::arg("retrieved").noconvert(), nb::arg("pool_offsets").noconvert(),
        nb::arg("pool").noconvert(), nb::arg("streams").noconvert(), nb::arg("measures"),
        nb::arg("observed").noconvert(), nb::arg("most_orders"), nb::arg("samples"),
        nb::arg("seed"), nb::arg("threads"));

    m.def(
        "stream_ids",
        [](nb::typed<nb::sequence, nb::str> ids) {
            const auto fast =
                nb::steal(PySequence_Fast(ids.ptr(), "ids are a sequence of strings"));
            if (!fast.is_valid()) throw nb::python_error();
            std::vector<std::uint64_t> out(
                static_cast<std::size_t>(PySequence_Fast_GET_SIZE(fast.ptr())));
            for (std::size_t i = 0; i < out.size(); ++i) {
                PyObject* const id =
                    PySequence_Fast_GET_ITEM(fast.ptr(), static_cast<Py_ssize_t>(i));
                Py_ssize_t size = 0;
                const char* const bytes = PyUnicode_AsUTF8AndSize(id, &size);
                if (bytes == nullptr) throw nb::python_error();
                out[i] = hash_id({bytes, static_cast<std::size_t>(size)});
            }
            return bindings::give(std::move(out));
        },
        nb::arg("ids"), "A number for each id, to tell its random stream.");
}
