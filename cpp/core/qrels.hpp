// Judgements of one collection: for each query the judged documents and their grades.
//
// Grades are kept as codes: indexes into `levels`, the distinct grades in ascending order. So any
// real number may be a grade, and a gain is a look-up.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/id_table.hpp"
#include "core/rows.hpp"

namespace tare {

class Qrels {
public:
    struct Slot {
        std::uint32_t mark;  // of the hash
        std::int32_t entry;  // -1 = free
    };
    // All there is beside the ids of the queries: flat, so that processes can share one copy.
    struct Columns {
        std::span<const double> levels;
        std::span<const std::int64_t> offsets;
        std::span<const std::int32_t> pool;
        std::span<const std::int32_t> codes;  // by entry
        std::span<const std::uint64_t> doc_starts;
        std::span<const char> docs;
        std::span<const std::uint64_t> table_starts;
        std::span<const Slot> slots;
    };

    // Rows are indexed by query, queries in ascending order of their ids; a later duplicate is left
    // out.
    Qrels(const Rows& rows, unsigned threads);
    // Columns of other judgements, which somebody else keeps. Throws std::invalid_argument where
    // their sizes do not fit together.
    Qrels(std::span<const std::string> queries, const Columns& columns);

    std::size_t size() const { return columns_.offsets.size() - 1; }
    std::string_view query(std::size_t number) const {
        return (*ids_)[order_.empty() ? number : order_[number]];
    }
    const Columns& columns() const { return columns_; }
    std::span<const double> levels() const { return columns_.levels; }
    // The least code of a grade that is not negative: a negative one means "pooled, not judged".
    std::int32_t least_judged() const { return least_judged_; }
    std::span<const std::int64_t> offsets() const { return columns_.offsets; }
    // The codes of all judged documents, query by query, best grade first.
    std::span<const std::int32_t> pool() const { return columns_.pool; }
    // The index of a query, or -1.
    std::int64_t find(std::string_view query) const {
        const std::int64_t id = ids_->find(query);
        return id < 0 || places_.empty()
                   ? id
                   : static_cast<std::int64_t>(places_[static_cast<std::size_t>(id)]);
    }
    // The code of a document's grade, or -1 where it was not judged.
    std::int32_t code(std::size_t query, std::string_view doc, std::uint64_t hash) const;

private:
    struct Kept {
        std::vector<double> levels;
        std::vector<std::int64_t> offsets;
        std::vector<std::int32_t> pool, codes;
        std::vector<std::uint64_t> doc_starts, table_starts;
        std::string docs;
        std::vector<Slot> slots;
        std::string_view doc(std::int32_t entry) const {
            const auto e = static_cast<std::size_t>(entry);
            return {docs.data() + doc_starts[e], doc_starts[e + 1] - doc_starts[e]};
        }
    };
    void sort_queries(unsigned threads);
    void index_documents(const Rows& rows, unsigned threads, Kept& kept) const;
    void find_least_judged();
    std::unique_ptr<const Kept> kept_;  // none where the columns are somebody else's
    Columns columns_;
    std::shared_ptr<const IdTable>
        ids_;                            // of the queries, in the order in which the rows give them
    std::vector<std::uint32_t> order_;   // the ids by query; empty where both are in the same order
    std::vector<std::uint32_t> places_;  // the queries by id
    std::int32_t least_judged_ = 0;
};

}  // namespace tare
