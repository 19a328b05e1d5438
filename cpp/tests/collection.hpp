// A small collection to judge: rows given one by one.
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/rows.hpp"

namespace tare::tests {

struct Given {
    std::string_view query, doc;
    double value;
};

inline Rows rows_of(std::initializer_list<Given> given) {
    Segment segment;
    for (const Given& g : given) segment.add(g.query, g.doc, g.value);
    Rows rows;
    rows.take(std::move(segment));
    return rows;
}

}  // namespace tare::tests
