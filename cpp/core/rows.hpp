// Rows: (query, document, value) as they were given, in compact columns.
//
// A run and a qrels file are both such rows; the value is the score or the grade. Rows are kept in
// segments, one for each piece of text that one thread parsed, so that nothing is copied to join
// them.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/id_table.hpp"

namespace tare {

// A document id is a view of its segment's text, which may be larger than 4 GiB: a query has all
// its rows in one segment, and ids from Python can be long.
struct Row {
    static constexpr int start_bits = 36, length_bits = 28;
    static constexpr std::uint64_t most_text = std::uint64_t{1} << start_bits;
    static constexpr std::uint64_t longest_id = (std::uint64_t{1} << length_bits) - 1;

    double value;
    std::uint64_t start : start_bits;
    std::uint64_t length : length_bits;

    Row() = default;
    Row(double given, std::uint64_t from, std::uint64_t bytes) : value(given) {
        if (from >= most_text) throw std::length_error("the ids of a query need more than 64 GiB");
        if (bytes > longest_id) throw std::length_error("an id is longer than 256 MiB");
        start = from & (most_text - 1);
        length = bytes & longest_id;
    }
};
static_assert(sizeof(Row) == 16);

// Consecutive rows. Ids are views of `base` and `query_base`: the text they were parsed from, or
// the segment's own copies after own().
struct Segment {
    struct Piece {            // consecutive rows of one query
        std::uint64_t start;  // of the query's id
        std::uint32_t length;
        std::uint32_t first;
        std::uint32_t count;
    };
    std::vector<Row> rows;
    std::vector<Piece> pieces;
    const char* base = nullptr;
    const char* query_base = nullptr;
    std::uint64_t first_line = 1;
    std::vector<std::uint32_t> skipped;  // for each line that is no row: the row it stood before
    std::vector<std::uint64_t>
        lines;  // of rows brought from elsewhere; else they follow from the above

    std::string_view doc(const Row& row) const { return {base + row.start, row.length}; }
    std::string_view query(const Piece& piece) const {
        return {query_base + piece.start, piece.length};
    }
    std::uint64_t line_of(std::uint32_t row) const;
    void clear();
    // Appends a row whose document id is copied; only for a segment that owns its ids.
    void add(std::string_view query, std::string_view doc, double value);
    // The same for a row of the last one's query.
    void add_to_last(std::string_view doc, double value) {
        rows.emplace_back(value, docs_.size(), doc.size());
        ++pieces.back().count;
        docs_.append(doc);
        base = docs_.data();
    }
    // Appends rows of another segment, ids copied. They must be of one piece.
    void add_piece(const Segment& from, const Piece& piece);
    // Copies the ids, so that the text may go.
    void own();
    // Gives back the memory that growth left unused.
    void shrink();
    // Gives back the pieces and their queries, which somebody else keeps.
    void forget_pieces();

    Segment() = default;
    Segment(Segment&& other) noexcept { *this = std::move(other); }
    Segment& operator=(Segment&& other) noexcept;

private:
    void find_ids();
    std::string docs_, queries_;
    bool owned_ = false;
};

struct RowRef {
    std::uint32_t segment, row;
};

// A document that stands twice under one query.
struct Duplicate {
    std::string query, doc;
    std::uint64_t line, earlier_line;
    bool same_value;
};

// The first duplicates by line, the first of those with another value, and how many there are.
struct Duplicates {
    std::vector<Duplicate> first, conflicts;
    std::uint64_t count = 0, conflict_count = 0;
};

class Rows {
public:
    struct PieceRef {
        std::uint32_t segment, first, count;
    };

    Rows() : queries_(std::make_shared<IdTable>()) {}
    Rows(Rows&& other) noexcept : Rows() { *this = std::move(other); }
    Rows(const Rows&) = delete;
    Rows& operator=(Rows&& other) noexcept;

    void take(Segment&& segment);
    std::size_t size() const { return rows_; }
    const IdTable& queries() const { return *queries_; }
    // The same, for those who need them longer than the rows.
    std::shared_ptr<const IdTable> shared_queries() const { return queries_; }
    // Calls each(piece) for the pieces of a query, in the order given.
    template <class Each>
    void for_each_piece(std::size_t query, Each&& each) const {
        if (links_.empty()) return each(pieces_[query]);
        for (std::uint32_t p = ends_[query].first; p != last_piece; p = links_[p].next)
            each(pieces_[p]);
    }
    // The pieces of all queries, in the order given, and the query of each.
    const std::vector<PieceRef>& pieces() const { return pieces_; }
    std::size_t query_of(std::size_t piece) const {
        return links_.empty() ? piece : links_[piece].query;
    }
    std::size_t rows_of(std::size_t query) const;
    // The index of a query, or -1.
    std::int64_t find(std::string_view query) const { return queries_->find(query); }
    // A segment; its pieces are among those above.
    const Segment& segment(std::uint32_t i) const { return segments_[i]; }

    const Row& row(RowRef r) const { return segments_[r.segment].rows[r.row]; }
    std::string_view doc(RowRef r) const { return segments_[r.segment].doc(row(r)); }
    std::uint64_t line(RowRef r) const { return segments_[r.segment].line_of(r.row); }

    // All rows of a query, in the order given.
    void gather(std::size_t query, std::vector<RowRef>& out) const;
    // Duplicate documents; at most `most` of each kind are reported.
    Duplicates duplicates(unsigned threads, std::size_t most) const;
    // A digest of the rows that does not depend on their order.
    std::uint64_t digest(unsigned threads) const;

private:
    static constexpr std::uint32_t last_piece = std::numeric_limits<std::uint32_t>::max();
    struct Link {
        std::uint32_t query, next;
    };
    struct Ends {
        std::uint32_t first, last;
    };
    void link_pieces();
    std::vector<Segment> segments_;
    std::shared_ptr<IdTable> queries_;
    std::vector<PieceRef> pieces_;
    // Most files give all rows of a query together: piece i is then all of query i, and these two
    // stay empty.
    std::vector<Link> links_;  // by piece: its query, and the next piece of the same query
    std::vector<Ends> ends_;   // by query
    std::size_t rows_ = 0;
};

}  // namespace tare
