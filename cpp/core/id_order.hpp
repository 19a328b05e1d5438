// The ascending order of ids.
#pragma once

#include <cstdint>
#include <vector>

#include "core/id_table.hpp"

namespace tare {

// The numbers of the ids, in ascending order of their bytes.
std::vector<std::uint32_t> ascending(const IdTable& ids, unsigned threads);

}  // namespace tare
