// Pieces of queries: whichever query comes again, and whenever, its rows are found in the order given.
#include "core/rows.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "core/chance/random.hpp"

namespace tare::tests {

void rows() {
    for (std::uint64_t trial = 0; trial < 300; ++trial) {
        RandomStream random(7, trial);
        // Of a few queries most come again; of 2^40 hardly one does; of those between, some late.
        const std::uint64_t queries = trial % 3 == 0 ? 3 : trial % 3 == 1 ? 60 : std::uint64_t{1} << 40;
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
            for (std::size_t i = 0; i < refs.size(); ++i) CHECK(rows.row(refs[i]).value == expected[order[q]][i]);
        }
        std::map<std::string, std::size_t> in_pieces;
        for (std::size_t p = 0; p < rows.pieces().size(); ++p)
            in_pieces[std::string(rows.queries()[rows.query_of(p)])] += rows.pieces()[p].count;
        CHECK(in_pieces.size() == order.size());
        for (const auto& [query, count] : in_pieces) CHECK(count == expected[query].size());
    }
}

}  // namespace tare::tests
