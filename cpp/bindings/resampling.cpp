// Resampling.
#include <nanobind/nanobind.h>

#include "bindings/arrays.hpp"
#include "core/stats/bootstrap.hpp"

namespace nb = nanobind;
using namespace tare;

void bind_resampling(nb::module_& m) {
    m.def(
        "bootstrap_means",
        [](const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& values,
           std::size_t draws, std::uint64_t seed, unsigned threads, std::uint64_t first_draw) {
            const std::size_t rows = values.shape(0), items = values.shape(1);
            std::vector<double> means;
            {
                nb::gil_scoped_release release;
                means = bootstrap_means({values.data(), rows * items}, rows, items, draws, seed,
                                        threads, first_draw);
            }
            return bindings::give(std::move(means), rows, draws);
        },
        nb::arg("values").noconvert(), nb::arg("draws"), nb::arg("seed"), nb::arg("threads"),
        nb::arg("first_draw"));
}
