#include "core/qrels.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/text.hpp"
#include "core/threads.hpp"

namespace tare {

Qrels::Qrels(const Rows& rows, unsigned threads) {
    const std::size_t n = rows.queries().size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return rows.queries()[a] < rows.queries()[b]; });

    queries_.reserve(n);
    table_starts_.push_back(0);
    std::vector<RowRef> refs;
    std::vector<double> grades;
    offsets_.push_back(0);
    doc_starts_.push_back(0);
    for (const std::size_t q : order) {
        index_.emplace(rows.queries()[q], static_cast<std::int64_t>(queries_.size()));
        queries_.push_back(rows.queries()[q]);
        rows.gather(q, refs);
        const std::size_t mask = std::bit_ceil(2 * refs.size()) - 1;
        const std::size_t base = slots_.size();
        slots_.resize(base + mask + 1, Slot{0, -1});
        for (const RowRef r : refs) {
            const std::string_view doc = rows.doc(r);
            const std::uint64_t h = hash_id(doc);
            const auto mark = static_cast<std::uint32_t>(h >> 32);
            for (std::size_t s = h & mask;; s = (s + 1) & mask) {
                Slot& slot = slots_[base + s];
                if (slot.entry < 0) {
                    slot = {mark, static_cast<std::int32_t>(grades.size())};
                    docs_.append(doc);
                    doc_starts_.push_back(docs_.size());
                    grades.push_back(rows.row(r).value + 0.0);  // -0 becomes 0
                    break;
                }
                if (slot.mark == mark && same_id(doc, this->doc(slot.entry))) break;
            }
        }
        table_starts_.push_back(slots_.size());
        offsets_.push_back(static_cast<std::int64_t>(grades.size()));
    }
    levels_ = grades;
    std::sort(levels_.begin(), levels_.end());
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    least_judged_ = static_cast<std::int32_t>(std::lower_bound(levels_.begin(), levels_.end(), 0.0) - levels_.begin());
    codes_.resize(grades.size());
    pool_.resize(grades.size());
    for_each_index(n, threads, 64, [&](std::size_t q) {
        for (auto e = static_cast<std::size_t>(offsets_[q]); e < static_cast<std::size_t>(offsets_[q + 1]); ++e)
            codes_[e] = static_cast<std::int32_t>(
                std::lower_bound(levels_.begin(), levels_.end(), grades[e]) - levels_.begin());
        const auto first = pool_.begin() + offsets_[q];
        const auto last = std::copy(codes_.begin() + offsets_[q], codes_.begin() + offsets_[q + 1], first);
        std::sort(first, last, std::greater<>{});
    });
}

std::int64_t Qrels::find(const std::string& query) const {
    const auto it = index_.find(query);
    return it == index_.end() ? -1 : it->second;
}

std::int32_t Qrels::code(std::size_t query, std::string_view doc, std::uint64_t hash) const {
    const std::uint64_t base = table_starts_[query];
    const std::uint64_t mask = table_starts_[query + 1] - base - 1;
    const auto mark = static_cast<std::uint32_t>(hash >> 32);
    for (std::uint64_t s = hash & mask;; s = (s + 1) & mask) {
        const Slot slot = slots_[base + s];
        if (slot.entry < 0) return -1;
        if (slot.mark == mark && same_id(doc, this->doc(slot.entry)))
            return codes_[static_cast<std::size_t>(slot.entry)];
    }
}

}  // namespace tare
