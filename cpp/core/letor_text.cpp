#include "core/letor_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/line_blocks.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"

namespace tare {
namespace {

inline bool ends_field(char c) { return is_blank(c) || c == '\n' || c == '#'; }

// Every line has its '\n', so nothing here needs to look for the end of the text.
inline void skip_blanks(const char*& p) {
    while (*p <= ' ' && is_blank(*p)) ++p;
}

// Up to a blank, a comment or the end of the line.
std::string_view cut_field(const char*& p) {
    const char* const start = p;
    while (!ends_field(*p)) ++p;
    return {start, static_cast<std::size_t>(p - start)};
}

// A query may hold a '#'.
std::string_view cut_query(const char*& p) {
    const char* const start = p;
    while (!is_blank(*p) && *p != '\n') ++p;
    return {start, static_cast<std::size_t>(p - start)};
}

const char* end_of_line(const char* p, const char* end) {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
}

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

// 'docid = X' within a comment; empty where there is none.
std::string_view document_of(std::string_view comment) {
    static constexpr std::string_view name = "docid";
    for (std::size_t at = comment.find(name); at != std::string_view::npos;
         at = comment.find(name, at + 1)) {
        if (at > 0 && !is_blank(comment[at - 1]) && comment[at - 1] != '#') continue;
        const char* p = comment.data() + at + name.size();
        const char* const end = comment.data() + comment.size();
        while (p != end && is_blank(*p)) ++p;
        if (p == end || *p != '=') continue;
        return next_field(++p, end);
    }
    return {};
}

// 'id:value' as nearly every file writes it, with no more than six digits to the id.
inline bool plain_feature(const char*& p, std::uint32_t& id, float& value) {
    unsigned digit = static_cast<unsigned char>(*p - '0');
    if (digit > 9) return false;
    id = digit;
    for (int i = 0; i < 6 && (digit = static_cast<unsigned char>(*++p - '0')) <= 9; ++i)
        id = id * 10 + digit;
    if (*p != ':') return false;
    const char* const start = ++p;
    while (*p > '#') ++p;
    double exact;
    if (!ends_field(*p) ||
        parse_number({start, static_cast<std::size_t>(p - start)}, exact) != NumberFault::none)
        return false;
    value = static_cast<float>(exact);
    return std::isfinite(value);
}

}  // namespace

struct LetorText::Line {
    const char* start = nullptr;
    std::size_t first_cell = 0;
    double grade = 0;
    std::string_view query, document;
    bool has_query = false, ascending = true;
    FeatureSpan features;
    Fault fault{};
    std::string detail;

    // Always false. Binary input is reported as such.
    bool wrong(Fault what, std::string_view where) {
        fault = has_control(where) ? Fault::binary : !is_utf8(where) ? Fault::not_utf8 : what;
        detail = where;
        return false;
    }
};

void LetorText::clear(std::size_t bytes) {
    const std::size_t most = bytes / 4 + 1;  // '1:0' and a blank are the shortest feature
    if (most > capacity_) {
        cells_ = std::make_unique_for_overwrite<Cell[]>(most);
        capacity_ = most;
    }
    used_ = 0;
    rows_.clear();
    pieces_.clear();
    last_query_ = {};
    documents_.clear();
    document_ends_.clear();
    problems_ = {};
    without_query_ = {};
    features_ = {};
    lines_ = 0;
}

void LetorText::parse(std::string_view text, bool with_documents) {
    clear(text.size());
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p != end) p = parse_line(p, end, with_documents);
}

// Returns where the next line begins.
const char* LetorText::parse_line(const char* p, const char* end, bool with_documents) {
    Line line;
    line.start = p;
    line.first_cell = used_;
    ++lines_;
    skip_blanks(p);
    if (*p == '\n' || *p == '#') {
        const char* const stop = end_of_line(p, end);
        if (static_cast<std::size_t>(stop - line.start) >= LineBlocks::longest_line)
            problems_.add(lines_, Fault::line_too_long);
        return stop + 1;
    }
    const std::string_view grade = cut_field(p);
    const NumberFault fault = parse_number(grade, line.grade);
    if (fault != NumberFault::none) {
        line.wrong(fault == NumberFault::malformed ? Fault::bad_number : Fault::non_finite, grade);
        return refuse(line, p, end);
    }
    skip_blanks(p);
    if (p[0] == 'q' && p[1] == 'i' && p[2] == 'd' && p[3] == ':') {
        p += 4;
        line.query = cut_query(p);
        line.has_query = true;
        const bool known = same_id(line.query, last_query_) && !pieces_.empty();
        if (!known && (line.query.empty() || has_control(line.query) || !is_utf8(line.query))) {
            line.wrong(Fault::missing_query, line.query);
            return refuse(line, p, end);
        }
    }
    if (!take_features(line, p)) return refuse(line, p, end);
    const char* const stop = *p == '\n' ? p : end_of_line(p, end);
    if (static_cast<std::size_t>(stop - line.start) >= LineBlocks::longest_line)
        return refuse(line, p, end);
    if (!check_order(line)) return refuse(line, p, end);
    if (with_documents) {
        line.document = document_of({p, static_cast<std::size_t>(stop - p)});
        if (has_control(line.document) || !is_utf8(line.document)) {
            line.wrong(Fault::not_utf8, line.document);
            return refuse(line, p, end);
        }
    }
    keep(line, with_documents);
    return stop + 1;
}

