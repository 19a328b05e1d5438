// The tokens of a line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text_measures/profile.hpp"

namespace tare::text {

// Cuts a line into tokens; they point into `scratch`, which holds the line in lower case.
void tokenise(std::string_view line, Splitting splitting, std::string& scratch,
              std::vector<std::string_view>& tokens);

}  // namespace tare::text
