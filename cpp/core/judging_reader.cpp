#include "core/judging_reader.hpp"

#include "core/threads.hpp"

namespace tare {

JudgingReader::JudgingReader(const Qrels& qrels, const JudgeOptions& options)
    : qrels_(qrels), options_(options), judged_(qrels.queries().size()), done_(qrels.queries().size(), 0) {}

void JudgingReader::judge_piece(const Segment& segment, const Segment::Piece& piece, Problems& duplicates) {
    const SegmentPiece rows{&segment, piece.first, piece.count};
    const std::int64_t query = qrels_.find(piece.query);
    if (query < 0) {
        find_duplicates(rows, piece.query, duplicates);
        return;
    }
    const auto q = static_cast<std::size_t>(query);
    judged_[q] = {};
    judge_query(qrels_, q, {&rows, 1}, options_, judged_[q], &duplicates);
}

void JudgingReader::mark_done(const std::string& query) {
    const std::int64_t q = qrels_.find(query);
    if (q < 0) {
        interleaved_ |= !unknown_.insert(query).second;
    } else {
        interleaved_ |= done_[static_cast<std::size_t>(q)] != 0;
        done_[static_cast<std::size_t>(q)] = 1;
    }
}

void JudgingReader::close_open() {
    if (open_.rows.empty()) return;
    mark_done(open_.pieces.front().query);
    Problems duplicates;
    judge_piece(open_, open_.pieces.front(), duplicates);
    problems_.append(duplicates, 0);
    open_.clear();
}

void JudgingReader::parse(std::string_view lines) {
    if (interleaved_) return;
    constexpr std::size_t share = 2 << 20;  // the rows of one share stay in the cache
    const auto parts = cut_lines(lines, lines.size() / share + 1);
    if (parts_.size() < parts.size()) parts_.resize(parts.size());
    for_each_index(parts.size(), options_.threads, 1, [&](std::size_t i) {
        Part& part = parts_[i];
        part.text.clear();
        part.duplicates = {};
        parse_trec(parts[i], Layout::run, part.text);
        // The first and the last query may go on in the neighbours; those between are complete.
        const Segment& segment = part.text.segment;
        for (std::size_t k = 1; k + 1 < segment.pieces.size(); ++k)
            judge_piece(segment, segment.pieces[k], part.duplicates);
    });
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Part& part = parts_[i];
        Segment& segment = part.text.segment;
        problems_.append(part.text.problems, lines_);
        problems_.append(part.duplicates, lines_);
        segment.first_line = lines_ + 1;
        lines_ += part.text.lines;
        rows_ += segment.rows.size();
        extra_fields_ += part.text.extra_fields;
        rank_conflicts_ += part.text.rank_conflicts + last_row_.conflicts_with(part.text.first_row);
        if (part.text.last_row.known) last_row_ = part.text.last_row;
        if (!part.text.tag.empty()) tag_ = part.text.tag;
        for (std::size_t k = 0; k < segment.pieces.size(); ++k) {
            const auto& piece = segment.pieces[k];
            const bool first = k == 0, last = k + 1 == segment.pieces.size();
            const bool goes_on = first && !open_.rows.empty() && open_.pieces.front().query == piece.query;
            if (!goes_on) close_open();
            if (!first && !last) {
                mark_done(piece.query);
                continue;
            }
            open_.add_piece(segment, piece);
        }
    }
}

void JudgingReader::feed(std::string_view block) {
    blocks_.feed(block, [this](std::string_view lines) { parse(lines); }, [this] { too_long(); });
}

void JudgingReader::finish() {
    blocks_.finish([this](std::string_view lines) { parse(lines); }, [this] { too_long(); });
    close_open();
}

}  // namespace tare
