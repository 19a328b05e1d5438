#include "core/json_pairs.hpp"

#include <algorithm>

#include "core/numbers.hpp"
#include "core/seams.hpp"
#include "core/text.hpp"

namespace tare {
namespace {

constexpr std::size_t most_bytes =
    64 << 20;  // of the ids of a segment, so that threads share the work

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '+' || c == '.' || c == '_';
}

// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view text, bool& whole) {
    const char* p = text.data();
    const char* const end = p + text.size();
    const auto digits = [&] {
        const char* const start = p;
        while (p != end && is_digit(*p)) ++p;
        return p != start;
    };
    whole = true;
    if (p != end && *p == '-') ++p;
    const char* const first = p;
    if (!digits() || (*first == '0' && p - first > 1)) return false;
    if (p != end && *p == '.') {
        whole = false;
        ++p;
        if (!digits()) return false;
    }
    if (p != end && (*p == 'e' || *p == 'E')) {
        whole = false;
        ++p;
        if (p != end && (*p == '+' || *p == '-')) ++p;
        if (!digits()) return false;
    }
    return p == end;
}

struct PlainPair {
    std::string_view id;
    double value = 0;
    std::uint64_t lines = 0;           // line feeds before the number
    const char* line_start = nullptr;  // behind the last of them
};

bool is_json_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Moves p behind blanks, and counts line feeds.
void skip_json_blanks(const char*& p, const char* end, PlainPair& pair) {
    for (; p != end && is_json_blank(*p); ++p)
        if (*p == '\n') {
            ++pair.lines;
            pair.line_start = p + 1;
        }
}

// Moves p behind -?(0|[1-9][0-9]*)(.[0-9]+)? and reads it; false, and p anywhere, if there is none.
bool plain_number(const char*& p, const char* end, double& value) {
    const char* const start = p;
    if (p != end && *p == '-') ++p;
    const char* const digits = p;
    while (p != end && is_digit(*p)) ++p;
    if (p == digits || (*digits == '0' && p - digits > 1)) return false;
    if (p != end && *p == '.') {
        const char* const decimals = ++p;
        while (p != end && is_digit(*p)) ++p;
        if (p == decimals) return false;
    }
    return parse_number({start, static_cast<std::size_t>(p - start)}, value) == NumberFault::none;
}

// Reads a pair behind the one before it as nearly every file writes it, `, "id": 12.5`: the id in
// ASCII without escapes, the number without an exponent. False, and p where it was, if the pair is
// written in another way or goes on in the next block.
bool plain_pair(const char*& p, const char* end, PlainPair& pair) {
    if (p == end || *p != ',') return false;
    pair.lines = 0;
    const char* q = p + 1;
    skip_json_blanks(q, end, pair);
    if (q == end || *q != '"') return false;
    const char* const id = ++q;
    while (q != end && *q != '"' && *q != '\\' && *q >= ' ' && *q < 0x7f) ++q;
    if (q == end || *q != '"') return false;
    pair.id = {id, static_cast<std::size_t>(q - id)};
    skip_json_blanks(++q, end, pair);
    if (q == end || *q != ':') return false;
    skip_json_blanks(++q, end, pair);
    if (!plain_number(q, end, pair.value) || q == end) return false;
    if (*q != ',' && *q != '}' && !is_json_blank(*q)) return false;
    p = q;
    return true;
}

void append_utf8(std::string& out, std::uint32_t point) {
    const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xc0 | point >> 6);
        put(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        put(0xe0 | point >> 12);
        put(0x80 | (point >> 6 & 0x3f));
        put(0x80 | (point & 0x3f));
    } else {
        put(0xf0 | point >> 18);
        put(0x80 | (point >> 12 & 0x3f));
        put(0x80 | (point >> 6 & 0x3f));
        put(0x80 | (point & 0x3f));
    }
}

// The number that four hexadecimal digits write, or -1.
std::int32_t hexadecimal(const char* p) {
    std::int32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = p[i];
        const int digit = is_digit(c)            ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

}  // namespace

