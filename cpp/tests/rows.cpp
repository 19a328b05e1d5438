// Pieces of queries: whichever query comes again, and whenever, its rows are found in the order
// given.
#include "core/rows.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "core/chance/random.hpp"

namespace tare::tests {

namespace {

// Ids that begin after 4 GiB of text; memory that is not written is not used.
void long_texts() {
    constexpr std::uint64_t start = (std::uint64_t{1} << 32) + 5;
    auto* text = static_cast<char*>(std::malloc(start + 8));
    if (text == nullptr) return;
    std::memcpy(text + start, "behind", 6);
    std::memcpy(text + 5, "before", 6);
    Segment segment;
    segment.base = segment.query_base = text;
    segment.pieces.push_back({5, 6, 0, 2});
    segment.rows.emplace_back(1, start, 6);
    segment.rows.emplace_back(2, 5, 6);
    CHECK(segment.doc(segment.rows[0]) == "behind");
    segment.own();
    std::free(text);
    CHECK(segment.doc(segment.rows[0]) == "behind" && segment.doc(segment.rows[1]) == "before");
    const auto refused = [](std::uint64_t from, std::uint64_t length) {
        try {
            (void)Row(0, from, length);
        } catch (const std::length_error&) {
            return true;
        }
        return false;
    };
    CHECK(refused(Row::most_text, 1) && !refused(Row::most_text - 1, 1));
    CHECK(refused(0, Row::longest_id + 1) && !refused(0, Row::longest_id));
}

}  // namespace

void rows() {
    long_texts();
    for (std::uint64_t trial = 0; trial < 300; ++trial) {
        RandomStream random(7, trial);
        // Of a few queries most come again; of 2^40 hardly one does; of those between, some late.
        const std::uint64_t queries = trial % 3 == 0   ? 3
                                      : trial % 3 == 1 ? 60
                                                       : std::uint64_t{1} << 40;
        Rows rows;
        std::map<std::string, std::vector<double>> expected;
        std::vector<std::string> order;
        double value = 0;
        for (int s = 0; s < 4; ++s) {
            Segment segment;
            for (std::uint64_t n = random.next() % 8; n > 0; --n) {
                const std::string query = std::to_string(random.next() % queries);
                if (!expected.contains(query)) order.push_back(query);
                for (std::uint64_t row = random.next() % 3 + 1; row > 0; --row) {
                    segment.add(query, "d", ++value);
                    expected[query].push_back(value);
                }
            }
            rows.take(std::move(segment));
            Rows moved = std::move(rows);  // all that it knows goes with it
            rows = std::move(moved);
        }
        CHECK(rows.queries().size() == order.size());
        std::vector<RowRef> refs;
        for (std::size_t q = 0; q < order.size(); ++q) {
            CHECK(rows.queries()[q] == order[q]);
            rows.gather(q, refs);
            CHECK(refs.size() == expected[order[q]].size() && rows.rows_of(q) == refs.size());
            for (std::size_t i = 0; i < refs.size(); ++i)
                CHECK(rows.row(refs[i]).value == expected[order[q]][i]);
        }
        std::map<std::string, std::size_t> in_pieces;
        for (std::size_t p = 0; p < rows.pieces().size(); ++p)
            in_pieces[std::string(rows.queries()[rows.query_of(p)])] += rows.pieces()[p].count;
        CHECK(in_pieces.size() == order.size());
        for (const auto& [query, count] : in_pieces) CHECK(count == expected[query].size());
    }
}

}  // namespace tare::tests
