// The averages that ROUGE-1.5.5 prints: means of resamples drawn with its own generator.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare::text {

// The 48-bit linear congruential generator of drand48, which Perl's rand is.
class Drand48 {
public:
    explicit Drand48(std::uint32_t seed)
        : state_((static_cast<std::uint64_t>(seed) << 16) + 0x330e) {}
    double next() {
        state_ = (state_ * 0x5deece66dULL + 0xb) & ((std::uint64_t{1} << 48) - 1);
        return static_cast<double>(state_) * 0x1.0p-48;
    }

private:
    std::uint64_t state_;
};

// values: rows × items, the items in the order of their ids. Returns rows × draws: the mean over
// the items of each resample; resample b is drawn with the seed b, the same for every row.
std::vector<double> drand48_means(std::span<const double> values, std::size_t rows,
                                  std::size_t items, std::size_t draws);

}  // namespace tare::text
