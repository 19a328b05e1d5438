// Fields, ids, UTF-8, and the blanks among 64 bytes.
#include "core/text.hpp"

#include <string>
#include <vector>

#include "check.hpp"
#include "core/blank_mask.hpp"
#include "core/seen_ids.hpp"

namespace tare::tests {
namespace {

std::vector<std::string> fields(std::string_view line) {
    std::vector<std::string> out;
    const char* p = line.data();
    const char* const end = p + line.size();
    for (;;) {
        const std::string_view field = next_field(p, end);
        if (field.empty()) return out;
        out.emplace_back(field);
    }
}

}  // namespace

void text() {
    CHECK((fields(" a\tb  \v c\r") == std::vector<std::string>{"a", "b", "c"}));
    CHECK(fields("   ").empty());

    for (const char* good : {"", "abc", "é", "文書", "😀", "\xf4\x8f\xbf\xbf"})
        CHECK(is_utf8(good));
    for (const char* bad : {"\x80", "\xff", "caf\xe9", "\xc3", "\xc0\xaf", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xe2\x82"})
        CHECK(!is_utf8(bad));
    CHECK(is_ascii("plain") && !is_ascii("é"));

    bool same = true, different = true, hashed = true;
    for (std::size_t n = 0; n < 40; ++n) {
        const std::string id(n, 'x'), copy = id;
        same &= same_id(id, copy) && hash_id(id) == hash_id(copy);
        for (std::size_t i = 0; i < n; ++i) {
            std::string other = id;
            other[i] = 'y';
            different &= !same_id(id, other);
            hashed &= hash_id(id) != hash_id(other);
        }
        different &= !same_id(id, id + "x");
        hashed &= hash_id(id) != hash_id(id + "x");
    }
    CHECK(same);
    CHECK(different);
    CHECK(hashed);
    CHECK(hash_id("a") != hash_id(std::string_view("a\0", 2)));

    std::string bytes(64, 'x');
    bytes[0] = ' ';
    bytes[17] = '\t';
    bytes[63] = '\n';
    bytes[40] = '\0';
    bytes[41] = static_cast<char>(0xe9);
    CHECK(blank_mask(bytes.data()) == ((1ULL << 0) | (1ULL << 17) | (1ULL << 40) | (1ULL << 63)));

    SeenIds seen;
    for (int round = 0; round < 3; ++round) {
        const std::vector<std::string> ids = {"a", "b", "a", "c", "b"};
        seen.reset(ids.size());
        std::vector<std::int64_t> found;
        for (const std::string& id : ids)
            found.push_back(
                seen.add(id, [&](std::uint32_t i) { return std::string_view(ids[i]); }));
        CHECK((found == std::vector<std::int64_t>{-1, -1, 0, -1, 1}));
    }
}

}  // namespace tare::tests
