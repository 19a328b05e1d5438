// LETOR text, fuzzed: whatever the blocks and threads, the same matrix, grades and problems.
#include "core/letor.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include "fuzz/input.hpp"

namespace {

using namespace tare;

std::string told(std::string_view text, std::size_t size, unsigned threads) {
    LetorReader reader(true, threads);
    for (std::size_t i = 0; i < text.size(); i += size) reader.feed(text.substr(i, size));
    reader.finish();
    const Letor& letor = reader.letor();
    std::string out = std::to_string(reader.lines()) + " " + std::to_string(reader.rows());
    for (const Problem& p : reader.problems().first)
        out += "\n" + std::to_string(p.line) + " " + fault_name(p.fault) + " " + p.detail;
    if (reader.problems().count > 0) return out;
    for (const double grade : letor.grades)
        out.append(reinterpret_cast<const char*>(&grade), sizeof grade);
    for (const std::int64_t offset : letor.offsets) out += " " + std::to_string(offset);
    for (const std::string& query : letor.queries) out += "|" + query;
    for (const std::string& document : letor.documents) out += "|" + document;
    return out;
}

// Ids of features in the ten thousands are right, and their matrices large: too slow to search
// with.
bool has_wide_rows(std::string_view text) {
    int digits = 0;
    for (const char c : text) {
        if (c == ':' && digits > 4) return true;
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    }
    return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tare::fuzz::Input input(data, size);
    const std::size_t block = 1 + input.choose(40);
    const unsigned threads = 1 + input.choose(4);
    const Seams sizes = input.sizes();
    const std::string_view text = input.rest();
    if (text.size() > 4096 || has_wide_rows(text)) return 0;
    if (told(text, text.size() + 1, 1) !=
        fuzz::cut(sizes, [&] { return told(text, block, threads); }))
        std::abort();
    return 0;
}
