// Rows dealt to buckets and back: every row once, in order, with its line.
#include "core/row_chunks.hpp"

#include <stdexcept>
#include <string>

#include "check.hpp"
#include "collection.hpp"

namespace tare::tests {
namespace {

std::string told(const Rows& rows, std::size_t query) {
    std::vector<RowRef> refs;
    rows.gather(query, refs);
    std::string out(rows.queries()[query]);
    for (const RowRef r : refs)
        out += " " + std::string(rows.doc(r)) + ":" + std::to_string(rows.row(r).value) + ":" +
               std::to_string(rows.line(r));
    return out;
}

}  // namespace

void row_chunks() {
    const Rows rows = rows_of(
        {{"q1", "a", 1}, {"q2", "bb", -2.5}, {"q1", "", 0.1}, {"q3", "a", 1}, {"q2", "c", 3}});
    for (const std::size_t buckets : {1, 2, 3, 100}) {
        std::uint64_t sum = 0;
        std::size_t found = 0;
        const auto chunks = split_rows(rows, buckets, 0, 2);
        CHECK(chunks.size() == buckets);
        for (std::size_t b = 0; b < buckets; ++b) {
            const std::string_view views[] = {chunks[b]};
            const Rows part = join_chunks(views);
            sum += part.digest_sum(1);
            found += part.size();
            for (std::size_t q = 0; q < part.queries().size(); ++q) {
                CHECK(bucket_of(part.queries()[q], buckets) == b);
                CHECK(told(part, q) ==
                      told(rows, static_cast<std::size_t>(rows.find(part.queries()[q]))));
            }
        }
        CHECK(found == rows.size());
        CHECK(Rows::digest_of(sum) == rows.digest(1));
    }
    const auto shifted = split_rows(rows, 1, 1000, 1);
    const std::string_view whole[] = {shifted[0]}, twice[] = {shifted[0], shifted[0]};
    CHECK(join_chunks(whole).line({0, 4}) == 1005);
    CHECK(join_chunks(twice).size() == 10 && join_chunks({}).size() == 0);
    for (const std::size_t kept :
         {std::size_t{1}, std::size_t{15}, std::size_t{20}, shifted[0].size() - 1}) {
        const std::string_view damaged[] = {std::string_view(shifted[0]).substr(0, kept)};
        bool refused = false;
        try {
            join_chunks(damaged);
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
}

}  // namespace tare::tests
