// JSON of pairs: {query: {document: number}}, also below other names, and {query: [documents]}.
//
// The text arrives in blocks and is never kept: a pair becomes a row as soon as it was read. Names
// above the query, such as the subset and split of a prediction file or the name of a system, make
// a part of their own. Anything else that is valid JSON ends the reading with `other`, so that the
// caller may look at it in another way; what is not valid JSON ends it with a fault and its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/rows.hpp"
#include "core/seen_ids.hpp"

namespace tare {

enum class JsonFault : std::uint8_t {
    none,
    unexpected,    // detail: what was expected instead
    unterminated,  // the text ends within a value
    bad_escape,
    control,  // a control character within a string
    lone_surrogate,
    not_utf8,
    bad_number,  // detail: the text
    non_finite,  // detail: the text
    too_deep,
    too_long,        // a string or number
    repeated_query,  // detail: the query
};

const char* json_fault_name(JsonFault fault);

class JsonPairs {
public:
    static constexpr std::size_t longest_token = 1 << 20;
    static constexpr std::size_t deepest = 64;
    static constexpr std::size_t longest_about = 1 << 16;

    struct Part {  // the pairs below the same names
        std::vector<std::string> names;
        Rows rows;
        Segment segment;
        std::unordered_set<std::string> queries;
        std::uint64_t entries = 0;
    };

    // Documents of a list get their negated rank (`ranked`) or 1. The value of the name `about` at
    // the top is kept as text and not read; none where it is empty.
    JsonPairs(bool ranked, std::string about) : ranked_(ranked), about_name_(std::move(about)) {}
    JsonPairs(const JsonPairs&) = delete;

    void feed(std::string_view block);
    void finish();
    // Nothing more needs to be fed: a fault, or a shape that is not ours.
    bool ended() const { return fault_ != JsonFault::none || other_; }

    std::vector<Part>& parts() { return parts_; }
    bool other() const { return other_; }
    bool lists() const { return lists_; }
    std::uint64_t repeats() const { return repeats_; }
    const std::vector<std::pair<std::string, std::string>>& repeated() const { return repeated_; }
    const std::string& about() const { return about_; }
    JsonFault fault() const { return fault_; }
    const std::string& detail() const { return detail_; }
    std::uint64_t line() const { return line_; }
    std::uint64_t column() const { return column_; }
    const std::vector<std::string>& path() const { return path_; }

private:
    enum class State : std::uint8_t { value, first_name, name, colon, after, first_item, done };

    void parse(bool last);
    bool step(const char*& p, const char* end, bool last);
    bool text(const char*& p, const char* end, bool last, std::string_view& out);
    bool escape(const char*& p, const char* end, bool last);
    bool word(const char*& p, const char* end, bool last, std::string_view& out);
    void open(char kind);
    void close();
    void number(std::string_view token);
    void literal(std::string_view token);
    void id_of_list(std::string_view id);
    void add(std::size_t query, std::string_view doc, double value);
    void plain_pairs(const char*& p, const char* end);
    void flush_if_full(Part& part);
    Part& part_of(std::size_t names);
    void flush(Part& part);
    void fail(JsonFault fault, std::string_view detail = {});
    void shape_is_other() {
        if (!skipping_) other_ = true;
    }
    bool in_object() const { return !stack_.empty() && stack_.back() == '{'; }

    bool ranked_;
    std::string about_name_;
    std::string buffer_;
    std::size_t wait_ = 0;           // bytes before a token that was not complete is read again
    std::string stack_;              // '{' and '['
    std::vector<std::string> path_;  // the name in each open object
    State state_ = State::value;
    std::vector<Part> parts_;
    std::size_t part_ = 0;  // the part of the last row
    std::size_t part_names_ = SIZE_MAX;
    std::size_t changed_ = 0;  // the least level whose name changed since the last row
    std::string scratch_;      // a string with its escapes replaced
    std::string about_;
    std::vector<std::string> list_;
    SeenIds seen_;
    bool skipping_ = false;  // within the value of `about`
    bool other_ = false, lists_ = false, started_ = false;
    std::uint64_t repeats_ = 0;
    std::vector<std::pair<std::string, std::string>> repeated_;
    JsonFault fault_ = JsonFault::none;
    std::string detail_;
    std::uint64_t line_ = 1, column_ = 1;  // of the fault
    std::uint64_t lines_ = 1, consumed_ = 0, line_start_ = 0;
    const char* base_ = nullptr;  // of the buffer that is parsed
    const char* token_ = nullptr;
};

}  // namespace tare
