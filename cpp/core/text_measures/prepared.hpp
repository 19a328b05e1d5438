// Texts made ready: the numbers of their tokens, sentence by sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_measures/vocabulary.hpp"

namespace tare::text {

using Tokens = std::span<const std::uint32_t>;

// A text as it is given: one string, or a string a sentence. Line ends part sentences in either.
using Parts = std::span<const std::string_view>;

struct Sentences {
    std::vector<std::uint32_t> tokens;
    std::vector<std::size_t> ends;  // of each sentence in `tokens`

    void clear() { tokens.clear(), ends.clear(); }
    std::size_t size() const { return ends.size(); }
    Tokens all() const { return tokens; }
    Tokens operator[](std::size_t i) const {
        const std::size_t start = i == 0 ? 0 : ends[i - 1];
        return Tokens(tokens).subspan(start, ends[i] - start);
    }
};

// With a limit of bytes ROUGE-1.5.5 cuts the text otherwise for L and W than for the rest.
struct Prepared {
    Sentences text, for_lcs;
    bool cut_otherwise = false;

    const Sentences& lcs() const { return cut_otherwise ? for_lcs : text; }
};

class Preparer {
public:
    explicit Preparer(const Profile& profile) : profile_(profile), vocabulary_(profile) {}

    void start_item() { vocabulary_.start_item(); }
    std::uint32_t vocabulary_size() const { return vocabulary_.size(); }
    void prepare(Parts parts, Prepared& out);
    // The same without the profile's limits of words and bytes.
    void prepare_whole(Parts parts, Prepared& out);

private:
    void add(std::string_view line, Sentences& out);
    bool add_words(std::string_view line, std::size_t& words, Sentences& out);

    const Profile& profile_;
    Vocabulary vocabulary_;
    std::string scratch_;
    std::vector<std::string_view> tokens_;
};

}  // namespace tare::text
