#include "core/judging_reader.hpp"

#include <utility>

#include "core/seams.hpp"
#include "core/threads.hpp"

namespace tare {

JudgingReader::JudgingReader(const Qrels& qrels, const JudgeOptions& options)
    : qrels_(qrels), options_(options), judged_(qrels.queries().size()), done_(qrels.queries().size(), 0) {}

JudgingReader::Ranked JudgingReader::rank(const Segment& segment, const Segment::Piece& piece,
                                          Problems& duplicates) const {
    const SegmentPiece rows{&segment, piece.first, piece.count};
    Ranked out;
    out.query = qrels_.find(piece.query);
    if (out.query == unknown_query) find_duplicates(rows, piece.query, duplicates);
    else judge_query(qrels_, static_cast<std::size_t>(out.query), {&rows, 1}, options_, out.judged, &duplicates);
    return out;
}

void JudgingReader::keep(const std::string& query, Ranked&& ranked) {
    if (ranked.query == unknown_query) {
        interleaved_ |= !unknown_.insert(query).second;
        return;
    }
    const auto q = static_cast<std::size_t>(ranked.query);
    interleaved_ |= done_[q] != 0;
    done_[q] = 1;
    judged_[q] = std::move(ranked.judged);
}

void JudgingReader::close_open() {
    if (open_.rows.empty()) return;
    Problems duplicates;
    keep(open_.pieces.front().query, rank(open_, open_.pieces.front(), duplicates));
    problems_.append(duplicates, 0);
    open_.clear();
}

void JudgingReader::parse_part(std::string_view lines, Part& part) const {
    part.text.clear();
    part.duplicates = {};
    part.ranked.clear();
    parse_trec(lines, Layout::run, part.text);
    // The first and the last query may go on in the neighbours.
    const Segment& segment = part.text.segment;
    for (std::size_t k = 1; k + 1 < segment.pieces.size(); ++k)
        part.ranked.push_back(rank(segment, segment.pieces[k], part.duplicates));
}

void JudgingReader::merge(Part& part) {
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
        if (first || last) open_.add_piece(segment, piece);
        else keep(piece.query, std::move(part.ranked[k - 1]));
    }
}

void JudgingReader::parse(std::string_view lines) {
    if (interleaved_) return;
    const auto shares = cut_lines(lines, lines.size() / seams.judging_share + 1);
    if (parts_.size() < shares.size()) parts_.resize(shares.size());
    for_each_index(shares.size(), options_.threads, 1,
                   [&](std::size_t i) { std::as_const(*this).parse_part(shares[i], parts_[i]); });
    for (std::size_t i = 0; i < shares.size(); ++i) merge(parts_[i]);
}

void JudgingReader::feed(std::string_view block) {
    blocks_.feed(block, [this](std::string_view lines) { parse(lines); }, [this] { too_long(); });
}

void JudgingReader::finish() {
    blocks_.finish([this](std::string_view lines) { parse(lines); }, [this] { too_long(); });
    close_open();
}

}  // namespace tare
