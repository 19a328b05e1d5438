// Ranks of some documents of a ranking, found from all its scores.
#pragma once

#include <cstdint>
#include <span>

namespace tare {

// Sets the rank of each hit: one more than the number of larger scores. Each hit is one of
// `scores`. Returns false, with ranks undefined, if a hit shares its score with another document.
bool rank_hits(std::span<const float> scores, std::span<const float> hits,
               std::span<std::int32_t> ranks);

}  // namespace tare
