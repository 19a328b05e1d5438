#include "core/rows.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

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
    first_line = other.first_line;
    owned_ = other.owned_;
    base = owned_ ? docs_.data() : other.base;  // a short string moves with its owner
    other.clear();
    return *this;
}

void Segment::clear() {
    rows.clear();
    pieces.clear();
    skipped.clear();
    lines.clear();
    docs_.clear();
    first_line = 1;
    base = nullptr;
    owned_ = false;
}

void Segment::add(std::string_view query, std::string_view doc, double value) {
    if (pieces.empty() || pieces.back().query != query)
        pieces.push_back({std::string(query), static_cast<std::uint32_t>(rows.size()), 0});
    owned_ = true;
    add_to_last(doc, value);
}

void Segment::add_piece(const Segment& from, const Piece& piece) {
    for (std::uint32_t i = piece.first; i < piece.first + piece.count; ++i) {
        add(piece.query, from.doc(from.rows[i]), from.rows[i].value);
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
        row.start = static_cast<std::uint32_t>(docs_.size());
        docs_.append(id);
    }
    base = docs_.data();
    owned_ = true;
    rows.shrink_to_fit();
}

void Segment::shrink() {
    rows.shrink_to_fit();
    docs_.shrink_to_fit();
    if (owned_) base = docs_.data();
}

void Rows::take(Segment&& segment) {
    if (segment.rows.empty()) return;
    const auto where = static_cast<std::uint32_t>(segments_.size());
    for (const auto& piece : segment.pieces) {
        auto [it, fresh] = index_.try_emplace(piece.query, static_cast<std::uint32_t>(queries_.size()));
        if (fresh) {
            queries_.push_back(piece.query);
            pieces_.emplace_back();
        }
        pieces_[it->second].push_back({where, piece.first, piece.count});
    }
    rows_ += segment.rows.size();
    segments_.push_back(std::move(segment));
}

std::size_t Rows::rows_of(std::size_t query) const {
    std::size_t n = 0;
    for (const auto& piece : pieces_[query]) n += piece.count;
    return n;
}

std::int64_t Rows::find(const std::string& query) const {
    const auto it = index_.find(query);
    return it == index_.end() ? -1 : static_cast<std::int64_t>(it->second);
}

void Rows::gather(std::size_t query, std::vector<RowRef>& out) const {
    out.clear();
    for (const auto& piece : pieces_[query])
        for (std::uint32_t i = 0; i < piece.count; ++i) out.push_back({piece.segment, piece.first + i});
}

Duplicates Rows::duplicates(unsigned threads, std::size_t most) const {
    std::vector<Duplicate> found;
    std::mutex guard;
    for_each_index(queries_.size(), threads, 16, [&](std::size_t q) {
        thread_local std::vector<RowRef> refs;
        thread_local SeenIds seen;
        gather(q, refs);
        seen.reset(refs.size());
        for (std::size_t i = 0; i < refs.size(); ++i) {
            const std::int64_t before =
                seen.add(doc(refs[i]), [&](std::uint32_t j) { return doc(refs[j]); });
            if (before < 0) continue;
            const RowRef other = refs[static_cast<std::size_t>(before)];
            const std::lock_guard lock(guard);
            found.push_back({queries_[q], std::string(doc(other)), line(refs[i]), line(other),
                             row(refs[i]).value == row(other).value});
        }
    });
    std::sort(found.begin(), found.end(), [](const Duplicate& a, const Duplicate& b) { return a.line < b.line; });
    Duplicates out;
    out.count = found.size();
    for (Duplicate& duplicate : found) {
        out.conflict_count += !duplicate.same_value;
        if (!duplicate.same_value && out.conflicts.size() < most) out.conflicts.push_back(duplicate);
        if (out.first.size() < most) out.first.push_back(std::move(duplicate));
    }
    return out;
}

std::uint64_t Rows::digest_sum(unsigned threads) const {
    std::vector<std::uint64_t> sums(queries_.size(), 0);
    for_each_index(queries_.size(), threads, 16, [&](std::size_t q) {
        const std::uint64_t base = hash_id(queries_[q]);
        std::uint64_t sum = 0;
        for (const auto& piece : pieces_[q]) {
            const Segment& s = segments_[piece.segment];
            for (std::uint32_t i = piece.first; i < piece.first + piece.count; ++i) {
                const auto bits = std::bit_cast<std::uint64_t>(s.rows[i].value + 0.0);
                sum += fold(base ^ hash_id(s.doc(s.rows[i])) ^ fold(bits + 1, 0xd6e8feb86659fd93ULL),
                            0xa0761d6478bd642fULL);
            }
        }
        sums[q] = sum;
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t s : sums) sum += s;
    return sum;
}

std::uint64_t Rows::digest_of(std::uint64_t sum) { return fold(sum, 0x9e3779b97f4a7c15ULL); }

}  // namespace tare
