// The Arrow C data interface (its structs are fixed by the Arrow specification), and text columns.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

extern "C" {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace tare {

// Reads one text column of any of Arrow's three layouts: 32-bit offsets, 64-bit offsets, views.
class ArrowText {
public:
    ArrowText(const ArrowSchema& schema, const ArrowArray& array)
        : array_(array), kind_(schema.format) {
        if (kind_ != "u" && kind_ != "U" && kind_ != "vu")
            throw std::invalid_argument("expected a column of text");
    }
    std::string_view operator[](std::int64_t row) const {
        const auto i = static_cast<std::size_t>(row + array_.offset);
        if (kind_ == "u") return cut(static_cast<const std::int32_t*>(array_.buffers[1]), i);
        if (kind_ == "U") return cut(static_cast<const std::int64_t*>(array_.buffers[1]), i);
        const char* view = static_cast<const char*>(array_.buffers[1]) + 16 * i;
        std::int32_t length, buffer, start;
        std::memcpy(&length, view, 4);
        if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
        std::memcpy(&buffer, view + 8, 4);
        std::memcpy(&start, view + 12, 4);
        return {static_cast<const char*>(array_.buffers[2 + buffer]) + start,
                static_cast<std::size_t>(length)};
    }

private:
    template <class Offset>
    std::string_view cut(const Offset* offsets, std::size_t i) const {
        return {static_cast<const char*>(array_.buffers[2]) + offsets[i],
                static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
    }
    const ArrowArray& array_;
    std::string_view kind_;
};

}  // namespace tare
