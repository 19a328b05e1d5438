// A profile: how text becomes tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/text_measures/stemmers.hpp"

namespace tare::text {

enum class Splitting {
    google,   // Python's lower case, then runs of a-z and 0-9
    ascii,    // ASCII's lower case, then runs of a-z and 0-9
    unicode,  // words of UAX #29, case folded
    blanks,   // what stands between ASCII blanks, unchanged
    lines,    // a line is a token
};

struct ViewHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
    }
};

struct Profile {
    Splitting splitting = Splitting::google;
    Stemmer stemmer = Stemmer::none;
    std::size_t longest_unstemmed = 3;  // in bytes
    std::unordered_map<std::string, std::string, ViewHash, std::equal_to<>>
        lexicon;  // asked before the stemmer
    std::unordered_set<std::string, ViewHash, std::equal_to<>>
        stop_words;                              // removed before stemming
    std::size_t most_words = 0, most_bytes = 0;  // of the raw text; 0: no limit

    std::string form_of(std::string_view token) const {
        return token.size() <= longest_unstemmed ? std::string(token) : stemmed(token);
    }
    // The stem of a word of any length.
    std::string stemmed(std::string_view token) const {
        if (const auto found = lexicon.find(token); found != lexicon.end()) return found->second;
        if (stemmer == Stemmer::nltk) return stem_nltk(token);
        if (stemmer == Stemmer::lin2004) return stem_lin2004(token);
        return std::string(token);
    }
    bool drops(std::string_view token) const {
        return !stop_words.empty() && stop_words.contains(token);
    }
};

}  // namespace tare::text
