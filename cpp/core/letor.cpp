#include "core/letor.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/seams.hpp"
#include "core/threads.hpp"

namespace tare {

void LetorReader::feed(std::string_view block) {
    blocks_.feed(block, [this](std::string_view lines) { parse(lines); }, [this] { too_long(); });
}

void LetorReader::finish() {
    blocks_.finish([this](std::string_view lines) { parse(lines); }, [this] { too_long(); });
    parts_.clear();
    if (!pieces_.empty()) problems_.merge(without_query_);
    if (problems_.count > 0 || too_large_) {
        letor_ = {};
        return;
    }
    letor_.features.finish();
    gather_queries();
}

// In batches, so that what is parsed but not stored yet stays small however large the block.
void LetorReader::parse(std::string_view lines) {
    for (const std::string_view part : cut_lines(lines, lines.size() / seams.letor_batch + 1))
        parse_batch(part);
}

void LetorReader::parse_batch(std::string_view lines) {
    const std::size_t pieces =
        std::min<std::size_t>(2 * thread_count(threads_), lines.size() / seams.letor_share + 1);
    const std::vector<std::string_view> texts = cut_lines(lines, pieces);
    if (parts_.size() < texts.size()) parts_.resize(texts.size());
    for_each_index(texts.size(), threads_, 1,
                   [&](std::size_t i) { parts_[i].parse(texts[i], with_documents_); });
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const LetorText& part = parts_[i];
        problems_.append(part.problems(), lines_);
        without_query_.append(part.without_query(), lines_);
        lines_ += part.lines();
        for (const LetorText::Piece& piece : part.pieces()) add_piece(piece);
    }
    store(texts.size());
}

// Text that will be refused is read to its end for the sake of its problems, but no longer kept.
void LetorReader::store(std::size_t parts) {
    std::vector<std::size_t> starts(parts);
    std::size_t fresh = 0;
    for (std::size_t i = 0; i < parts; ++i) {
        starts[i] = fresh;
        fresh += parts_[i].rows().size();
        features_ = features_.joined(parts_[i].features());
    }
    const std::uint64_t before = rows_;
    rows_ += fresh;
    if (!letor_.features.fits(fresh, features_)) too_large_ = true;
    if (problems_.count > 0 || too_large_) {
        letor_ = {};
        return;
    }
    float* const out = letor_.features.add(fresh, features_);
    letor_.grades.resize(rows_);
    for_each_index(parts, threads_, 1, [&](std::size_t i) {
        parts_[i].fill(out + starts[i] * features_.width(), features_);
        const auto& rows = parts_[i].rows();
        for (std::size_t r = 0; r < rows.size(); ++r)
            letor_.grades[before + starts[i] + r] = rows[r].grade;
    });
    if (!with_documents_) return;
    for (std::size_t i = 0; i < parts; ++i)
        for (std::size_t r = 0; r < parts_[i].rows().size(); ++r)
            letor_.documents.emplace_back(parts_[i].document(r));
}

void LetorReader::add_piece(const LetorText::Piece& piece) {
    const auto [at, fresh] =
        index_.try_emplace(piece.query, static_cast<std::uint32_t>(index_.size()));
    if (fresh) letor_.queries.push_back(piece.query);
    if (!pieces_.empty() && pieces_.back().query == at->second)
        pieces_.back().count += piece.count;
    else
        pieces_.push_back({at->second, piece.count});
}

// Counts the rows of each query and, where they do not stand together, brings them together in
// order.
void LetorReader::gather_queries() {
    std::vector<std::int64_t>& offsets = letor_.offsets;
    std::vector<std::uint32_t> times(letor_.queries.size(), 0);
    offsets.assign(letor_.queries.size() + 1, 0);
    for (const Piece& piece : pieces_) {
        offsets[piece.query + 1] += static_cast<std::int64_t>(piece.count);
        ++times[piece.query];
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    letor_.scattered = static_cast<std::uint64_t>(
        std::count_if(times.begin(), times.end(), [](auto n) { return n > 1; }));
    if (letor_.scattered == 0) return;

    std::vector<std::int64_t> order(rows_), next(offsets.begin(), offsets.end() - 1);
    std::int64_t row = 0;
    for (const Piece& piece : pieces_)
        for (std::uint64_t i = 0; i < piece.count; ++i)
            order[static_cast<std::size_t>(next[piece.query]++)] = row++;
    letor_.features.reorder(order);
    const auto reorder = [&](auto& values) {
        if (values.empty()) return;
        std::remove_reference_t<decltype(values)> moved;
        moved.reserve(values.size());
        for (const std::int64_t from : order)
            moved.push_back(std::move(values[static_cast<std::size_t>(from)]));
        values = std::move(moved);
    };
    reorder(letor_.grades);
    reorder(letor_.documents);
}

}  // namespace tare