const char* json_fault_name(JsonFault fault) {
    switch (fault) {
        case JsonFault::none:
            return "";
        case JsonFault::unexpected:
            return "unexpected";
        case JsonFault::unterminated:
            return "unterminated";
        case JsonFault::bad_escape:
            return "bad_escape";
        case JsonFault::control:
            return "control";
        case JsonFault::lone_surrogate:
            return "lone_surrogate";
        case JsonFault::not_utf8:
            return "not_utf8";
        case JsonFault::bad_number:
            return "bad_number";
        case JsonFault::non_finite:
            return "non_finite";
        case JsonFault::too_deep:
            return "too_deep";
        case JsonFault::too_long:
            return "too_long";
        case JsonFault::repeated_query:
            return "repeated_query";
    }
    return "";
}

void JsonPairs::fail(JsonFault fault, std::string_view detail) {
    if (ended()) return;
    fault_ = fault;
    detail_ = std::string(detail.substr(0, 200));
    line_ = lines_;
    column_ = consumed_ + static_cast<std::uint64_t>(token_ - base_) - line_start_ + 1;
}

void JsonPairs::feed(std::string_view block) {
    if (ended()) return;
    buffer_.append(block);
    if (!started_) {
        constexpr std::string_view mark =
            "\xef\xbb\xbf";  // a byte order mark says nothing about UTF-8
        if (buffer_.size() < mark.size() && mark.starts_with(buffer_)) return;
        if (std::string_view(buffer_).starts_with(mark)) buffer_.erase(0, mark.size());
        started_ = true;
    }
    if (buffer_.size() < wait_) return;
    parse(false);
    wait_ = 2 * buffer_.size();  // so that a long token in tiny blocks is not read over and over
}

void JsonPairs::finish() {
    if (ended()) return;
    started_ = true;
    parse(true);
    token_ = base_ = buffer_.data();
    if (!ended() && state_ != State::done) fail(JsonFault::unterminated);
    if (ended()) return;
    for (Part& part : parts_) flush(part);
}

