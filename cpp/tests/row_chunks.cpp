// Rows as bytes and back: every row once, in order, with its line.
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
    const std::string packed = pack_rows(rows, 0), shifted = pack_rows(rows, 1000);
    const std::string_view views[] = {packed};
    const Rows again = join_chunks(views);
    CHECK(again.size() == rows.size() && again.queries().size() == rows.queries().size());
    for (std::size_t q = 0; q < again.queries().size(); ++q)
        CHECK(told(again, q) ==
              told(rows, static_cast<std::size_t>(rows.find(again.queries()[q]))));
    CHECK(again.digest(1) == rows.digest(2));
    const std::string_view whole[] = {shifted}, twice[] = {shifted, shifted};
    CHECK(join_chunks(whole).line({0, 4}) == 1005);
    CHECK(join_chunks(twice).size() == 10 && join_chunks({}).size() == 0);
    for (const std::size_t kept :
         {std::size_t{1}, std::size_t{15}, std::size_t{20}, shifted.size() - 1}) {
        const std::string_view damaged[] = {std::string_view(shifted).substr(0, kept)};
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
