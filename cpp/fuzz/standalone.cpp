// Runs a fuzzer's inputs without libFuzzer: files that are named, then seeds broken in seeded ways.
//
//   fuzz_NAME COUNT SEED_FILE… [KEPT_FILE…]
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/chance/random.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string broken(std::string text, tare::RandomStream& random) {
    static const std::string pieces[] = {"\n",
                                         "\r",
                                         std::string(1, '\0'),
                                         " ",
                                         "\t",
                                         "#",
                                         "nan",
                                         "1e999",
                                         "-",
                                         ":",
                                         "qid:",
                                         "\xff",
                                         "\xc3\xa9",
                                         "\xef\xbb\xbf",
                                         "99999999999999999999",
                                         "0x1",
                                         "."};
    for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
        const std::size_t at = random.below(text.size() + 1);
        switch (random.below(6)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(random.below(256));
                break;
            case 1:
                if (at < text.size())
                    text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
                break;
            case 2:
                text.erase(at, 1 + random.below(12));
                break;
            case 3:
                text.insert(at, text.substr(at, 1 + random.below(20)));
                break;
            case 4:
                text.insert(at, pieces[random.below(std::size(pieces))]);
                break;
            default:
                text.resize(at);
        }
    }
    return text;
}

int try_input(const std::string& text) {
    return LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int count, char** values) {
    if (count < 3) return std::fprintf(stderr, "usage: %s COUNT SEED_FILE…\n", values[0]), 2;
    std::vector<std::string> seeds;
    for (int i = 2; i < count; ++i) {
        std::ifstream file(values[i], std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        try_input(seeds.back());
    }
    tare::RandomStream random(1, 1);
    const long inputs = std::atol(values[1]);
    for (long i = 0; i < inputs; ++i) {
        std::string text = broken(seeds[random.below(seeds.size())], random);
        std::string choices(tare::fuzz::Input::choices, '\0');
        for (char& c : choices) c = static_cast<char>(random.below(256));
        text.insert(0, choices);
        try_input(text);
    }
    std::printf("%s: %ld inputs and %zu seeds, nothing found\n", values[0], inputs, seeds.size());
}
