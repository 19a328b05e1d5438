// Ids of the core as a list of Python strings.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace tare::bindings {

// The texts that text_of(0), text_of(1), … give, without a copy in between.
template <class TextOf>
nanobind::typed<nanobind::list, nanobind::str> texts(std::size_t count, TextOf&& text_of) {
    auto out = nanobind::steal<nanobind::list>(PyList_New(static_cast<Py_ssize_t>(count)));
    if (!out.is_valid()) throw nanobind::python_error();
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view text = text_of(i);
        PyObject* const made =
            PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
        if (made == nullptr) throw nanobind::python_error();
        PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), made);
    }
    return out;
}

}  // namespace tare::bindings
