// Data frames: Arrow streams of (query, document, value) become rows, without a copy in between.
#include <nanobind/nanobind.h>

#include <string>

#include "core/arrow.hpp"
#include "core/rows.hpp"
#include "core/seams.hpp"

namespace nb = nanobind;
using namespace tare;

namespace {

Rows rows_from_arrow(nb::capsule capsule, std::uint64_t first_line) {
    if (std::string_view(capsule.name()) != "arrow_array_stream")
        throw nb::type_error("expected an Arrow stream");
    auto* stream = static_cast<ArrowArrayStream*>(capsule.data());
    const auto fail = [&] {
        const char* message = stream->get_last_error(stream);
        throw std::runtime_error(message ? message : "the Arrow stream failed");
    };
    nb::gil_scoped_release release;
    ArrowSchema schema{};
    if (stream->get_schema(stream, &schema) != 0) fail();
    Rows rows;
    try {
        const bool numbered =
            schema.n_children == 4 && std::string_view(schema.children[3]->format) == "L";
        if ((schema.n_children != 3 && !numbered) ||
            std::string_view(schema.children[2]->format) != "g")
            throw std::invalid_argument(
                "expected the columns query, document (text), value (double), and perhaps line");
        std::uint64_t line = first_line;
        for (;;) {
            ArrowArray batch{};
            if (stream->get_next(stream, &batch) != 0) fail();
            if (batch.release == nullptr) break;
            try {
                const ArrowText queries(*schema.children[0], *batch.children[0]);
                const ArrowText docs(*schema.children[1], *batch.children[1]);
                const ArrowArray& third = *batch.children[2];
                const auto* values =
                    static_cast<const double*>(third.buffers[1]) + third.offset + batch.offset;
                const std::uint64_t* lines = nullptr;
                if (numbered) {
                    const ArrowArray& fourth = *batch.children[3];
                    lines = static_cast<const std::uint64_t*>(fourth.buffers[1]) + fourth.offset +
                            batch.offset;
                }
                Segment segment;
                segment.first_line = line;
                for (std::int64_t i = 0; i < batch.length; ++i, ++line) {
                    if (segment.rows.size() >= seams.segment_rows) {
                        rows.take(std::move(segment));
                        segment = Segment{};
                        segment.first_line = line;
                    }
                    segment.add(queries[i + batch.offset], docs[i + batch.offset], values[i]);
                    if (lines != nullptr) segment.lines.push_back(lines[i]);
                }
                rows.take(std::move(segment));
            } catch (...) {
                batch.release(&batch);
                throw;
            }
            batch.release(&batch);
        }
    } catch (...) {
        schema.release(&schema);
        throw;
    }
    schema.release(&schema);
    return rows;
}

}  // namespace

void bind_arrow(nb::module_& m) {
    m.def("rows_from_arrow", &rows_from_arrow, nb::arg("stream"), nb::arg("first_line"),
          "Rows of an Arrow stream with the columns query, document, value, and perhaps line.");
}
