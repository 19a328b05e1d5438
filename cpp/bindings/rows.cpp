// Readers: text blocks, dictionaries and Arrow columns become rows.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bindings/arrays.hpp"
#include "bindings/problem_list.hpp"
#include "bindings/texts.hpp"
#include "core/row_chunks.hpp"
#include "core/rows.hpp"
#include "core/seams.hpp"
#include "core/trec_text.hpp"

namespace nb = nanobind;
using namespace tare;

namespace {

Layout layout_of(std::string_view name) {
    if (name == "run") return Layout::run;
    if (name == "ranks") return Layout::ranks;
    if (name == "qrels") return Layout::qrels;
    if (name == "subtopics") return Layout::subtopics;
    throw nb::value_error("layout is 'run', 'ranks', 'qrels' or 'subtopics'");
}

// A text id: the bytes that the string itself holds, without a copy where it is ASCII.
std::string_view id_of(PyObject* text) {
    if (PyUnicode_IS_COMPACT_ASCII(text))
        return {static_cast<const char*>(PyUnicode_DATA(text)),
                static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (!bytes) throw nb::python_error();
    return {bytes, static_cast<std::size_t>(size)};
}

// Whether keys are strings and values are floats or ints, none of them of a subclass with its own
// code: then nothing that runs here can change the dictionary, and it can be walked in place.
bool is_plain(PyObject* documents) {
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t place = 0;
    while (PyDict_Next(documents, &place, &key, &value))
        if (!PyUnicode_CheckExact(key) || !(PyFloat_CheckExact(value) || PyLong_CheckExact(value)))
            return false;
    return true;
}

// Rows given one query at a time, from Python objects.
struct RowsBuilder {
    Segment segment;
    Rows rows;
    bool texts =
        true;  // every id was a string, so that equal ones cannot come twice within a dictionary

    void add(std::string_view query, std::string_view doc, double value) {
        if (!std::isfinite(value)) throw nb::value_error("a value is not finite");
        segment.add(query, doc, value);
        if (segment.rows.size() >= seams.segment_rows) flush();
    }
    void add_plain(std::string_view query, PyObject* documents) {
        PyObject *key = nullptr, *item = nullptr;
        Py_ssize_t place = 0;
        while (PyDict_Next(documents, &place, &key, &item)) {
            const double value =
                PyFloat_CheckExact(item) ? PyFloat_AS_DOUBLE(item) : PyLong_AsDouble(item);
            if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
            add(query, id_of(key), value);
        }
    }
    void add_query(std::string_view query, nb::dict documents) {
        if (is_plain(documents.ptr())) return add_plain(query, documents.ptr());
        // Numbers and ids of other types may run code of their own: a copy stays as it is.
        const auto copy = nb::steal<nb::dict>(PyDict_Copy(documents.ptr()));
        for (auto [key, item] : copy) {
            const double value = PyFloat_AsDouble(item.ptr());
            if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
            if (PyUnicode_Check(key.ptr())) {
                add(query, id_of(key.ptr()), value);
            } else {
                texts = false;
                const nb::str text(key);
                add(query, id_of(text.ptr()), value);
            }
        }
    }
    // All queries of a dictionary of dictionaries. Stops at the first that needs the careful way,
    // and returns how many were added: a query that is no string, or documents that are no
    // dictionary.
    std::size_t add_plain_queries(nb::dict queries) {
        PyObject *query = nullptr, *documents = nullptr;
        Py_ssize_t place = 0;
        std::size_t added = 0;
        while (PyDict_Next(queries.ptr(), &place, &query, &documents)) {
            if (!PyUnicode_CheckExact(query) || !PyDict_CheckExact(documents) ||
                !is_plain(documents))
                break;
            add_plain(id_of(query), documents);
            ++added;
        }
        return added;
    }
    void flush() {
        rows.take(std::move(segment));
        segment = Segment{};
    }
};

}  // namespace

void bind_rows(nb::module_& m) {
    nb::class_<Rows>(m, "Rows")
        .def("__len__", &Rows::size)
        .def_prop_ro("queries",
                     [](const Rows& rows) {
                         return bindings::texts(rows.queries().size(),
                                                [&](std::size_t i) { return rows.queries()[i]; });
                     })
        .def("digest", &Rows::digest, nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>())
        .def(
            "duplicates",
            [](const Rows& rows, unsigned threads, std::size_t most, bool conflicting) {
                Duplicates found;
                {
                    nb::gil_scoped_release release;
                    found = rows.duplicates(threads, most);
                }
                nb::list out;
                for (const auto& d : conflicting ? found.conflicts : found.first)
                    out.append(nb::make_tuple(d.query, d.doc, d.line, d.earlier_line));
                return nb::make_tuple(conflicting ? found.conflict_count : found.count, out);
            },
            nb::arg("threads"), nb::arg("most"), nb::arg("conflicting"),
            "How many documents stand twice (or only those with another value), and the first of "
            "them by line.")
        .def("counts",
             [](const Rows& rows) {
                 std::vector<std::int64_t> counts(rows.queries().size());
                 for (std::size_t q = 0; q < counts.size(); ++q)
                     counts[q] = static_cast<std::int64_t>(rows.rows_of(q));
                 return bindings::give(std::move(counts));
             })
        .def(
            "documents",
            [](const Rows& rows, std::size_t query) {
                if (query >= rows.queries().size()) throw nb::index_error("no such query");
                std::vector<RowRef> refs;
                rows.gather(query, refs);
                nb::list docs;
                std::vector<double> values;
                for (const RowRef r : refs) {
                    const std::string_view doc = rows.doc(r);
                    docs.append(nb::str(doc.data(), doc.size()));
                    values.push_back(rows.row(r).value);
                }
                return nb::make_tuple(docs, bindings::give(std::move(values)));
            },
            nb::arg("query"), "Documents and values of one query, in the order given.");

    nb::class_<TrecReader>(m, "TrecReader")
        .def(
            "__init__",
            [](TrecReader* self, std::string_view layout, unsigned threads) {
                new (self) TrecReader(layout_of(layout), threads);
            },
            nb::arg("layout"), nb::arg("threads"))
        .def(
            "feed",
            [](TrecReader& reader, const bindings::In<std::uint8_t>& block) {
                nb::gil_scoped_release release;
                reader.feed({reinterpret_cast<const char*>(block.data()), block.size()});
            },
            nb::arg("block").noconvert())
        .def("finish",
             [](TrecReader& reader) {
                 {
                     nb::gil_scoped_release release;
                     reader.finish();
                 }
                 return Rows(std::move(reader.rows()));
             })
        .def_prop_ro("problems",
                     [](const TrecReader& r) { return bindings::problem_list(r.problems()); })
        .def_prop_ro("problem_count", [](const TrecReader& r) { return r.problems().count; })
        .def_prop_ro("tag", [](const TrecReader& r) { return r.tag(); })
        .def_prop_ro("lines", &TrecReader::lines)
        .def_prop_ro("extra_fields", &TrecReader::extra_fields)
        .def_prop_ro("rank_conflicts", &TrecReader::rank_conflicts);

    nb::class_<RowsBuilder>(m, "RowsBuilder")
        .def(nb::init<>())
        .def("add_query", &RowsBuilder::add_query, nb::arg("query"), nb::arg("documents"))
        .def("add_plain_queries", &RowsBuilder::add_plain_queries, nb::arg("queries"))
        .def_ro("texts", &RowsBuilder::texts)
        .def("finish", [](RowsBuilder& b) {
            b.flush();
            return Rows(std::move(b.rows));
        });

    m.def(
        "pack_rows",
        [](const Rows& rows, std::uint64_t lines_before) {
            std::string packed;
            {
                nb::gil_scoped_release release;
                packed = pack_rows(rows, lines_before);
            }
            return nb::bytes(packed.data(), packed.size());
        },
        nb::arg("rows"), nb::arg("lines_before"), "The rows as bytes.");
    m.def(
        "join_chunks",
        [](const std::vector<bindings::In<std::uint8_t>>& chunks) {
            std::vector<std::string_view> views;
            for (const auto& chunk : chunks)
                views.emplace_back(reinterpret_cast<const char*>(chunk.data()), chunk.size());
            nb::gil_scoped_release release;
            return join_chunks(views);
        },
        nb::arg("chunks"), "Rows of chunks that pack_rows made.");
}
