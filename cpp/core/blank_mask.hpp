// Which of 64 bytes are blanks or control characters, as the bits of a word.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tare {

inline std::uint64_t blank_mask(const char* p) {
#if defined(__SSE2__)
    const __m128i space = _mm_set1_epi8(' ');
    std::uint64_t mask = 0;
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
        const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
        mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(low)))
                << (16 * i);
    }
    return mask;
#else
    std::uint64_t mask = 0;
    for (int i = 0; i < 64; ++i)
        mask |= static_cast<std::uint64_t>(static_cast<unsigned char>(p[i]) <= ' ') << i;
    return mask;
#endif
}

}  // namespace tare
