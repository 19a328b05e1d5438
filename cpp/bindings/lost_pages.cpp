// Pages of mapped files that are gone.
#include <nanobind/nanobind.h>

#include "core/lost_pages.hpp"

namespace nb = nanobind;

void bind_lost_pages(nb::module_& m) {
    m.def("watch_lost_pages", &tare::watch_lost_pages);
    m.def("leave_lost_pages", &tare::leave_lost_pages);
    m.def("lost_pages", &tare::lost_pages);
}
