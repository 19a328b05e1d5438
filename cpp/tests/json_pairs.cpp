// JSON of pairs, for any size of blocks and segments.
#include "core/json_pairs.hpp"

#include <string>

#include "check.hpp"
#include "core/chance/random.hpp"
#include "core/seams.hpp"

namespace tare::tests {
namespace {

// Everything that a reader found, as one text.
std::string told(std::string_view text, std::size_t size) {
    JsonPairs reader(true, "about");
    for (std::size_t i = 0; i < text.size() && !reader.ended(); i += size)
        reader.feed(text.substr(i, size));
    reader.finish();
    std::string out = std::string(json_fault_name(reader.fault())) + " " + reader.detail() + " " +
                      std::to_string(reader.line()) + ":" + std::to_string(reader.column()) + " " +
                      std::to_string(reader.other()) + std::to_string(reader.lists()) + " " +
                      reader.about() + " " + std::to_string(reader.repeats());
    if (reader.ended()) return out;
    std::vector<RowRef> refs;
    for (const JsonPairs::Part& part : reader.parts()) {
        for (const std::string& name : part.names) out += "\n/" + name;
        for (std::size_t q = 0; q < part.rows.queries().size(); ++q) {
            part.rows.gather(q, refs);
            for (const RowRef r : refs)
                out += "\n" + std::string(part.rows.queries()[q]) + "|" +
                       std::string(part.rows.doc(r)) + "|" +
                       std::to_string(part.rows.row(r).value) + "|" +
                       std::to_string(part.rows.line(r));
        }
    }
    return out;
}

}  // namespace

void json_pairs() {
    JsonPairs plain(true, "");
    plain.feed("{\"q\": {\"a\\u00e9\\ud83d\\ude00\": 1.5e0, \"b\": -2}}");
    plain.finish();
    CHECK(plain.fault() == JsonFault::none && !plain.other() && plain.parts().size() == 1);
    std::vector<RowRef> refs;
    const Rows& rows = plain.parts()[0].rows;
    rows.gather(0, refs);
    CHECK(refs.size() == 2 && rows.doc(refs[0]) == "a\xc3\xa9\xf0\x9f\x98\x80" &&
          rows.row(refs[0]).value == 1.5);
    CHECK(rows.row(refs[1]).value == -2 && rows.line(refs[1]) == 2);

    const char* const pieces[] = {"{",
                                  "}",
                                  "[",
                                  "]",
                                  "\"q\"",
                                  "\"\\u00e9\\\"\"",
                                  ":",
                                  ",",
                                  " \n",
                                  "1",
                                  "-0.5e-3",
                                  "01",
                                  "null",
                                  "NaN",
                                  "\"about\"",
                                  "\"\\ud83d\\ude00\"",
                                  "\"\\ud83d\"",
                                  "{\"q\":{\"d\":1}}",
                                  "{\"q\":[\"a\",\"b\",\"a\"]}",
                                  "{\"about\":{\"x\":[1,null]},\"s\":{\"q\":{\"d\":2,\"e\":3}}}"};
    // Long enough for the quick way, which reads whole pairs.
    std::string many = "{\"s\": {\"q\": {\"first\": 1";
    for (int i = 0; i < 9; ++i)
        many += ", \"d" + std::to_string(i) + "\":\n-1" + std::to_string(i) + ".25000000000000001";
    many += "}, \"r\": {\"d\": 2, \"e\": 3.5, \"f\": 1e3}}}                                ";
    RandomStream random(4, 1);
    bool alike = true;
    const Seams usual = seams;
    for (int round = 0; round < 3000; ++round) {
        std::string text = random.below(2) == 0   ? ""
                           : random.below(2) == 0 ? many
                                                  : pieces[17 + random.below(3)];
        for (std::uint64_t n = random.below(8); n > 0; --n) {
            const std::string piece = pieces[random.below(20)];
            text.insert(
                random.below(2) == 0 || text.empty() ? text.size() : random.below(text.size()),
                piece);
        }
        const std::string whole = told(text, text.size() + 1);
        for (const std::size_t size : {1, 2, 3, 7}) {
            seams.json_rows = 1 + random.below(3);
            alike &= told(text, size) == whole;
            seams = usual;
        }
    }
    CHECK(alike);
    CHECK(told(many, many.size()).find("\nq|d8|-18.250000|10") != std::string::npos);
}

}  // namespace tare::tests
