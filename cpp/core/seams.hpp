// Where text and work are cut: every size of a block, share or chunk that can be changed.
//
// No result depends on these sizes. Tests set them to a few bytes, so that a file of ten lines is cut in as
// many places as one of a gigabyte. They are changed only while no work is going on.
#pragma once

#include <cstddef>

namespace tare {

struct Seams {
    std::size_t judging_share = 2 << 20;  // bytes of a run that a thread parses and judges at once: they stay in cache
    std::size_t grain = 0;                // tasks that a thread takes at once; 0 = what each loop asks for
    bool deal = false;                    // tasks are dealt to threads in turn, so that every thread gets some
};

inline Seams seams;

}  // namespace tare
