// TREC text into rows, for any size of blocks and number of threads.
#include "core/trec_text.hpp"

#include <string>

#include "check.hpp"
#include "core/chance/random.hpp"

namespace tare::tests {
namespace {

// Everything that a reader found, as one text.
std::string told(std::string_view text, Layout layout, std::size_t size, unsigned threads) {
    TrecReader reader(layout, threads);
    for (std::size_t i = 0; i < text.size(); i += size) reader.feed(text.substr(i, size));
    reader.finish();
    const Rows& rows = reader.rows();
    std::string out = reader.tag() + " " + std::to_string(reader.lines()) + " " +
                      std::to_string(reader.extra_fields()) + " " +
                      std::to_string(reader.rank_conflicts());
    std::vector<RowRef> refs;
    for (std::size_t q = 0; q < rows.queries().size(); ++q) {
        rows.gather(q, refs);
        for (const RowRef r : refs)
            out += "\n" + std::string(rows.queries()[q]) + "|" + std::string(rows.doc(r)) + "|" +
                   std::to_string(rows.row(r).value) + "|" + std::to_string(rows.line(r));
    }
    for (const Problem& p : reader.problems().first)
        out += "\n" + std::to_string(p.line) + " " + fault_name(p.fault) + " " + p.detail;
    return out + "\n" + std::to_string(rows.digest(threads));
}

}  // namespace

void trec_text() {
    TrecText plain;
    const std::string_view small =
        "q1 Q0 a 1 2.5 t\n# c\nq1 Q0 b 2 1.5 t\nq2\tQ0  c 1 -1 last more\r\nq2 Q0 d\n";
    parse_trec(small, Layout::run, plain);
    CHECK(plain.segment.rows.size() == 3 && plain.segment.pieces.size() == 2);
    CHECK(plain.segment.doc(plain.segment.rows[2]) == "c" && plain.segment.rows[2].value == -1);
    CHECK(plain.segment.line_of(0) == 1 && plain.segment.line_of(1) == 3 &&
          plain.segment.line_of(2) == 4);
    CHECK(plain.tag == "last" && plain.lines == 5 && plain.extra_fields == 1);
    CHECK(plain.problems.count == 1 && plain.problems.first[0].fault == Fault::too_few_fields);

    const char* const lines[] = {
        "q1 Q0 a 1 3.5 t",
        "q1 Q0 b 2 2.5 t",
        "q1  Q0\tc 3 1 t\r",
        "q2 Q0 a 1 -1e3 last",
        "# c",
        "",
        "  ",
        "q1 Q0 a 1 3.5",
        "q2 Q0 \xff 1 2 t",
        "q3 Q0 a 9 nan t",
        "q3 Q0 z 2 1 t",
        "x\ry",
        "q2 Q0 a-name-longer-than-one-look-of-sixty-four-bytes-so-that-two-are-needed 2 99 t more"};
    RandomStream random(3, 1);
    bool alike = true;
    for (int round = 0; round < 100; ++round) {
        std::string text;
        for (std::uint64_t n = random.below(30); n > 0; --n)
            text += std::string(lines[random.below(13)]) + "\n";
        for (const Layout layout : {Layout::run, Layout::qrels}) {
            const std::string whole = told(text, layout, text.size() + 1, 1);
            for (const std::size_t size : {1, 2, 3, 5, 17, 64})
                alike &= told(text, layout, size, 1) == whole;
        }
    }
    CHECK(alike);

    std::string large;
    for (int i = 0; i < 30000; ++i)
        large += "q" + std::to_string(i / 100) + " Q0 document-" + std::to_string(i) + " " +
                 std::to_string(i % 100) + " " + std::to_string(i % 7) + " t\n";
    const std::string whole = told(large, Layout::run, large.size(), 1);
    for (const unsigned threads : {2u, 5u})
        for (const std::size_t size : {large.size(), std::size_t{100003}})
            CHECK(told(large, Layout::run, size, threads) == whole);
}

}  // namespace tare::tests
