// Porter's stemmer in the two variants that the ROUGE programs use.
#pragma once

#include <string>
#include <string_view>

namespace tare::text {

enum class Stemmer { none, nltk, lin2004 };

// The variant of NLTK (its default mode), which google's rouge-score calls.
std::string stem_nltk(std::string_view word);

// The variant inside ROUGE-1.5.5: in step 4 three rules run one after another.
std::string stem_lin2004(std::string_view word);

}  // namespace tare::text
