// Problems of a line of text: the first ones are reported in full, all are counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tare {

enum class Fault : std::uint8_t {
    too_few_fields,  // detail: the number found
    bad_number,      // detail: the text
    non_finite,      // detail: the text
    line_too_long,
    not_utf8,
    binary,       // detail: text with a NUL or another control character
    bare_return,  // a carriage return that ends no line
    duplicate,    // detail: query and document
    missing_query,
    bad_feature,         // detail: the field
    non_finite_feature,  // detail: the field
    feature_too_high,    // detail: the field
    duplicate_feature,   // detail: the id
};

inline const char* fault_name(Fault fault) {
    switch (fault) {
        case Fault::too_few_fields:
            return "too_few_fields";
        case Fault::bad_number:
            return "bad_number";
        case Fault::non_finite:
            return "non_finite";
        case Fault::line_too_long:
            return "line_too_long";
        case Fault::not_utf8:
            return "not_utf8";
        case Fault::binary:
            return "binary";
        case Fault::bare_return:
            return "bare_return";
        case Fault::duplicate:
            return "duplicate";
        case Fault::missing_query:
            return "missing_query";
        case Fault::bad_feature:
            return "bad_feature";
        case Fault::non_finite_feature:
            return "non_finite_feature";
        case Fault::feature_too_high:
            return "feature_too_high";
        case Fault::duplicate_feature:
            return "duplicate_feature";
    }
    return "";
}

struct Problem {
    std::uint64_t line;
    Fault fault;
    std::string detail;
    std::uint64_t earlier = 0;  // of a duplicate: the line it stood on before
};

struct Problems {
    static constexpr std::size_t kept = 20;
    std::vector<Problem> first;  // those of the smallest line numbers, ascending
    std::uint64_t count = 0;

    void add(std::uint64_t line, Fault fault, std::string_view detail = {}) {
        ++count;
        keep({line, fault, std::string(detail.substr(0, longest_detail))});
    }
    void add_duplicate(std::uint64_t line, std::uint64_t earlier, std::string_view query,
                       std::string_view doc) {
        ++count;
        std::string detail(query.substr(0, longest_detail));
        detail.append(" ").append(doc.substr(0, longest_detail));
        keep({line, Fault::duplicate, std::move(detail), earlier});
    }
    // Adds the problems of a later piece of text, whose lines were counted from 1.
    void append(const Problems& later, std::uint64_t lines_before) {
        count += later.count;
        for (const Problem& p : later.first)
            keep({p.line + lines_before, p.fault, p.detail,
                  p.earlier + (p.earlier > 0 ? lines_before : 0)});
    }
    // Adds problems of the same text, their lines among those here.
    void merge(const Problems& others) {
        count += others.count;
        for (const Problem& p : others.first) keep(p);
    }

private:
    static constexpr std::size_t longest_detail = 200;

    // A duplicate is met only when its query is complete, so problems do not come in order.
    void keep(Problem problem) {
        if (first.size() == kept && first.back().line <= problem.line) return;
        const auto place =
            std::upper_bound(first.begin(), first.end(), problem.line,
                             [](std::uint64_t line, const Problem& p) { return line < p.line; });
        first.insert(place, std::move(problem));
        if (first.size() > kept) first.pop_back();
    }
};

}  // namespace tare
