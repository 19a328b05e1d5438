// Where text and work are cut: the size of every block, share and chunk.
//
// No result depends on these sizes. Tests set them to a few bytes, so that a file of ten lines is
// cut in as many places as one of a gigabyte. They are changed only while no work is going on.
#pragma once

#include <cstddef>

namespace tare {

struct Seams {
    std::size_t judging_share =
        2 << 20;  // bytes of a run that a thread parses and judges at once, within its cache
    std::size_t trec_share = 1 << 16;  // least bytes of TREC text for a thread
    std::size_t letor_batch =
        4 << 20;  // bytes of LETOR text that are parsed before they are stored
    std::size_t letor_share = 1 << 16;   // least bytes of LETOR text for a thread
    std::size_t segment_rows = 1 << 22;  // rows of a segment, whose ids are counted with 32 bits
    std::size_t sorted_ids = 1 << 16;    // least ids that a thread sorts
    std::size_t json_rows = 1 << 16;     // the same of a segment that is read from JSON
    std::size_t subsequence_words =
        1 << 22;  // of 64 bits, that a longest common subsequence holds at once
    std::size_t weighted_cells = 1 << 26;  // the same of a weighted one
    std::size_t skip_pairs = 1 << 22;      // pairs of words held in a table at once
    std::size_t vocabulary_bytes =
        1 << 27;  // of words that a thread remembers from one text to the next
    std::size_t alpha_rows =
        1 << 14;  // units and values of ratings up to which draws of α are made in blocks
    std::size_t subsets = 16;  // of features, fitted by a thread at once
    std::size_t grain = 0;     // tasks that a thread takes at once; 0 = what each loop asks for
    bool deal = false;  // tasks are dealt to threads in turn and begin together, so that each
                        // thread gets some
};

inline Seams seams;

}  // namespace tare
