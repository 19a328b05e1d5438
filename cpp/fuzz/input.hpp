// An input of the fuzzer: the first bytes choose, the rest is the text.
#pragma once

#include <cstdint>
#include <string_view>

namespace tare::fuzz {

class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : data_(reinterpret_cast<const char*>(data), size) {}

    // A number below `count`; 0 where the input is used up.
    unsigned choose(unsigned count) {
        if (data_.empty()) return 0;
        const auto byte = static_cast<unsigned char>(data_.front());
        data_.remove_prefix(1);
        return byte % count;
    }
    std::string_view rest() const { return data_; }

private:
    std::string_view data_;
};

}  // namespace tare::fuzz
