// Longest common subsequences, 64 cells a step.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text_measures/prepared.hpp"

namespace tare::text {

// The length of a longest common subsequence. Memory is linear in the texts: the table is walked in
// columns of 64 tokens of the shorter text, and only the carries pass from one to the next.
class LcsLength {
public:
    std::uint64_t operator()(Tokens a, Tokens b, std::uint32_t distinct);

private:
    std::vector<std::uint64_t> masks_;
    std::vector<std::uint8_t> carries_;
};

// Marks the tokens of a reference sentence that lie on a longest common subsequence with a
// candidate sentence. Of several, the one that is met when the table is walked back from its end,
// up in the reference wherever that loses nothing: the rule of ROUGE-1.5.5 and of rouge-score.
class LcsMarks {
public:
    // Begins a reference sentence, with no mark.
    void start(Tokens reference, std::uint32_t distinct);
    // Adds the marks of one candidate sentence.
    void mark(Tokens candidate);
    bool is_marked(std::size_t i) const { return marked_[i / 64] >> (i % 64) & 1; }

private:
    void mark_short(Tokens candidate);
    void mark_long(Tokens candidate);
    void step(std::uint32_t token, const std::uint64_t* from, std::uint64_t* to);

    Tokens reference_;
    std::size_t words_ = 0;
    std::vector<std::uint64_t> marked_;
    std::vector<std::uint64_t> masks_;         // by token, for references of up to 64
    std::vector<std::uint32_t> first_, next_;  // where a token stands, for longer ones
    std::vector<std::uint64_t> rows_, kept_, here_;
};

}  // namespace tare::text
