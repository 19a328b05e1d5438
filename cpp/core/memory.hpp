// Memory that is no longer used, given back to the system.
#pragma once

#include <cstddef>
#include <cstdlib>  // says whether the library is glibc's

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace tare {

// Threads leave free memory between what is kept, and glibc does not give it back by itself. Worth
// its time only after work on many rows or queries.
inline void return_memory([[maybe_unused]] std::size_t count) {
#if defined(__GLIBC__)
    constexpr std::size_t many = 1 << 20;
    if (count >= many) malloc_trim(0);
#endif
}

}  // namespace tare
