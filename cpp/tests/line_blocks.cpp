// Whole lines out of blocks of any size; problems by their lines.
#include "core/line_blocks.hpp"

#include <string>

#include "check.hpp"
#include "core/problems.hpp"

namespace tare::tests {
namespace {

// All lines of a text that comes in blocks of one size; '!' stands for a line that is too long.
std::string lines_of(std::string_view text, std::size_t size) {
    LineBlocks blocks;
    std::string out;
    const auto lines = [&](std::string_view whole) {
        CHECK(!whole.empty() && whole.back() == '\n');
        out += whole;
    };
    const auto too_long = [&] { out += "!\n"; };
    for (std::size_t i = 0; i < text.size(); i += size)
        blocks.feed(text.substr(i, size), lines, too_long);
    blocks.finish(lines, too_long);
    return out;
}

}  // namespace

void line_blocks() {
    for (const std::size_t size : {1, 2, 3, 4, 7, 64}) {
        CHECK(lines_of("a\nbb\n\nccc\n", size) == "a\nbb\n\nccc\n");
        CHECK(lines_of("a\nlast", size) == "a\nlast\n");
        CHECK(lines_of("\xef\xbb\xbf"
                       "a\nb",
                       size) == "a\nb\n");
        CHECK(lines_of("\xef\xbb\xbf", size).empty());
        CHECK(lines_of("\xef\xbb", size) == "\xef\xbb\n");
        CHECK(lines_of("", size).empty());
    }
    const std::string longest(LineBlocks::longest_line, 'x');
    for (const std::size_t size :
         {std::size_t{1000}, longest.size(), longest.size() + 1, 3 * longest.size()}) {
        CHECK(lines_of("a\n" + longest + "\nb\n", size) == "a\n" + longest + "\nb\n");
        // A line within one block is left to the parser, which tells its length.
        if (size <= longest.size())
            CHECK(lines_of("a\n" + longest + "x\nb\n", size) == "a\n!\nb\n");
    }
    CHECK(lines_of(longest + "xx", 4096) == "!\n");

    for (std::size_t pieces = 1; pieces < 9; ++pieces) {
        const std::string text = "a\nbb\nccc\ndddd\neeeee\n";
        std::string joined;
        for (const std::string_view part : cut_lines(text, pieces)) {
            CHECK(part.back() == '\n');
            joined += part;
        }
        CHECK(joined == text);
    }
    CHECK(cut_lines("", 3).empty());
}

void problems() {
    Problems first, second;
    for (std::uint64_t line = 100; line > 0; --line) first.add(line, Fault::bad_number, "x");
    CHECK(first.count == 100 && first.first.size() == Problems::kept);
    CHECK(first.first.front().line == 1 && first.first.back().line == 20);
    second.add_duplicate(7, 3, std::string(500, 'q'), "d");
    CHECK(second.first[0].detail.size() == 202);
    Problems all;
    all.append(second, 10);
    all.append(first, 30);
    CHECK(all.count == 101);
    CHECK(all.first[0].line == 17 && all.first[0].earlier == 13);
    CHECK(all.first[1].line == 31 && all.first[1].earlier == 0);
}

}  // namespace tare::tests
