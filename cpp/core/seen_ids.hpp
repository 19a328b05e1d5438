// The ids met so far within one query, to find those that come twice.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text.hpp"

namespace tare {

class SeenIds {
public:
    void reset(std::size_t expected) {
        const std::size_t wanted = std::bit_ceil(2 * expected + 2);
        if (slots_.size() < wanted) slots_.assign(wanted, {});
        mask_ = static_cast<std::uint32_t>(wanted - 1);
        count_ = 0;
        if (++round_ == 0) {  // old entries have another round, so nothing needs clearing
            slots_.assign(slots_.size(), {});
            round_ = 1;
        }
    }
    // Adds the next id. Returns the number of the earlier equal one, or -1; id_of(i) gives the i-th
    // id.
    template <class IdOf>
    std::int64_t add(std::string_view id, IdOf&& id_of) {
        return add(id, hash_id(id), id_of);
    }
    template <class IdOf>
    std::int64_t add(std::string_view id, std::uint64_t hash, IdOf&& id_of) {
        const auto mark = static_cast<std::uint32_t>(hash >> 32);
        for (auto s = static_cast<std::uint32_t>(hash) & mask_;; s = (s + 1) & mask_) {
            Slot& slot = slots_[s];
            if (slot.round != round_) {
                slot = {round_, mark, count_++};
                return -1;
            }
            if (slot.mark == mark && same_id(id_of(slot.number), id)) {
                ++count_;
                return slot.number;
            }
        }
    }

private:
    struct Slot {
        std::uint32_t round = 0, mark = 0, number = 0;
    };
    std::vector<Slot> slots_;
    std::uint32_t mask_ = 0, round_ = 0, count_ = 0;
};

}  // namespace tare
