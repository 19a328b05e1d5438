// Ids and their numbers, and their order.
#include "core/id_table.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/id_order.hpp"
#include "core/seams.hpp"

namespace tare::tests {
namespace {

// Ids of all lengths: empty, with a common beginning, of bytes beyond ASCII, and with a NUL.
std::vector<std::string> many_ids() {
    std::vector<std::string> ids{"",     "a",       std::string("a\0", 2), std::string("a\0b", 3),
                                 "\xff", "\xc3\xa9"};
    for (int i = 0; i < 3000; ++i) ids.push_back("query-" + std::to_string(i * 7919 % 3001));
    for (int i = 0; i < 40; ++i) ids.push_back(std::string(static_cast<std::size_t>(i), 'a') + "z");
    return ids;
}

IdTable table_of(const std::vector<std::string>& ids) {
    IdTable table;
    for (const std::string& id : ids) table.add(id, hash_id(id));
    return table;
}

}  // namespace

void id_table() {
    const std::vector<std::string> ids = many_ids();
    std::map<std::string, std::uint32_t> known;
    IdTable table;
    CHECK(table.find("a") == -1 && table.size() == 0);
    for (int round = 0; round < 2; ++round)
        for (const std::string& id : ids) {
            const auto [it, fresh] =
                known.try_emplace(id, static_cast<std::uint32_t>(known.size()));
            const auto added = table.add(id, hash_id(id));
            CHECK(added.first == it->second && added.second == fresh);
        }
    CHECK(table.size() == known.size());
    for (const auto& [id, number] : known) CHECK(table.find(id) == number && table[number] == id);
    CHECK(table.find("query-") == -1 && table.find("zz") == -1);

    // Equal marks: only the ids themselves differ.
    IdTable same;
    for (int i = 0; i < 40; ++i)
        CHECK(same.add(std::to_string(i), 0xffffffff00000000ULL).first ==
              static_cast<std::uint32_t>(i));
    for (int i = 0; i < 40; ++i) CHECK(same.find(std::to_string(i), 0xffffffff00000000ULL) == i);
    CHECK(same.find("40", 0xffffffff00000000ULL) == -1);
}

void id_order() {
    const Seams usual = seams;
    for (std::vector<std::string> ids :
         {many_ids(), std::vector<std::string>{}, std::vector<std::string>{"b"},
          std::vector<std::string>{"a", "b", "c"},
          std::vector<std::string>{"same", "samea", "sam", "sameb"}}) {
        const IdTable table = table_of(ids);
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        for (const std::size_t least : {std::size_t{1}, std::size_t{3}, usual.sorted_ids})
            for (const unsigned threads : {1U, 2U, 3U, 5U}) {
                seams.sorted_ids = least;
                const std::vector<std::uint32_t> order = ascending(table, threads);
                CHECK(std::equal(order.begin(), order.end(), ids.begin(), ids.end(),
                                 [&](std::uint32_t number, const std::string& id) {
                                     return table[number] == id;
                                 }));
            }
    }
    seams = usual;
}

}  // namespace tare::tests
