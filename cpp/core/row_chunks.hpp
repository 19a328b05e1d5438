// Rows as bytes: written to buckets by the hash of their query, and read back.
//
// A run that is larger than memory goes through here: its rows are dealt to buckets, all rows of a
// query to the same one, in the order given and with their lines, and each bucket becomes rows
// again alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/rows.hpp"

namespace tare {

// Which of so many buckets holds a query; the same on every machine.
std::size_t bucket_of(std::string_view query, std::size_t buckets);

// The rows of each bucket; `lines_before` is added to their lines.
std::vector<std::string> split_rows(const Rows& rows, std::size_t buckets,
                                    std::uint64_t lines_before, unsigned threads);

// Rows of chunks that split_rows wrote. Throws std::invalid_argument where one is damaged.
Rows join_chunks(std::span<const std::string_view> chunks);

}  // namespace tare
