// Problems of a text, as Python sees them.
#pragma once

#include <nanobind/nanobind.h>

#include "core/problems.hpp"

namespace tare::bindings {

// (line, fault, detail) of the problems kept; the detail as bytes, for it may be anything. That of
// a duplicate ends with the line it stood on before.
inline nanobind::list problem_list(const Problems& problems) {
    nanobind::list out;
    for (const Problem& p : problems.first) {
        const std::string detail =
            p.earlier > 0 ? p.detail + ' ' + std::to_string(p.earlier) : p.detail;
        out.append(nanobind::make_tuple(p.line, fault_name(p.fault),
                                        nanobind::bytes(detail.data(), detail.size())));
    }
    return out;
}

}  // namespace tare::bindings
