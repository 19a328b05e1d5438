#include "core/judging_reader.hpp"

#include <utility>

#include "core/memory.hpp"
#include "core/seams.hpp"
#include "core/threads.hpp"

namespace tare {

JudgingReader::JudgingReader(const Qrels& qrels, const JudgeOptions& options)
    : qrels_(qrels), options_(options), judged_(qrels.size()), batches_(1) {}

JudgingReader::~JudgingReader() {
    batches_.clear();
    parts_.clear();
    return_memory(judged_.size());
}

JudgingReader::Ranked JudgingReader::rank(const Segment& segment, const Segment::Piece& piece,
                                          JudgedBatch& batch, Problems& duplicates) const {
    const SegmentPiece rows{&segment, piece.first, piece.count};
    const std::string_view query = segment.query(piece);
    Ranked out;
    out.query = qrels_.find(query);
    if (out.query == unknown_query)
        find_duplicates(rows, query, duplicates);
    else
        out.judged = judge_query(qrels_, static_cast<std::size_t>(out.query), {&rows, 1}, options_,
                                 batch, &duplicates);
    return out;
}

void JudgingReader::keep(std::string_view query, const Ranked& ranked, std::size_t batch) {
    if (ranked.query == unknown_query) {
        interleaved_ |= !unknown_.emplace(query).second;
        return;
    }
    JudgedQuery& judged = judged_[static_cast<std::size_t>(ranked.query)];
    interleaved_ |= judged.present;
    judged = ranked.judged;
    judged.batch = static_cast<std::uint32_t>(batch);
}

void JudgingReader::close_open() {
    if (open_.rows.empty()) return;
    Problems duplicates;
    const Segment::Piece& piece = open_.pieces.front();
    keep(open_.query(piece), rank(open_, piece, batches_.front(), duplicates), 0);
    problems_.append(duplicates, 0);
    open_.clear();
}

void JudgingReader::parse_part(std::string_view lines, Part& part) const {
    part.text.clear();
    part.duplicates = {};
    part.ranked.clear();
    part.batch = {};
    parse_trec(lines, Layout::run, part.text);
    // The first and the last query may go on in the neighbours.
    const Segment& segment = part.text.segment;
    for (std::size_t k = 1; k + 1 < segment.pieces.size(); ++k)
        part.ranked.push_back(rank(segment, segment.pieces[k], part.batch, part.duplicates));
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
    const std::size_t batch = batches_.size();
    batches_.push_back(std::move(part.batch));
    for (std::size_t k = 0; k < segment.pieces.size(); ++k) {
        const auto& piece = segment.pieces[k];
        const bool first = k == 0, last = k + 1 == segment.pieces.size();
        const bool goes_on = first && !open_.rows.empty() &&
                             open_.query(open_.pieces.front()) == segment.query(piece);
        if (!goes_on) close_open();
        if (first || last)
            open_.add_piece(segment, piece);
        else
            keep(segment.query(piece), part.ranked[k - 1], batch);
    }
}

void JudgingReader::parse(std::string_view lines) {
    if (interleaved_) return;
    // As many shares for each thread: none waits while another has one more.
    const std::size_t threads = thread_count(options_.threads),
                      least = lines.size() / seams.judging_share + 1;
    const auto shares =
        cut_lines(lines, least == 1 ? 1 : (least + threads - 1) / threads * threads);
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
