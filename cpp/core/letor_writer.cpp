#include "core/letor_writer.hpp"

#include <charconv>

#include "core/numbers.hpp"

namespace tare {
namespace {

template <class T>
void append(T value, std::string& out) {
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// The shortest text of a float may lie so near the middle of two that, read as a double and rounded
// again, it becomes the other; then the double's text is written.
void append_feature(float value, std::string& out) {
    const std::size_t start = out.size();
    append(value, out);
    double back = 0;
    parse_number(std::string_view(out).substr(start), back);
    if (static_cast<float>(back) == value) return;
    out.resize(start);
    append(static_cast<double>(value), out);
}

}  // namespace

void write_letor(const LetorRows& rows, std::string& out) {
    const std::size_t width = rows.grades.empty() ? 0 : rows.features.size() / rows.grades.size();
    for (std::size_t r = 0; r < rows.grades.size(); ++r) {
        append(rows.grades[r], out);
        out.append(" qid:").append(rows.query);
        for (std::size_t i = 0; i < width; ++i) {
            out.push_back(' ');
            append(i + 1, out);
            out.push_back(':');
            append_feature(rows.features[r * width + i], out);
        }
        const bool named = !rows.documents.empty() && !rows.documents[r].empty();
        if (named) out.append(" #docid = ").append(rows.documents[r]);
        out.push_back('\n');
    }
}

}  // namespace tare
