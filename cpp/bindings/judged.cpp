// Qrels and the joining of a run with them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/problem_list.hpp"
#include "bindings/texts.hpp"
#include "core/judged.hpp"
#include "core/judging_reader.hpp"
#include "core/qrels.hpp"

namespace nb = nanobind;
using namespace tare;

namespace {

Ties ties_of(std::string_view name) {
    if (name == "trec") return Ties::trec;
    if (name == "order") return Ties::order;
    if (name == "expected") return Ties::expected;
    throw nb::value_error("ties is 'trec', 'order' or 'expected'");
}

nb::dict as_dict(Judged&& judged) {
    nb::dict out;
    out["offsets"] = bindings::give(std::move(judged.offsets));
    out["ranks"] = bindings::give(std::move(judged.ranks));
    out["codes"] = bindings::give(std::move(judged.codes));
    out["lows"] = bindings::give(std::move(judged.lows));
    out["highs"] = bindings::give(std::move(judged.highs));
    out["retrieved"] = bindings::give(std::move(judged.retrieved));
    out["tied"] = bindings::give(std::move(judged.tied));
    out["present"] = bindings::give(std::move(judged.present));
    return out;
}

template <class T>
auto copied(std::span<const T> values) {
    return bindings::give(std::vector<T>(values.begin(), values.end()));
}

// The columns of judgements as arrays that the judgements keep; slots are pairs of 32 bits.
nb::tuple lent_columns(nb::handle self) {
    const Qrels::Columns& c = nb::cast<const Qrels&>(self).columns();
    static_assert(sizeof(Qrels::Slot) == 8);
    const std::span<const std::uint8_t> docs(reinterpret_cast<const std::uint8_t*>(c.docs.data()),
                                             c.docs.size());
    const std::span<const std::int32_t> slots(reinterpret_cast<const std::int32_t*>(c.slots.data()),
                                              2 * c.slots.size());
    return nb::make_tuple(bindings::lend(c.levels, self), bindings::lend(c.offsets, self),
                          bindings::lend(c.pool, self), bindings::lend(c.codes, self),
                          bindings::lend(c.doc_starts, self), bindings::lend(docs, self),
                          bindings::lend(c.table_starts, self), bindings::lend(slots, self));
}

Qrels of_columns(const std::vector<std::string>& queries, const bindings::In<double>& levels,
                 const bindings::In<std::int64_t>& offsets, const bindings::In<std::int32_t>& pool,
                 const bindings::In<std::int32_t>& codes,
                 const bindings::In<std::uint64_t>& doc_starts,
                 const bindings::In<std::uint8_t>& docs,
                 const bindings::In<std::uint64_t>& table_starts,
                 const bindings::In<std::int32_t>& slots) {
    using bindings::view;
    return {queries,
            {view<double>(levels),
             view<std::int64_t>(offsets),
             view<std::int32_t>(pool),
             view<std::int32_t>(codes),
             view<std::uint64_t>(doc_starts),
             {reinterpret_cast<const char*>(docs.data()), docs.size()},
             view<std::uint64_t>(table_starts),
             {reinterpret_cast<const Qrels::Slot*>(slots.data()), slots.size() / 2}}};
}

}  // namespace

void bind_judged(nb::module_& m) {
    nb::class_<Qrels>(m, "Qrels")
        .def(nb::init<const Rows&, unsigned>(), nb::arg("rows"), nb::arg("threads"),
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("queries",
                     [](const Qrels& q) {
                         return bindings::texts(q.size(),
                                                [&](std::size_t i) { return q.query(i); });
                     })
        .def_prop_ro(
            "levels", [](const Qrels& q) { return copied(q.levels()); }, nb::rv_policy::automatic)
        .def_prop_ro("offsets",
                     [](nb::handle self) {
                         return bindings::lend(nb::cast<const Qrels&>(self).offsets(), self);
                     })
        .def_prop_ro("pool",
                     [](nb::handle self) {
                         return bindings::lend(nb::cast<const Qrels&>(self).pool(), self);
                     })
        .def("columns", [](nb::handle self) { return lent_columns(self); })
        .def_static("of_columns", &of_columns, nb::arg("queries"), nb::arg("levels").noconvert(),
                    nb::arg("offsets").noconvert(), nb::arg("pool").noconvert(),
                    nb::arg("codes").noconvert(), nb::arg("doc_starts").noconvert(),
                    nb::arg("docs").noconvert(), nb::arg("table_starts").noconvert(),
                    nb::arg("slots").noconvert(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(),
                    nb::keep_alive<0, 4>(), nb::keep_alive<0, 5>(), nb::keep_alive<0, 6>(),
                    nb::keep_alive<0, 7>(), nb::keep_alive<0, 8>(), nb::keep_alive<0, 9>());

    m.def(
        "judge",
        [](const Qrels& qrels, const Rows& run, std::string_view ties, bool condensed,
           bool single_precision, std::int64_t depth, bool groups, unsigned threads) {
            const JudgeOptions options{ties_of(ties), condensed, single_precision,
                                       depth,         groups,    threads};
            Judged judged;
            {
                nb::gil_scoped_release release;
                judged = judge(qrels, run, options);
            }
            return as_dict(std::move(judged));
        },
        nb::arg("qrels"), nb::arg("run"), nb::arg("ties"), nb::arg("condensed"),
        nb::arg("single_precision"), nb::arg("depth"), nb::arg("groups"), nb::arg("threads"));

    nb::class_<JudgingReader>(m, "JudgingReader")
        .def(
            "__init__",
            [](JudgingReader* self, const Qrels& qrels, std::string_view ties, bool condensed,
               bool single_precision, std::int64_t depth, bool groups, unsigned threads) {
                new (self) JudgingReader(
                    qrels, {ties_of(ties), condensed, single_precision, depth, groups, threads});
            },
            nb::arg("qrels"), nb::arg("ties"), nb::arg("condensed"), nb::arg("single_precision"),
            nb::arg("depth"), nb::arg("groups"), nb::arg("threads"), nb::keep_alive<1, 2>())
        .def(
            "feed",
            [](JudgingReader& reader, const bindings::In<std::uint8_t>& block) {
                nb::gil_scoped_release release;
                reader.feed({reinterpret_cast<const char*>(block.data()), block.size()});
            },
            nb::arg("block").noconvert())
        .def("finish", &JudgingReader::finish, nb::call_guard<nb::gil_scoped_release>())
        .def("judged", [](const JudgingReader& r) { return as_dict(r.judged()); })
        .def_prop_ro("interleaved", &JudgingReader::interleaved)
        .def_prop_ro("problems",
                     [](const JudgingReader& r) { return bindings::problem_list(r.problems()); })
        .def_prop_ro("problem_count", [](const JudgingReader& r) { return r.problems().count; })
        .def_prop_ro("tag", [](const JudgingReader& r) { return r.tag(); })
        .def_prop_ro("rows", &JudgingReader::rows)
        .def_prop_ro("lines", &JudgingReader::lines)
        .def_prop_ro("extra_fields", &JudgingReader::extra_fields)
        .def_prop_ro("rank_conflicts", &JudgingReader::rank_conflicts)
        .def_prop_ro("unknown", [](const JudgingReader& r) {
            return std::vector<std::string>(r.unknown().begin(), r.unknown().end());
        });
}