// Up to the end of the line or its comment.
bool LetorText::take_features(Line& line, const char*& p) {
    std::int64_t last = -1;
    for (;;) {
        skip_blanks(p);
        if (*p == '\n' || *p == '#') return true;
        const char* const start = p;
        Cell& cell = cells_[used_];
        if (!plain_feature(p, cell.feature, cell.value)) {
            p = start;
            if (!take_field(line, p)) return false;
        }
        line.ascending &= cell.feature > last;
        last = cell.feature;
        ++used_;
    }
}

// Any field that should be a feature, read with care.
bool LetorText::take_field(Line& line, const char*& p) {
    const std::string_view field = cut_field(p);
    const std::size_t colon = field.find(':');
    if (colon == std::string_view::npos || colon == 0) return line.wrong(Fault::bad_feature, field);
    std::uint64_t id = 0;
    for (const char c : field.substr(0, colon)) {
        if (c < '0' || c > '9') return line.wrong(Fault::bad_feature, field);
        id = std::min<std::uint64_t>(id * 10 + static_cast<unsigned>(c - '0'), 1ULL << 32);
    }
    double exact = 0;
    const NumberFault fault = parse_number(field.substr(colon + 1), exact);
    if (fault == NumberFault::malformed) return line.wrong(Fault::bad_feature, field);
    const auto value = static_cast<float>(exact);
    if (fault == NumberFault::non_finite || !std::isfinite(value))
        return line.wrong(Fault::non_finite_feature, field);
    if (id > highest_feature) return line.wrong(Fault::feature_too_high, field);
    cells_[used_] = {static_cast<std::uint32_t>(id), value};
    return true;
}

// Ids that ascend, as they nearly always do, are all different.
bool LetorText::check_order(Line& line) {
    if (used_ == line.first_cell) return true;
    if (line.ascending) {
        line.features.add(cells_[line.first_cell].feature);
        line.features.add(cells_[used_ - 1].feature);
        return true;
    }
    sorted_.clear();
    for (std::size_t i = line.first_cell; i < used_; ++i) sorted_.push_back(cells_[i].feature);
    std::sort(sorted_.begin(), sorted_.end());
    line.features.add(sorted_.front());
    line.features.add(sorted_.back());
    const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
    return twice == sorted_.end() || line.wrong(Fault::duplicate_feature, std::to_string(*twice));
}

const char* LetorText::refuse(const Line& line, const char* p, const char* end) {
    used_ = line.first_cell;
    const char* const stop = end_of_line(p, end);
    if (static_cast<std::size_t>(stop - line.start) >= LineBlocks::longest_line)
        problems_.add(lines_, Fault::line_too_long);
    else
        problems_.add(lines_, line.fault, line.detail);
    return stop + 1;
}

void LetorText::keep(const Line& line, bool with_documents) {
    if (!line.has_query)
        without_query_.add(lines_, Fault::missing_query);
    else if (!pieces_.empty() && same_id(line.query, last_query_))
        ++pieces_.back().count;
    else
        pieces_.push_back({std::string(line.query), 1});
    if (line.has_query) last_query_ = line.query;
    rows_.push_back({line.grade, used_});
    features_ = features_.joined(line.features);
    if (!with_documents) return;
    documents_.append(line.document);
    document_ends_.push_back(documents_.size());
}

std::string_view LetorText::document(std::size_t row) const {
    const std::size_t start = row == 0 ? 0 : document_ends_[row - 1];
    return std::string_view(documents_).substr(start, document_ends_[row] - start);
}

void LetorText::fill(float* out, FeatureSpan features) const {
    const std::size_t width = features.width();
    std::size_t i = 0;
    for (const Row& row : rows_) {
        if (row.cells_end - i < width) std::memset(out, 0, width * sizeof(float));
        for (; i < row.cells_end; ++i) out[cells_[i].feature - features.first] = cells_[i].value;
        out += width;
    }
}

}  // namespace tare
