// TREC text, fuzzed: whatever the blocks and threads, the same rows, problems and digest.
#include "core/trec_text.hpp"

#include <cstdlib>
#include <string>

#include "fuzz/input.hpp"

namespace {

using namespace tare;

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
                   std::to_string(rows.line(r));
    }
    for (const Problem& p : reader.problems().first)
        out += "\n" + std::to_string(p.line) + " " + fault_name(p.fault) + " " + p.detail;
    const Duplicates twice = rows.duplicates(threads, 5);
    return out + "\n" + std::to_string(rows.digest(threads)) + " " + std::to_string(twice.count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tare::fuzz::Input input(data, size);
    const auto layout = static_cast<Layout>(input.choose(4));
    const std::size_t block = 1 + input.choose(40);
    const unsigned threads = 1 + input.choose(4);
    const Seams sizes = input.sizes();
    const std::string_view text = input.rest();
    if (told(text, layout, text.size() + 1, 1) !=
        fuzz::cut(sizes, [&] { return told(text, layout, block, threads); }))
        std::abort();
    return 0;
}
