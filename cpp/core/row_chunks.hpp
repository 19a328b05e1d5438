// Rows as bytes and back, with their lines: how rows are sent to another process, and how the rows
// of several files become those of one run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/rows.hpp"

namespace tare {

// All rows; `lines_before` is added to their lines.
std::string pack_rows(const Rows& rows, std::uint64_t lines_before);

// Rows of chunks that pack_rows wrote. Throws std::invalid_argument where one is damaged.
Rows join_chunks(std::span<const std::string_view> chunks);

}  // namespace tare
