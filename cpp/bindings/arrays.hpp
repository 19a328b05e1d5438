// NumPy arrays in and out of the core: given as spans, returned without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

namespace tare::bindings {

namespace nb = nanobind;

// A C-contiguous array of exactly this type; anything else is refused, never converted.
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const In<T>& array) {
    return {array.data(), array.size()};
}

// A view of what `owner` keeps, for NumPy to read only.
template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> lend(std::span<const T> values, nb::handle owner) {
    return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner);
}

// Hands a vector over to NumPy, which frees it.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> give(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> give(std::vector<T>&& values, std::size_t rows,
                                            std::size_t columns) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<2>>(owned->data(), {rows, columns}, owner);
}

}  // namespace tare::bindings
