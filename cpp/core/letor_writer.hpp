// LETOR data as text again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tare {

struct LetorRows {  // the rows of one query
    std::string_view query;
    std::span<const double> grades;
    std::span<const float> features;              // grades.size() rows
    std::span<const std::string_view> documents;  // none, or one a row, perhaps empty
};

// Writes every feature, numbered from 1, with as few digits as read back to the same number.
void write_letor(const LetorRows& rows, std::string& out);

}  // namespace tare
