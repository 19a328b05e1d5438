#include "core/row_chunks.hpp"

#include <cstring>
#include <stdexcept>

#include "core/seams.hpp"

namespace tare {
namespace {

// Each piece: this head, the query, then the lines, values and lengths of its rows, then their ids.
struct Head {
    std::uint32_t query_length, count;
    std::uint64_t id_bytes;
};

void write_piece(const Rows& rows, std::size_t number, std::uint64_t lines_before,
                 std::string& out) {
    const Rows::PieceRef& piece = rows.pieces()[number];
    const Segment& segment = rows.segment(piece.segment);
    const std::string_view query = rows.queries()[rows.query_of(number)];
    const auto append = [&](const auto& value) {
        out.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    const std::uint32_t end = piece.first + piece.count;
    std::uint64_t id_bytes = 0;
    for (std::uint32_t i = piece.first; i < end; ++i) id_bytes += segment.rows[i].length;
    append(Head{static_cast<std::uint32_t>(query.size()), piece.count, id_bytes});
    out.append(query);
    for (std::uint32_t i = piece.first; i < end; ++i) append(segment.line_of(i) + lines_before);
    for (std::uint32_t i = piece.first; i < end; ++i) append(segment.rows[i].value);
    for (std::uint32_t i = piece.first; i < end; ++i)
        append(static_cast<std::uint32_t>(segment.rows[i].length));
    for (std::uint32_t i = piece.first; i < end; ++i) out.append(segment.doc(segment.rows[i]));
}

class ChunkReader {
public:
    explicit ChunkReader(std::string_view chunk) : left_(chunk) {}
    bool more() const { return !left_.empty(); }
    std::string_view bytes(std::uint64_t size) {
        if (size > left_.size()) throw std::invalid_argument("a chunk of rows is damaged");
        const std::string_view found = left_.substr(0, size);
        left_.remove_prefix(size);
        return found;
    }
    template <class T>
    static T at(std::string_view column, std::size_t i) {
        T value;
        std::memcpy(&value, column.data() + i * sizeof(T), sizeof(T));
        return value;
    }

private:
    std::string_view left_;
};

}  // namespace

std::string pack_rows(const Rows& rows, std::uint64_t lines_before) {
    std::string out;
    for (std::size_t p = 0; p < rows.pieces().size(); ++p) write_piece(rows, p, lines_before, out);
    return out;
}

Rows join_chunks(std::span<const std::string_view> chunks) {
    Rows rows;
    Segment segment;
    const auto flush = [&] {
        rows.take(std::move(segment));
        segment = Segment{};
    };
    for (const std::string_view chunk : chunks) {
        ChunkReader reader(chunk);
        while (reader.more()) {
            const auto head = ChunkReader::at<Head>(reader.bytes(sizeof(Head)), 0);
            const std::string_view query = reader.bytes(head.query_length);
            const std::string_view lines = reader.bytes(std::uint64_t{8} * head.count);
            const std::string_view values = reader.bytes(std::uint64_t{8} * head.count);
            const std::string_view lengths = reader.bytes(std::uint64_t{4} * head.count);
            std::string_view ids = reader.bytes(head.id_bytes);
            for (std::size_t i = 0; i < head.count; ++i) {
                const auto length = ChunkReader::at<std::uint32_t>(lengths, i);
                if (length > ids.size()) throw std::invalid_argument("a chunk of rows is damaged");
                segment.add(query, ids.substr(0, length), ChunkReader::at<double>(values, i));
                segment.lines.push_back(ChunkReader::at<std::uint64_t>(lines, i));
                ids.remove_prefix(length);
                if (segment.rows.size() >= seams.segment_rows) flush();
            }
        }
    }
    flush();
    return rows;
}

}  // namespace tare
