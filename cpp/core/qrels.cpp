#include "core/qrels.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>

#include "core/id_order.hpp"
#include "core/seen_ids.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"

namespace tare {
namespace {

// The distinct values in ascending order.
std::vector<double> distinct(const std::vector<double>& values) {
    constexpr std::size_t few = 256;  // grades are few, as a rule
    std::vector<double> found;
    double last = 0;
    for (const double value : values) {
        if (!found.empty() && value == last) continue;
        last = value;
        const auto place = std::lower_bound(found.begin(), found.end(), value);
        if (place != found.end() && *place == value) continue;
        found.insert(place, value);
        if (found.size() > few) {
            found = values;
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
            break;
        }
    }
    return found;
}

}  // namespace

Qrels::Qrels(const Rows& rows, unsigned threads) : ids_(rows.shared_queries()) {
    sort_queries(threads);
    auto kept = std::make_unique<Kept>();
    Kept& k = *kept;
    index_documents(rows, threads, k);
    columns_ = {k.levels,     k.offsets, k.pool,         k.codes,
                k.doc_starts, k.docs,    k.table_starts, k.slots};
    kept_ = std::move(kept);
    find_least_judged();
}

Qrels::Qrels(std::span<const std::string> queries, const Columns& columns) : columns_(columns) {
    const std::size_t n = queries.size(), entries = columns_.codes.size();
    const bool fits = columns_.offsets.size() == n + 1 && columns_.table_starts.size() == n + 1 &&
                      columns_.pool.size() == entries &&
                      columns_.doc_starts.size() == entries + 1 &&
                      columns_.offsets.back() == static_cast<std::int64_t>(entries) &&
                      columns_.doc_starts.back() == columns_.docs.size() &&
                      columns_.table_starts.back() == columns_.slots.size();
    if (!fits) throw std::invalid_argument("the columns of judgements do not fit together");
    auto ids = std::make_shared<IdTable>();
    for (const std::string& query : queries) ids->add(query, hash_id(query));
    if (ids->size() != n) throw std::invalid_argument("a query of the judgements is there twice");
    ids_ = std::move(ids);
    find_least_judged();
}

void Qrels::sort_queries(unsigned threads) {
    order_ = ascending(*ids_, threads);
    if (std::is_sorted(order_.begin(), order_.end())) {
        order_ = {};
        return;
    }
    places_.resize(order_.size());
    for (std::size_t q = 0; q < order_.size(); ++q)
        places_[order_[q]] = static_cast<std::uint32_t>(q);
}

void Qrels::find_least_judged() {
    const std::span<const double> levels = columns_.levels;
    least_judged_ = static_cast<std::int32_t>(std::lower_bound(levels.begin(), levels.end(), 0.0) -
                                              levels.begin());
}

// The documents of each query are put in its table first, numbered within the query; once it is
// known how many there are, every query has its place in the columns. So threads need no order
// among them.
void Qrels::index_documents(const Rows& rows, unsigned threads, Kept& k) const {
    const std::size_t n = ids_->size();
    const auto id_of = [&](std::size_t q) { return order_.empty() ? q : order_[q]; };
    k.table_starts.resize(n + 1);
    k.offsets.resize(n + 1);
    for (std::size_t q = 0; q < n; ++q)
        k.table_starts[q + 1] = k.table_starts[q] + std::bit_ceil(2 * rows.rows_of(id_of(q)));
    k.slots.resize(k.table_starts[n], Slot{0, -1});
    std::vector<std::uint64_t> bytes(n + 1, 0);  // of the documents before each query
    constexpr std::size_t chunk = 64;
    // Calls each(document, value, table, mask) for the rows of a query.
    const auto for_each_document = [&](std::size_t q, auto&& each) {
        Slot* const table = k.slots.data() + k.table_starts[q];
        const std::size_t mask = k.table_starts[q + 1] - k.table_starts[q] - 1;
        rows.for_each_piece(id_of(q), [&](const Rows::PieceRef& piece) {
            const Segment& segment = rows.segment(piece.segment);
            for (std::uint32_t i = piece.first; i < piece.first + piece.count; ++i)
                each(segment.doc(segment.rows[i]), segment.rows[i].value, table, mask);
        });
    };
    for_each_index(n, threads, chunk, [&](std::size_t q) {
        thread_local std::vector<std::string_view> scratch;
        std::vector<std::string_view>& docs = scratch;
        docs.clear();
        std::uint64_t size = 0;
        for_each_document(q, [&](std::string_view doc, double, Slot* table, std::size_t mask) {
            const std::uint64_t h = hash_id(doc);
            const auto mark = static_cast<std::uint32_t>(h >> 32);
            for (std::size_t s = h & mask;; s = (s + 1) & mask) {
                Slot& slot = table[s];
                if (slot.entry < 0) {
                    slot = {mark, static_cast<std::int32_t>(docs.size())};
                    docs.push_back(doc);
                    size += doc.size();
                    return;
                }
                if (slot.mark == mark && same_id(doc, docs[static_cast<std::size_t>(slot.entry)]))
                    return;
            }
        });
        k.offsets[q + 1] = static_cast<std::int64_t>(docs.size());
        bytes[q + 1] = size;
    });
    for (std::size_t q = 0; q < n; ++q) {
        k.offsets[q + 1] += k.offsets[q];
        bytes[q + 1] += bytes[q];
    }
    const auto entries = static_cast<std::size_t>(k.offsets[n]);
    std::vector<double> grades(entries);
    k.docs.resize(bytes[n]);
    k.doc_starts.resize(entries + 1);
    k.doc_starts[entries] = bytes[n];
    for_each_index(n, threads, chunk, [&](std::size_t q) {
        const auto first = static_cast<std::size_t>(k.offsets[q]),
                   last = static_cast<std::size_t>(k.offsets[q + 1]);
        const std::size_t count = rows.rows_of(id_of(q));
        const bool repeats = last - first < count;
        thread_local SeenIds seen;
        thread_local std::vector<std::string_view> scratch;
        std::vector<std::string_view>& given = scratch;
        given.clear();
        if (repeats) seen.reset(count);
        std::size_t e = first;
        std::uint64_t at = bytes[q];
        for_each_document(q, [&](std::string_view doc, double value, const Slot*, std::size_t) {
            if (repeats) {
                given.push_back(doc);
                if (seen.add(doc, [&](std::uint32_t i) { return given[i]; }) >= 0) return;
            }
            grades[e] = value + 0.0;  // -0 becomes 0
            k.doc_starts[e++] = at;
            doc.copy(k.docs.data() + at, doc.size());
            at += doc.size();
        });
        for (std::uint64_t s = k.table_starts[q]; s < k.table_starts[q + 1]; ++s)
            if (k.slots[s].entry >= 0) k.slots[s].entry += static_cast<std::int32_t>(first);
    });
    k.levels = distinct(grades);
    k.codes.resize(entries);
    k.pool.resize(entries);
    for_each_index(n, threads, chunk, [&](std::size_t q) {
        for (auto e = static_cast<std::size_t>(k.offsets[q]);
             e < static_cast<std::size_t>(k.offsets[q + 1]); ++e)
            k.codes[e] = static_cast<std::int32_t>(
                std::lower_bound(k.levels.begin(), k.levels.end(), grades[e]) - k.levels.begin());
        const auto first = k.pool.begin() + k.offsets[q];
        const auto last =
            std::copy(k.codes.begin() + k.offsets[q], k.codes.begin() + k.offsets[q + 1], first);
        std::sort(first, last, std::greater<>{});
    });
}

std::int32_t Qrels::code(std::size_t query, std::string_view doc, std::uint64_t hash) const {
    const std::uint64_t base = columns_.table_starts[query];
    const std::uint64_t mask = columns_.table_starts[query + 1] - base - 1;
    const auto mark = static_cast<std::uint32_t>(hash >> 32);
    for (std::uint64_t s = hash & mask;; s = (s + 1) & mask) {
        const Slot slot = columns_.slots[base + s];
        if (slot.entry < 0) return -1;
        if (slot.mark != mark) continue;
        const auto e = static_cast<std::size_t>(slot.entry);
        const std::uint64_t start = columns_.doc_starts[e];
        if (same_id(doc, {columns_.docs.data() + start, columns_.doc_starts[e + 1] - start}))
            return columns_.codes[e];
    }
}

}  // namespace tare
