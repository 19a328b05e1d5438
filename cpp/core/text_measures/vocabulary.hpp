// Tokens as numbers: raw tokens are looked up once, stemmed once, and numbered afresh for each
// item.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/seams.hpp"
#include "core/text.hpp"
#include "core/text_measures/profile.hpp"

namespace tare::text {

class Vocabulary {
public:
    static constexpr std::uint32_t dropped = 0xffffffff;

    explicit Vocabulary(const Profile& profile) : profile_(profile) { clear(); }

    // Begins a new item: numbers start from 0 again.
    void start_item() {
        ++item_;
        used_ = 0;
        if (raw_.bytes.size() > seams.vocabulary_bytes) clear();
    }
    std::uint32_t size() const { return used_; }

    // The number of a token's form in this item; `dropped` for a stop word.
    std::uint32_t number(std::string_view token) {
        const std::uint32_t raw = raw_.find_or_add(token);
        if (raw == form_of_.size()) form_of_.push_back(add_form(token));
        const std::uint32_t form = form_of_[raw];
        if (form == dropped) return dropped;
        Numbered& n = numbered_[form];
        if (n.item != item_) n = {item_, used_++};
        return n.number;
    }

private:
    // Strings by number, in order of arrival: open addressing over one buffer of bytes.
    struct Strings {
        struct Slot {
            std::uint64_t hash;
            std::uint32_t start, length, number;
        };
        static constexpr std::uint32_t vacant = 0xffffffff;
        std::vector<Slot> slots = std::vector<Slot>(4096, Slot{0, 0, 0, vacant});
        std::string bytes;
        std::uint32_t count = 0;

        std::uint32_t find_or_add(std::string_view text) {
            const std::uint64_t hash = hash_id(text);
            std::size_t at = hash & (slots.size() - 1);
            for (; slots[at].number != vacant; at = (at + 1) & (slots.size() - 1)) {
                const Slot& s = slots[at];
                if (s.hash == hash && same_id({bytes.data() + s.start, s.length}, text))
                    return s.number;
            }
            const auto start = static_cast<std::uint32_t>(bytes.size());
            slots[at] = {hash, start, static_cast<std::uint32_t>(text.size()), count};
            bytes += text;
            if (2 * ++count > slots.size()) grow();
            return count - 1;
        }
        void grow() {
            std::vector<Slot> old(2 * slots.size(), Slot{0, 0, 0, vacant});
            old.swap(slots);
            for (const Slot& s : old) {
                if (s.number == vacant) continue;
                std::size_t at = s.hash & (slots.size() - 1);
                while (slots[at].number != vacant) at = (at + 1) & (slots.size() - 1);
                slots[at] = s;
            }
        }
    };
    struct Numbered {
        std::uint64_t item;
        std::uint32_t number;
    };

    std::uint32_t add_form(std::string_view token) {
        if (profile_.drops(token)) return dropped;
        const std::uint32_t form = forms_.find_or_add(profile_.form_of(token));
        if (form == numbered_.size()) numbered_.push_back({0, 0});
        return form;
    }
    void clear() {
        raw_ = {};
        forms_ = {};
        form_of_.clear();
        numbered_.clear();
    }

    const Profile& profile_;
    Strings raw_, forms_;
    std::vector<std::uint32_t> form_of_;
    std::vector<Numbered> numbered_;
    std::uint64_t item_ = 0;
    std::uint32_t used_ = 0;
};

}  // namespace tare::text
