// JSON of pairs, fuzzed: whatever the blocks, the same rows and the same fault.
#include "core/json_pairs.hpp"

#include <cstdlib>
#include <string>

#include "fuzz/input.hpp"

namespace {

using namespace tare;

std::string told(std::string_view text, std::size_t size) {
    JsonPairs reader(true, "about");
    for (std::size_t i = 0; i < text.size() && !reader.ended(); i += size)
        reader.feed(text.substr(i, size));
    reader.finish();
    std::string out = std::string(json_fault_name(reader.fault())) + " " + reader.detail() + " " +
                      std::to_string(reader.line()) + ":" + std::to_string(reader.column()) + " " +
                      std::to_string(reader.other()) + " " + reader.about();
    if (reader.ended()) return out;
    for (const JsonPairs::Part& part : reader.parts())
        out += "\n" + std::to_string(part.rows.size()) + " " + std::to_string(part.rows.digest(1));
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tare::fuzz::Input input(data, size);
    const std::size_t block = 1 + input.choose(40);
    const Seams sizes = input.sizes();
    const std::string_view text = input.rest();
    if (told(text, text.size() + 1) != fuzz::cut(sizes, [&] { return told(text, block); }))
        std::abort();
    return 0;
}
