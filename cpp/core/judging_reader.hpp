// Judging a TREC run while it is read: no row is kept longer than its query lasts.
//
// It needs the rows of a query to stand together, as they do in nearly every run file. Where a
// query comes back after others, `interleaved()` says so, and the caller reads the run into rows
// instead.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/judged.hpp"
#include "core/trec_text.hpp"

namespace tare {

class JudgingReader {
public:
    JudgingReader(const Qrels& qrels, const JudgeOptions& options);
    ~JudgingReader();

    void feed(std::string_view block);
    void finish();

    Judged judged() const { return Judged::join(judged_, batches_); }
    bool interleaved() const { return interleaved_; }
    const Problems& problems() const { return problems_; }
    const std::string& tag() const { return tag_; }
    std::uint64_t rows() const { return rows_; }
    std::uint64_t lines() const { return lines_; }
    std::uint64_t extra_fields() const { return extra_fields_; }
    std::uint64_t rank_conflicts() const { return rank_conflicts_; }
    // Queries of the run that the qrels lack.
    const std::unordered_set<std::string>& unknown() const { return unknown_; }

private:
    static constexpr std::int64_t unknown_query = -1;
    struct Ranked {  // a query judged from all its rows, as far as its share can know
        std::int64_t query = unknown_query;
        JudgedQuery judged;  // within a batch that gets its number when it is kept
    };
    // What one thread found in its share of a block. A thread writes nothing else: a query that
    // comes back is ranked by several threads at once, and only the merge, one share after the
    // other, sees that.
    struct Part {
        TrecText text;
        Problems duplicates;
        std::vector<Ranked> ranked;  // of the pieces between the first and the last
        JudgedBatch batch;           // their judged documents
    };
    void parse(std::string_view lines);
    void parse_part(std::string_view lines, Part& part) const;
    void merge(Part& part);
    void too_long() { problems_.add(++lines_, Fault::line_too_long); }
    // Judges a query of which all rows are at hand, and appends it to the batch.
    Ranked rank(const Segment& segment, const Segment::Piece& piece, JudgedBatch& batch,
                Problems& duplicates) const;
    void keep(std::string_view query, const Ranked& ranked, std::size_t batch);
    void close_open();

    const Qrels& qrels_;
    JudgeOptions options_;
    LineBlocks blocks_;
    std::vector<JudgedQuery> judged_;
    std::vector<JudgedBatch>
        batches_;  // the first one of queries that several shares or blocks have a part of
    std::vector<Part> parts_;
    Segment open_;  // the rows so far of the query that the last block ended in
    std::unordered_set<std::string> unknown_;
    Problems problems_;
    std::string tag_;
    RankedRow last_row_;
    std::uint64_t rows_ = 0, lines_ = 0, extra_fields_ = 0, rank_conflicts_ = 0;
    bool interleaved_ = false;
};

}  // namespace tare
