#include "core/rows.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "core/seams.hpp"
#include "core/seen_ids.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"

namespace tare {

std::uint64_t Segment::line_of(std::uint32_t row) const {
    if (!lines.empty()) return lines[row];
    const auto before = std::upper_bound(skipped.begin(), skipped.end(), row) - skipped.begin();
    return first_line + row + static_cast<std::uint64_t>(before);
}

Segment& Segment::operator=(Segment&& other) noexcept {
    rows = std::move(other.rows);
    pieces = std::move(other.pieces);
    skipped = std::move(other.skipped);
    lines = std::move(other.lines);
    docs_ = std::move(other.docs_);
    queries_ = std::move(other.queries_);
    first_line = other.first_line;
    owned_ = other.owned_;
    base = other.base;
    query_base = other.query_base;
    if (owned_) find_ids();  // a short string moves with its owner
    other.clear();
    return *this;
}

void Segment::find_ids() {
    base = docs_.data();
    query_base = queries_.data();
}

void Segment::clear() {
    rows.clear();
    pieces.clear();
    skipped.clear();
    lines.clear();
    docs_.clear();
    queries_.clear();
    first_line = 1;
    base = query_base = nullptr;
    owned_ = false;
}

void Segment::add(std::string_view query, std::string_view doc, double value) {
    if (pieces.empty() || this->query(pieces.back()) != query) {
        pieces.push_back({queries_.size(), static_cast<std::uint32_t>(query.size()),
                          static_cast<std::uint32_t>(rows.size()), 0});
        queries_.append(query);
        query_base = queries_.data();
    }
    owned_ = true;
    add_to_last(doc, value);
}

void Segment::add_piece(const Segment& from, const Piece& piece) {
    for (std::uint32_t i = piece.first; i < piece.first + piece.count; ++i) {
        add(from.query(piece), from.doc(from.rows[i]), from.rows[i].value);
        lines.push_back(from.line_of(i));
    }
}

void Segment::own() {
    if (owned_) return;
    std::size_t bytes = 0;
    for (const Row& row : rows) bytes += row.length;
    docs_.reserve(bytes);
    for (Row& row : rows) {
        const std::string_view id = doc(row);
        row = {row.value, docs_.size(), id.size()};
        docs_.append(id);
    }
    bytes = 0;
    for (const Piece& piece : pieces) bytes += piece.length;
    queries_.reserve(bytes);
    for (Piece& piece : pieces) {
        const std::string_view id = query(piece);
        piece.start = queries_.size();
        queries_.append(id);
    }
    find_ids();
    owned_ = true;
    rows.shrink_to_fit();
    pieces.shrink_to_fit();
}

void Segment::shrink() {
    rows.shrink_to_fit();
    pieces.shrink_to_fit();
    docs_.shrink_to_fit();
    queries_.shrink_to_fit();
    if (owned_) find_ids();
}

void Segment::forget_pieces() {
    pieces = {};
    queries_ = {};
    query_base = nullptr;
}

Rows& Rows::operator=(Rows&& other) noexcept {
    std::swap(segments_, other.segments_);
    std::swap(queries_, other.queries_);
    std::swap(pieces_, other.pieces_);
    std::swap(links_, other.links_);
    std::swap(ends_, other.ends_);
    std::swap(rows_, other.rows_);
    return *this;
}

void Rows::take(Segment&& segment) {
    if (segment.rows.empty()) return;
    const auto where = static_cast<std::uint32_t>(segments_.size());
    // Slots of the table are far apart: those of the next few queries are asked for in advance.
    constexpr std::size_t ahead = 16;
    const std::vector<Segment::Piece>& given = segment.pieces;
    if (given.size() > last_piece - pieces_.size())
        throw std::length_error("more than 2^32 pieces of queries");
    std::uint64_t hashes[ahead];
    const auto hash = [&](std::size_t i) {
        if (i >= given.size()) return;
        hashes[i % ahead] = hash_id(segment.query(given[i]));
        queries_->expect(hashes[i % ahead]);
    };
    for (std::size_t i = 0; i < ahead; ++i) hash(i);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Segment::Piece& piece = given[i];
        const auto [query, fresh] = queries_->add(segment.query(piece), hashes[i % ahead]);
        hash(i + ahead);
        const auto number = static_cast<std::uint32_t>(pieces_.size());
        if (!fresh && links_.empty()) link_pieces();
        pieces_.push_back({where, piece.first, piece.count});
        if (links_.empty()) continue;
        links_.push_back({query, last_piece});
        if (fresh)
            ends_.push_back({number, number});
        else
            links_[std::exchange(ends_[query].last, number)].next = number;
    }
    rows_ += segment.rows.size();
    segment.forget_pieces();
    segments_.push_back(std::move(segment));
}

