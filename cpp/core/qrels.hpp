// Judgements of one collection: for each query the judged documents and their grades.
//
// Grades are kept as codes: indexes into `levels`, the distinct grades in ascending order. So any
// real number may be a grade, and a gain is a look-up.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/rows.hpp"

namespace tare {

class Qrels {
public:
    // Rows are indexed by query, queries in ascending order of their ids; a later duplicate is left out.
    Qrels(const Rows& rows, unsigned threads);

    const std::vector<std::string>& queries() const { return queries_; }
    const std::vector<double>& levels() const { return levels_; }
    // The least code of a grade that is not negative: a negative one means "pooled, not judged".
    std::int32_t least_judged() const { return least_judged_; }
    const std::vector<std::int64_t>& offsets() const { return offsets_; }
    // The codes of all judged documents of a query, best grade first.
    std::span<const std::int32_t> pool(std::size_t query) const {
        return {pool_.data() + offsets_[query], static_cast<std::size_t>(offsets_[query + 1] - offsets_[query])};
    }
    const std::vector<std::int32_t>& pool() const { return pool_; }
    // The index of a query, or -1.
    std::int64_t find(const std::string& query) const;
    // The code of a document's grade, or -1 where it was not judged.
    std::int32_t code(std::size_t query, std::string_view doc, std::uint64_t hash) const;

private:
    struct Slot {
        std::uint32_t mark;  // of the hash
        std::int32_t entry;  // -1 = free
    };
    std::string_view doc(std::int32_t entry) const {
        const auto e = static_cast<std::size_t>(entry);
        return {docs_.data() + doc_starts_[e], doc_starts_[e + 1] - doc_starts_[e]};
    }
    std::vector<std::string> queries_;
    std::unordered_map<std::string, std::int64_t> index_;
    std::vector<double> levels_;
    std::int32_t least_judged_ = 0;
    std::vector<std::int64_t> offsets_;
    std::vector<std::int32_t> pool_;
    std::vector<std::int32_t> codes_;  // by entry
    std::vector<std::uint64_t> doc_starts_;
    std::string docs_;
    std::vector<std::uint64_t> table_starts_;
    std::vector<Slot> slots_;
};

}  // namespace tare
