// JSON of pairs: blocks of text become rows.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "core/json_pairs.hpp"

namespace nb = nanobind;
using namespace tare;

void bind_json_pairs(nb::module_& m) {
    nb::class_<JsonPairs>(m, "JsonPairs")
        .def(nb::init<bool, std::string>(), nb::arg("ranked"), nb::arg("about"))
        .def(
            "feed",
            [](JsonPairs& reader, const bindings::In<std::uint8_t>& block) {
                nb::gil_scoped_release release;
                reader.feed({reinterpret_cast<const char*>(block.data()), block.size()});
            },
            nb::arg("block").noconvert())
        .def("finish", &JsonPairs::finish, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "parts",
            [](JsonPairs& reader) {
                nb::list out;
                for (JsonPairs::Part& part : reader.parts())
                    out.append(nb::make_tuple(part.names, Rows(std::move(part.rows))));
                reader.parts().clear();
                return out;
            },
            "The names and rows of each part; they are handed over and leave the reader.")
        .def_prop_ro("ended", &JsonPairs::ended)
        .def_prop_ro("other", &JsonPairs::other)
        .def_prop_ro("lists", &JsonPairs::lists)
        .def_prop_ro("repeats", &JsonPairs::repeats)
        .def_prop_ro("repeated", [](const JsonPairs& r) { return r.repeated(); })
        .def_prop_ro(
            "about",
            [](const JsonPairs& r) { return nb::bytes(r.about().data(), r.about().size()); })
        .def_prop_ro("fault",
                     [](const JsonPairs& r) {
                         return nb::make_tuple(json_fault_name(r.fault()), r.line(), r.column(),
                                               nb::bytes(r.detail().data(), r.detail().size()));
                     })
        .def_prop_ro("path", [](const JsonPairs& r) { return r.path(); });
}