void JsonPairs::parse(bool last) {
    const char* p = buffer_.data();
    const char* const end = p + buffer_.size();
    base_ = p;
    while (!ended()) {
        for (; p != end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'); ++p)
            if (*p == '\n') {
                ++lines_;
                line_start_ = consumed_ + static_cast<std::uint64_t>(p - base_) + 1;
            }
        token_ = p;
        if (p == end || !step(p, end, last)) break;
        if (skipping_ && about_.size() < longest_about) about_.append(token_, p);
        if (state_ == State::after && in_object()) plain_pairs(p, end);
    }
    // What is left begins at the last token, which the next block completes.
    const char* const left = ended() ? end : token_;
    consumed_ += static_cast<std::uint64_t>(left - base_);
    buffer_.erase(0, static_cast<std::size_t>(left - base_));
}

// Reads one token; false where more text is needed, or at a fault.
bool JsonPairs::step(const char*& p, const char* end, bool last) {
    const char c = *p;
    std::string_view token;
    switch (state_) {
        case State::first_name:
        case State::name:
            if (c == '}' && state_ == State::first_name) return ++p, close(), true;
            if (c != '"')
                return fail(JsonFault::unexpected, state_ == State::name
                                                       ? "a name in quotes"
                                                       : "a name in quotes, or '}'"),
                       false;
            if (!text(p, end, last, token)) return false;
            path_.back().assign(token);
            changed_ = std::min(changed_, path_.size() - 1);
            state_ = State::colon;
            return true;
        case State::colon:
            if (c != ':') return fail(JsonFault::unexpected, "':'"), false;
            ++p;
            state_ = State::value;
            if (!skipping_ && path_.size() == 1 && !about_name_.empty() &&
                path_[0] == about_name_) {
                skipping_ = true;
                token_ = p;
            }
            return true;
        case State::after:
            if (c == ',') {
                state_ = in_object() ? State::name : State::value;
                return ++p, true;
            }
            if (c == (in_object() ? '}' : ']')) return ++p, close(), true;
            return fail(JsonFault::unexpected, in_object() ? "',' or '}'" : "',' or ']'"), false;
        case State::done:
            return fail(JsonFault::unexpected, "the end of the text"), false;
        case State::first_item:
            if (c == ']') return ++p, close(), true;
            [[fallthrough]];
        case State::value:
            break;
    }
    if (c == '{' || c == '[') return ++p, open(c), true;
    if (c == '"') {
        if (!text(p, end, last, token)) return false;
        if (!in_object() && stack_.size() > 0)
            id_of_list(token);
        else
            shape_is_other();
    } else if (is_word(c)) {
        if (!word(p, end, last, token)) return false;
        if (c == '-' || is_digit(c))
            number(token);
        else
            literal(token);
    } else {
        return fail(JsonFault::unexpected, "a value"), false;
    }
    if (ended()) return false;
    state_ = stack_.empty() ? State::done : State::after;
    if (skipping_ && path_.size() == 1 && in_object()) {
        if (about_.size() < longest_about) about_.append(token_, p);
        skipping_ = false;
    }
    return true;
}

void JsonPairs::open(char kind) {
    if (stack_.size() == deepest) return fail(JsonFault::too_deep);
    if (!stack_.empty() && stack_.back() == '[') shape_is_other();
    if (kind == '[' && stack_.empty()) shape_is_other();
    stack_.push_back(kind);
    if (kind == '{')
        path_.emplace_back();
    else
        list_.clear();
    state_ = kind == '{' ? State::first_name : State::first_item;
}

void JsonPairs::close() {
    const char kind = stack_.back();
    if (kind == '[' && !skipping_ && !list_.empty()) {
        const std::size_t query = path_.size() - 1;
        seen_.reset(list_.size());
        for (std::size_t i = 0; i < list_.size() && !ended(); ++i) {
            const auto id_of = [&](std::uint32_t j) { return std::string_view(list_[j]); };
            if (seen_.add(list_[i], id_of) >= 0) {
                ++repeats_;
                if (repeated_.size() < 3) repeated_.emplace_back(path_[query], list_[i]);
            } else {
                add(query, list_[i], ranked_ ? -static_cast<double>(i + 1) : 1.0);
            }
        }
        list_.clear();
    }
    stack_.pop_back();
    if (kind == '{') {
        path_.pop_back();
        changed_ = std::min(changed_, path_.size());
    }
    state_ = stack_.empty() ? State::done : State::after;
    if (skipping_ && stack_.size() == 1) {
        if (about_.size() < longest_about) about_.push_back(kind == '{' ? '}' : ']');
        skipping_ = false;
    }
}

bool JsonPairs::word(const char*& p, const char* end, bool last, std::string_view& out) {
    const char* q = p;
    while (q != end && is_word(*q)) ++q;
    if (static_cast<std::size_t>(q - p) > longest_token) return fail(JsonFault::too_long), false;
    if (q == end && !last) return false;
    out = {p, static_cast<std::size_t>(q - p)};
    p = q;
    return true;
}

void JsonPairs::number(std::string_view token) {
    bool whole = false;
    if (token == "-Infinity") return fail(JsonFault::non_finite, token);
    if (!is_json_number(token, whole)) return fail(JsonFault::bad_number, token);
    if (skipping_) return;
    if (!in_object()) {  // an id that is a whole number
        if (whole && !stack_.empty())
            id_of_list(token);
        else
            shape_is_other();
        return;
    }
    if (path_.size() < 2) return shape_is_other();
    double value = 0;
    if (parse_number(token, value) != NumberFault::none) return fail(JsonFault::non_finite, token);
    add(path_.size() - 2, path_.back(), value);
}

void JsonPairs::literal(std::string_view token) {
    if (token == "NaN" || token == "Infinity")
        return skipping_ ? void() : fail(JsonFault::non_finite, token);
    if (token != "true" && token != "false" && token != "null")
        return fail(JsonFault::unexpected, "a value");
    shape_is_other();
}

void JsonPairs::id_of_list(std::string_view id) {
    if (skipping_) return;
    if (path_.empty()) return shape_is_other();
    lists_ = true;
    list_.emplace_back(id);
}

// A row: the query is the name at level `query`, the names above it make the part.
void JsonPairs::add(std::size_t query, std::string_view doc, double value) {
    if (part_names_ != query || changed_ < query) part_of(query);
    Part& part = parts_[part_];
    if (changed_ <= query && !part.queries.insert(path_[query]).second)
        return fail(JsonFault::repeated_query, path_[query]);
    changed_ = SIZE_MAX;
    if (part.segment.rows.empty()) {
        part.segment.first_line = part.entries + 1;
        part.segment.rows.reserve(std::min<std::size_t>(seams.json_rows, 1 << 16));
    }
    part.segment.add(path_[query], doc, value);
    ++part.entries;
    flush_if_full(part);
}

void JsonPairs::flush_if_full(Part& part) {
    const Row& row = part.segment.rows.back();
    if (part.segment.rows.size() >= seams.json_rows ||
        std::size_t{row.start} + row.length > most_bytes)
        flush(part);
}

// The pairs behind a first one of the same query, as long as they are plain and fit in the segment.
void JsonPairs::plain_pairs(const char*& p, const char* end) {
    if (skipping_ || changed_ != SIZE_MAX || path_.size() != part_names_ + 2) return;
    Part& part = parts_[part_];
    Segment& segment = part.segment;
    PlainPair pair;
    std::size_t taken = 0;
    while (!segment.rows.empty() &&
           plain_pair(p, p + std::min<std::ptrdiff_t>(end - p, longest_token), pair)) {
        if (pair.lines > 0) {
            lines_ += pair.lines;
            line_start_ = consumed_ + static_cast<std::uint64_t>(pair.line_start - base_);
        }
        segment.add_to_last(pair.id, pair.value);
        ++taken;
        ++part.entries;
        flush_if_full(part);
    }
    if (taken > 0) path_.back().assign(pair.id);
}

JsonPairs::Part& JsonPairs::part_of(std::size_t names) {
    part_names_ = names;
    for (part_ = 0; part_ < parts_.size(); ++part_)
        if (parts_[part_].names.size() == names &&
            std::equal(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(names),
                       parts_[part_].names.begin()))
            return parts_[part_];
    Part& part = parts_.emplace_back();
    part.names.assign(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(names));
    return part;
}

void JsonPairs::flush(Part& part) {
    part.segment.shrink();
    part.rows.take(std::move(part.segment));
    part.segment = Segment{};
}

// Reads a string; its text is a view of the buffer, or of scratch_ where it holds escapes.
bool JsonPairs::text(const char*& p, const char* end, bool last, std::string_view& out) {
    const char* const start = p + 1;
    const char* q = start;
    unsigned char all = 0;
    while (q != end && *q != '"' && *q != '\\' && static_cast<unsigned char>(*q) >= ' ')
        all |= static_cast<unsigned char>(*q++);
    if (q != end && *q == '"') {
        out = {start, static_cast<std::size_t>(q - start)};
    } else {
        scratch_.assign(start, q);
        while (q != end && *q != '"') {
            if (static_cast<unsigned char>(*q) < ' ') return fail(JsonFault::control), false;
            if (*q == '\\') {
                if (!escape(q, end, last)) return false;
            } else {
                all |= static_cast<unsigned char>(*q);
                scratch_.push_back(*q++);
            }
        }
        out = scratch_;
    }
    if (static_cast<std::size_t>(q - start) > longest_token)
        return fail(JsonFault::too_long), false;
    if (q == end) return false;  // finish() tells of a text that ends here
    if (all >= 0x80 && !is_utf8(out)) return fail(JsonFault::not_utf8), false;
    p = q + 1;
    return true;
}

// Appends what an escape stands for to scratch_; false at a fault, or where more text is needed.
bool JsonPairs::escape(const char*& p, const char* end, bool last) {
    if (end - p < 2) return false;
    static constexpr std::string_view written = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    const std::size_t plain = written.find(p[1]);
    if (plain != std::string_view::npos) {
        scratch_.push_back(meant[plain]);
        p += 2;
        return true;
    }
    if (p[1] != 'u') return fail(JsonFault::bad_escape), false;
    if (end - p < 6) return last ? (fail(JsonFault::unterminated), false) : false;
    std::int32_t point = hexadecimal(p + 2);
    if (point < 0) return fail(JsonFault::bad_escape), false;
    p += 6;
    if (point >= 0xdc00 && point < 0xe000) return fail(JsonFault::lone_surrogate), false;
    if (point >= 0xd800 && point < 0xdc00) {
        if (end - p < 6 && !last &&
            std::string_view("\\u").starts_with(std::string_view(
                p, static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - p, 2)))))
            return false;
        const std::int32_t low =
            end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hexadecimal(p + 2) : -1;
        if (low < 0xdc00 || low >= 0xe000) return fail(JsonFault::lone_surrogate), false;
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        p += 6;
    }
    append_utf8(scratch_, static_cast<std::uint32_t>(point));
    return true;
}

}  // namespace tare
