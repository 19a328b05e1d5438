// An input of the fuzzer: the first bytes choose, the rest is the text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/seams.hpp"

namespace tare::fuzz {

class Input {
public:
    static constexpr std::size_t choices = 12;  // bytes, more than any fuzzer asks for

    Input(const std::uint8_t* data, std::size_t size)
        : choices_(reinterpret_cast<const char*>(data), std::min(size, choices)),
          text_(reinterpret_cast<const char*>(data) + choices_.size(), size - choices_.size()) {}

    // A number below `count`; 0 where the choices are used up.
    unsigned choose(unsigned count) {
        if (choices_.empty()) return 0;
        const auto byte = static_cast<unsigned char>(choices_.front());
        choices_.remove_prefix(1);
        return byte % count;
    }
    // Tiny sizes of shares and chunks.
    Seams sizes() {
        Seams s;
        s.judging_share = 1 + choose(256);
        s.trec_share = s.letor_share = 1 + choose(128);
        s.letor_batch = 1 + choose(256);
        s.segment_rows = s.json_rows = 1 + choose(8);
        s.subsequence_words = s.weighted_cells = 1 + choose(256);
        s.skip_pairs = s.vocabulary_bytes = 1 + choose(64);
        const unsigned dealing = choose(8);
        s.grain = dealing / 2;
        s.deal = dealing % 2 != 0;
        return s;
    }
    std::string_view rest() const { return text_; }

private:
    std::string_view choices_, text_;
};

// Calls `work` with other sizes than the usual ones.
template <class Work>
auto cut(const Seams& sizes, Work&& work) {
    const Seams before = seams;
    seams = sizes;
    auto found = work();
    seams = before;
    return found;
}

}  // namespace tare::fuzz