// A query has a second piece for the first time.
void Rows::link_pieces() {
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
        links_.push_back({p, last_piece});
        ends_.push_back({p, p});
    }
}

std::size_t Rows::rows_of(std::size_t query) const {
    std::size_t n = 0;
    for_each_piece(query, [&](const PieceRef& piece) { n += piece.count; });
    return n;
}

void Rows::gather(std::size_t query, std::vector<RowRef>& out) const {
    out.clear();
    for_each_piece(query, [&](const PieceRef& piece) {
        for (std::uint32_t i = 0; i < piece.count; ++i)
            out.push_back({piece.segment, piece.first + i});
    });
}

Duplicates Rows::duplicates(unsigned threads, std::size_t most) const {
    std::vector<Duplicate> found;
    std::mutex guard;
    for_each_index(queries().size(), threads, 16, [&](std::size_t q) {
        thread_local std::vector<RowRef> refs;
        thread_local SeenIds seen;
        gather(q, refs);
        if (refs.size() == 1) return;
        seen.reset(refs.size());
        for (std::size_t i = 0; i < refs.size(); ++i) {
            const std::int64_t before =
                seen.add(doc(refs[i]), [&](std::uint32_t j) { return doc(refs[j]); });
            if (before < 0) continue;
            const RowRef other = refs[static_cast<std::size_t>(before)];
            const std::lock_guard lock(guard);
            found.push_back({std::string(queries()[q]), std::string(doc(other)), line(refs[i]),
                             line(other), row(refs[i]).value == row(other).value});
        }
    });
    std::sort(found.begin(), found.end(),
              [](const Duplicate& a, const Duplicate& b) { return a.line < b.line; });
    Duplicates out;
    out.count = found.size();
    for (Duplicate& duplicate : found) {
        out.conflict_count += !duplicate.same_value;
        if (!duplicate.same_value && out.conflicts.size() < most)
            out.conflicts.push_back(duplicate);
        if (out.first.size() < most) out.first.push_back(std::move(duplicate));
    }
    return out;
}

std::uint64_t Rows::digest(unsigned threads) const {
    // The sum of all rows, in any order: that of each block of pieces is added to it.
    const std::size_t block = seams.grain != 0 ? seams.grain : 256;
    std::atomic<std::uint64_t> total{0};
    for_each_index((pieces_.size() + block - 1) / block, threads, 1, [&](std::size_t b) {
        std::uint64_t sum = 0;
        for (std::size_t p = b * block; p < std::min(pieces_.size(), (b + 1) * block); ++p) {
            const PieceRef& piece = pieces_[p];
            const std::uint64_t base = hash_id(queries()[query_of(p)]);
            const Segment& s = segments_[piece.segment];
            for (std::uint32_t i = piece.first; i < piece.first + piece.count; ++i) {
                const auto bits = std::bit_cast<std::uint64_t>(s.rows[i].value + 0.0);
                sum +=
                    fold(base ^ hash_id(s.doc(s.rows[i])) ^ fold(bits + 1, 0xd6e8feb86659fd93ULL),
                         0xa0761d6478bd642fULL);
            }
        }
        total.fetch_add(sum, std::memory_order_relaxed);
    });
    return fold(total.load(), 0x9e3779b97f4a7c15ULL);
}

}  // namespace tare
