// Loops compiled twice: for wide vector units where the machine has them, and for any machine.
#pragma once

// The wide version has no fused multiply-add, so both give the same bits. The choice is made before
// ThreadSanitizer has begun, which it does not survive.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(__SANITIZE_THREAD__)
#define TARE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TARE_WIDE
#endif
