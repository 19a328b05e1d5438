// Counter-based random numbers: the n-th number of a stream is a function of (seed, stream, n), so
// the same for any number of threads and any order of work.
#pragma once

#include <cstdint>

namespace tare {

class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t stream, std::uint64_t substream = 0)
        : key_(mix(mix(mix(seed + 0x9e3779b97f4a7c15ULL) ^ stream) ^
                   (substream * 0xd1342543de82ef95ULL))) {}

    std::uint64_t next() { return mix(key_ + 0x9e3779b97f4a7c15ULL * ++count_); }

    // Uniform on 0…n-1, without bias (Lemire's multiply and reject).
    std::uint64_t below(std::uint64_t n) {
        for (;;) {
            const unsigned __int128 product = static_cast<unsigned __int128>(next()) * n;
            const auto low = static_cast<std::uint64_t>(product);
            if (low >= n || low >= (0 - n) % n) return static_cast<std::uint64_t>(product >> 64);
        }
    }
    // Uniform on [0, 1), 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    static std::uint64_t mix(std::uint64_t z) {  // SplitMix64's finaliser
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t key_;
    std::uint64_t count_ = 0;
};

}  // namespace tare
