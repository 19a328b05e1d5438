// TREC text: one row per line, fields separated by blanks.
//
//   run    query Q0 document rank score tag      (what follows the tag is ignored)
//   ranks  the same, and the value is the negated rank, so that a larger one still comes first
//   qrels  query iteration document grade        (what follows the grade is ignored)
//   subtopics  query subtopic document grade     (the id of a row is 'subtopic document')
//
// Empty lines, and lines that begin with '#', are passed over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/line_blocks.hpp"
#include "core/problems.hpp"
#include "core/rows.hpp"

namespace tare {

enum class Layout { run, ranks, qrels, subtopics };

constexpr bool is_run(Layout layout) { return layout == Layout::run || layout == Layout::ranks; }

// The rank and score of a row, to be held against those of its neighbour.
struct RankedRow {
    std::string query, rank;
    double value = 0;
    bool known = false;

    bool conflicts_with(const RankedRow& next) const;
};

struct TrecText {
    Segment segment;  // ids are views of the text
    Problems problems;
    std::string tag;  // of the last line, as in trec_eval
    std::uint64_t lines = 0;
    std::uint64_t extra_fields = 0;    // lines with more fields than the layout has
    std::uint64_t rank_conflicts = 0;  // neighbours whose ranks and scores disagree
    RankedRow first_row, last_row;     // for the neighbours in other pieces of the text

    void clear();
};

// Parses whole lines, each ended by '\n'.
void parse_trec(std::string_view text, Layout layout, TrecText& out);

// Reads text that arrives in blocks into rows, several threads a block.
class TrecReader {
public:
    TrecReader(Layout layout, unsigned threads) : layout_(layout), threads_(threads) {}

    void feed(std::string_view block);
    void finish();

    Rows& rows() { return rows_; }
    const Problems& problems() const { return problems_; }
    const std::string& tag() const { return tag_; }
    std::uint64_t lines() const { return lines_; }
    std::uint64_t extra_fields() const { return extra_fields_; }
    std::uint64_t rank_conflicts() const { return rank_conflicts_; }

private:
    void parse(std::string_view lines);
    void too_long() { problems_.add(++lines_, Fault::line_too_long); }

    Layout layout_;
    unsigned threads_;
    LineBlocks blocks_;
    Rows rows_;
    Problems problems_;
    std::string tag_;
    RankedRow last_row_;
    std::uint64_t lines_ = 0, extra_fields_ = 0, rank_conflicts_ = 0;
};

}  // namespace tare
