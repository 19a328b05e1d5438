// A run judged while it is read, fuzzed: whatever the blocks and threads, the same rankings and
// problems.
#include "core/judging_reader.hpp"

#include <cstdlib>
#include <string>

#include "core/trec_text.hpp"
#include "fuzz/input.hpp"

namespace {

using namespace tare;

const Qrels& qrels() {
    static const Qrels made = [] {
        TrecReader reader(Layout::qrels, 1);
        reader.feed("q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a -1\nq2 0 d 1\nq10 0 e 3\n");
        reader.finish();
        return Qrels(reader.rows(), 1);
    }();
    return made;
}

std::string told(std::string_view text, std::size_t size, JudgeOptions options, unsigned threads) {
    options.threads = threads;
    JudgingReader reader(qrels(), options);
    for (std::size_t i = 0; i < text.size(); i += size) reader.feed(text.substr(i, size));
    reader.finish();
    std::string out = reader.tag() + " " + std::to_string(reader.rows()) + " " +
                      std::to_string(reader.lines()) + " " +
                      std::to_string(reader.unknown().size());
    if (reader.interleaved()) return "interleaved";
    for (const Problem& p : reader.problems().first)
        out += "\n" + std::to_string(p.line) + " " + fault_name(p.fault);
    const Judged judged = reader.judged();
    for (const auto rank : judged.ranks) out += " " + std::to_string(rank);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tare::fuzz::Input input(data, size);
    const std::size_t block = 1 + input.choose(40);
    const unsigned threads = 1 + input.choose(4);
    const Seams sizes = input.sizes();
    const std::string_view text = input.rest();
    if (told(text, text.size() + 1, {}, 1) !=
        fuzz::cut(sizes, [&] { return told(text, block, {}, threads); }))
        std::abort();
    return 0;
}
