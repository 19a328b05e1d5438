// Problems of a text, as Python sees them.
#pragma once

#include <nanobind/nanobind.h>

#include "core/problems.hpp"

namespace tare::bindings {

// (line, fault, detail) of the problems kept; the detail as bytes, for it may be anything.
inline nanobind::list problem_list(const Problems& problems) {
    nanobind::list out;
    for (const Problem& p : problems.first)
        out.append(nanobind::make_tuple(p.line, fault_name(p.fault),
                                        nanobind::bytes(p.detail.data(), p.detail.size())));
    return out;
}

}  // namespace tare::bindings
