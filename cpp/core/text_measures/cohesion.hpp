// How the sentences of a text hang together: terms, lengths and terms shared by pairs of sentences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/text_measures/rouge.hpp"

namespace tare::text {

struct Cohesion {
    std::vector<double> term_entropy, sentence_entropy;  // bits, one value per text
    std::vector<std::int64_t> tokens, distinct;          // one value per text
    std::vector<std::int64_t> sentences;  // sentences with at least one token, one value per text
    std::vector<double> shared;           // a matrix sentences × sentences a text, row by row
    std::vector<std::int64_t> offsets;    // of the matrices in `shared`; texts + 1
};

// `first` is not looked at: every text is taken by itself.
Cohesion cohesion(const TextItems& items, const Profile& profile, unsigned threads);

}  // namespace tare::text
