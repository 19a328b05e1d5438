// Texts to compare, fuzzed: tokens of any profile, and every count of ROUGE for any number of
// threads.
#include <cstdlib>
#include <string>
#include <vector>

#include "core/text_measures/rouge.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tare::text;
    tare::fuzz::Input input(data, size);
    Profile profile;
    profile.splitting = static_cast<Splitting>(input.choose(5));
    profile.stemmer = static_cast<Stemmer>(input.choose(3));
    profile.most_words = input.choose(8);
    profile.most_bytes = profile.most_words == 0 ? input.choose(64) : 0;
    const tare::Seams sizes = input.sizes();
    const std::string_view text = input.rest();
    if (text.size() > 2000) return 0;
    // Four texts of two items, cut at zero bytes; the rest is the last one.
    std::vector<std::string_view> parts;
    std::string_view left = text;
    while (parts.size() < 3) {
        const std::size_t end = std::min(left.find('\0'), left.size());
        parts.push_back(left.substr(0, end));
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    parts.push_back(left);
    const std::vector<std::size_t> offsets{0, 1, 2, 3, 4}, first{0, 2, 4};
    const std::vector<RougeSpec> measures{
        {Counting::ngrams, 1, 0},          {Counting::ngrams, 4, 0},
        {Counting::distinct_ngrams, 2, 0}, {Counting::lcs, 0, 0},
        {Counting::union_lcs, 0, 0},       {Counting::weighted_lcs, 0, 1.2},
        {Counting::weighted_union, 0, 2},  {Counting::skip_bigrams, 4, 0},
        {Counting::skip_unigrams, -1, 0},  {Counting::skip_but_last, 4, 0},
    };
    const TextItems items{parts, offsets, first};
    const auto cut =
        tare::fuzz::cut(sizes, [&] { return rouge_counts(items, profile, measures, 3); });
    if (rouge_counts(items, profile, measures, 1) != cut) std::abort();
    return 0;
}
