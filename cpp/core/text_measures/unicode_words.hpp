// Words of any script: the word boundaries of UAX #29, and simple case folding.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tare::text {

// The words of a line, case folded; segments without a letter or number are none. The tokens point
// into `scratch`. Bytes that are not UTF-8 stand between words.
void unicode_words(std::string_view line, std::string& scratch,
                   std::vector<std::string_view>& tokens);

}  // namespace tare::text
