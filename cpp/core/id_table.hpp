// Ids, numbered in the order in which they were added: their bytes one after the other, and a table
// that finds them.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace tare {

class IdTable {
public:
    std::size_t size() const { return starts_.size() - 1; }
    bool empty() const { return size() == 0; }
    std::string_view operator[](std::size_t number) const {
        return {bytes_.data() + starts_[number], starts_[number + 1] - starts_[number]};
    }

    // The number of an id, or -1.
    std::int64_t find(std::string_view id) const { return find(id, hash_id(id)); }
    std::int64_t find(std::string_view id, std::uint64_t hash) const {
        if (slots_.empty()) return -1;
        const Slot& slot = slots_[place_of(id, mark_of(hash))];
        return slot.number == free_slot ? -1 : static_cast<std::int64_t>(slot.number);
    }

    // The number of an id, which is added if it is new, and whether it was.
    std::pair<std::uint32_t, bool> add(std::string_view id, std::uint64_t hash) {
        if (4 * (size() + 1) > 3 * slots_.size()) grow();
        const std::uint32_t mark = mark_of(hash);
        Slot& slot = slots_[place_of(id, mark)];
        if (slot.number != free_slot) return {slot.number, false};
        if (size() >= free_slot) throw std::length_error("more than 2^32 ids");
        slot = {mark, static_cast<std::uint32_t>(size())};
        bytes_.append(id);
        starts_.push_back(bytes_.size());
        return {slot.number, true};
    }

    // Tells the processor that an id with this hash is looked for soon.
    void expect(std::uint64_t hash) const {
#if defined(__GNUC__)
        if (!slots_.empty()) __builtin_prefetch(&slots_[mark_of(hash) >> shift_]);
#else
        static_cast<void>(hash);
#endif
    }

private:
    // Slots are in the order of the upper bits of the marks, so that a larger table is filled from
    // front to back.
    struct Slot {
        std::uint32_t mark = 0, number = free_slot;
    };
    static constexpr std::uint32_t free_slot = std::numeric_limits<std::uint32_t>::max();

    static std::uint32_t mark_of(std::uint64_t hash) {
        return static_cast<std::uint32_t>(hash >> 32);
    }

    // Where an id is, or the free slot where it would be.
    std::size_t place_of(std::string_view id, std::uint32_t mark) const {
        for (std::size_t s = mark >> shift_;; s = s + 1 == slots_.size() ? 0 : s + 1) {
            const Slot& slot = slots_[s];
            if (slot.number == free_slot ||
                (slot.mark == mark && same_id((*this)[slot.number], id)))
                return s;
        }
    }
    void grow() {
        const std::vector<Slot> old = std::move(slots_);
        shift_ = old.empty() ? 28 : shift_ - 1;
        if (shift_ == 0) throw std::length_error("more than 2^31 ids");
        slots_.assign(std::size_t{1} << (32 - shift_), Slot{});
        for (const Slot& slot : old) {
            if (slot.number == free_slot) continue;
            std::size_t s = slot.mark >> shift_;
            while (slots_[s].number != free_slot) s = s + 1 == slots_.size() ? 0 : s + 1;
            slots_[s] = slot;
        }
    }

    std::string bytes_;
    std::vector<std::uint64_t> starts_{0};
    std::vector<Slot> slots_;
    unsigned shift_ = 32;
};

}  // namespace tare
