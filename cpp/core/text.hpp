// Bytes as text: fields of a line, hashing of ids, UTF-8.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tare {

inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// Cuts the next field off `line`; empty when there is none.
inline std::string_view next_field(const char*& p, const char* end) {
    while (p != end && is_blank(*p)) ++p;
    const char* const start = p;
    while (p != end && !is_blank(*p)) ++p;
    return {start, static_cast<std::size_t>(p - start)};
}

// Whether two ids are equal: eight bytes a step, the last eight perhaps twice.
inline bool same_id(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    const char *p = a.data(), *q = b.data();
    std::size_t left = a.size();
    std::uint64_t x = 0, y = 0;
    if (left < 8) {
        for (std::size_t i = 0; i < left; ++i)
            if (p[i] != q[i]) return false;
        return true;
    }
    for (; left > 8; p += 8, q += 8, left -= 8) {
        std::memcpy(&x, p, 8);
        std::memcpy(&y, q, 8);
        if (x != y) return false;
    }
    std::memcpy(&x, p + left - 8, 8);
    std::memcpy(&y, q + left - 8, 8);
    return x == y;
}

// A 64-bit hash of an id, the same on every machine: 8 bytes a step, multiply and fold.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_id(std::string_view id) {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL ^ id.size();
    const char* p = id.data();
    std::size_t left = id.size();
    std::uint64_t word = 0;
    if (left >= 8) {
        for (; left > 8; p += 8, left -= 8) {
            std::memcpy(&word, p, 8);
            h = fold(h ^ word, 0xd6e8feb86659fd93ULL);
        }
        std::memcpy(&word, p + left - 8, 8);  // the last eight bytes, some of them twice
    } else {
        for (std::size_t i = 0; i < left; ++i)
            word |= static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])) << (8 * i);
    }
    return fold(h ^ word, 0xa0761d6478bd642fULL);
}

// True where every byte is below 0x80: such text needs no further look.
inline bool is_ascii(std::string_view text) {
    unsigned char all = 0;
    for (const char c : text) all |= static_cast<unsigned char>(c);
    return all < 0x80;
}

inline bool is_utf8(std::string_view text) {
    const auto* p = reinterpret_cast<const unsigned char*>(text.data());
    const auto* const end = p + text.size();
    while (p != end) {
        const unsigned char c = *p++;
        if (c < 0x80) continue;
        int follow;
        std::uint32_t point;
        if ((c & 0xe0) == 0xc0)
            follow = 1, point = c & 0x1f;
        else if ((c & 0xf0) == 0xe0)
            follow = 2, point = c & 0x0f;
        else if ((c & 0xf8) == 0xf0)
            follow = 3, point = c & 0x07;
        else
            return false;
        if (end - p < follow) return false;
        for (int i = 0; i < follow; ++i) {
            if ((p[i] & 0xc0) != 0x80) return false;
            point = (point << 6) | (p[i] & 0x3f);
        }
        p += follow;
        static constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
        if (point < least[follow] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
            return false;
    }
    return true;
}

}  // namespace tare
