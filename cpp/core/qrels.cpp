#include "core/qrels.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "core/text.hpp"
#include "core/threads.hpp"

namespace tare {

Qrels::Qrels(const Rows& rows, unsigned threads) {
    const std::size_t n = rows.queries().size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return rows.queries()[a] < rows.queries()[b]; });

    auto kept = std::make_unique<Kept>();
    Kept& k = *kept;
    queries_.reserve(n);
    k.table_starts.push_back(0);
    std::vector<RowRef> refs;
    std::vector<double> grades;
    k.offsets.push_back(0);
    k.doc_starts.push_back(0);
    for (const std::size_t q : order) {
        queries_.push_back(rows.queries()[q]);
        rows.gather(q, refs);
        const std::size_t mask = std::bit_ceil(2 * refs.size()) - 1;
        const std::size_t base = k.slots.size();
        k.slots.resize(base + mask + 1, Slot{0, -1});
        for (const RowRef r : refs) {
            const std::string_view doc = rows.doc(r);
            const std::uint64_t h = hash_id(doc);
            const auto mark = static_cast<std::uint32_t>(h >> 32);
            for (std::size_t s = h & mask;; s = (s + 1) & mask) {
                Slot& slot = k.slots[base + s];
                if (slot.entry < 0) {
                    slot = {mark, static_cast<std::int32_t>(grades.size())};
                    k.docs.append(doc);
                    k.doc_starts.push_back(k.docs.size());
                    grades.push_back(rows.row(r).value + 0.0);  // -0 becomes 0
                    break;
                }
                if (slot.mark == mark && same_id(doc, k.doc(slot.entry))) break;
            }
        }
        k.table_starts.push_back(k.slots.size());
        k.offsets.push_back(static_cast<std::int64_t>(grades.size()));
    }
    k.levels = grades;
    std::sort(k.levels.begin(), k.levels.end());
    k.levels.erase(std::unique(k.levels.begin(), k.levels.end()), k.levels.end());
    k.codes.resize(grades.size());
    k.pool.resize(grades.size());
    for_each_index(n, threads, 64, [&](std::size_t q) {
        for (auto e = static_cast<std::size_t>(k.offsets[q]); e < static_cast<std::size_t>(k.offsets[q + 1]); ++e)
            k.codes[e] = static_cast<std::int32_t>(
                std::lower_bound(k.levels.begin(), k.levels.end(), grades[e]) - k.levels.begin());
        const auto first = k.pool.begin() + k.offsets[q];
        const auto last = std::copy(k.codes.begin() + k.offsets[q], k.codes.begin() + k.offsets[q + 1], first);
        std::sort(first, last, std::greater<>{});
    });
    columns_ = {k.levels, k.offsets, k.pool, k.codes, k.doc_starts, k.docs, k.table_starts, k.slots};
    kept_ = std::move(kept);
    number_queries();
}

Qrels::Qrels(std::vector<std::string> queries, const Columns& columns)
    : columns_(columns), queries_(std::move(queries)) {
    const std::size_t n = queries_.size(), entries = columns_.codes.size();
    const bool fits = columns_.offsets.size() == n + 1 && columns_.table_starts.size() == n + 1 &&
                      columns_.pool.size() == entries && columns_.doc_starts.size() == entries + 1 &&
                      columns_.offsets.back() == static_cast<std::int64_t>(entries) &&
                      columns_.doc_starts.back() == columns_.docs.size() &&
                      columns_.table_starts.back() == columns_.slots.size();
    if (!fits) throw std::invalid_argument("the columns of judgements do not fit together");
    number_queries();
}

void Qrels::number_queries() {
    index_.reserve(queries_.size());
    for (std::size_t q = 0; q < queries_.size(); ++q) index_.emplace(queries_[q], static_cast<std::int64_t>(q));
    const std::span<const double> levels = columns_.levels;
    least_judged_ = static_cast<std::int32_t>(std::lower_bound(levels.begin(), levels.end(), 0.0) - levels.begin());
}

std::int64_t Qrels::find(const std::string& query) const {
    const auto it = index_.find(query);
    return it == index_.end() ? -1 : it->second;
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
        if (same_id(doc, {columns_.docs.data() + start, columns_.doc_starts[e + 1] - start})) return columns_.codes[e];
    }
}

}  // namespace tare
