#include "core/trec_text.hpp"

#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "core/blank_mask.hpp"
#include "core/memory.hpp"
#include "core/numbers.hpp"
#include "core/seams.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"

namespace tare {
namespace {

struct Line {
    std::string_view query, doc, rank, value, tag;
    int fields = 0;
    bool extra = false;
};

// Two fields of one line and the blanks between them.
std::string_view joined(std::string_view first, std::string_view second) {
    return {first.data(), static_cast<std::size_t>(second.data() + second.size() - first.data())};
}

// Finds the fields of a well-formed line by its blanks, 64 bytes at a look: exactly the layout's
// fields, one blank between two of them, the line end after the last. Anything else is left to
// cut_carefully. Returns where the next line begins, or null.
template <Layout layout>
const char* cut_quickly(const char* p, const char* end, Line& line) {
    constexpr int fields = is_run(layout) ? 6 : 4;
    if (*p == '#') return nullptr;
    const char* blanks[fields];
    const char* base = p;
    if (end - base < 64) return nullptr;
    std::uint64_t mask = blank_mask(base);
    const char* start = p;
    for (int i = 0; i < fields; ++i) {
        while (mask == 0) {
            base += 64;
            if (end - base < 64) return nullptr;
            mask = blank_mask(base);
        }
        blanks[i] = base + std::countr_zero(mask);
        mask &= mask - 1;
        if (blanks[i] == start) return nullptr;
        if (i + 1 < fields && *blanks[i] != ' ' && *blanks[i] != '\t') return nullptr;
        start = blanks[i] + 1;
    }
    const auto field = [&](int i) {
        const char* from = i == 0 ? p : blanks[i - 1] + 1;
        return std::string_view{from, static_cast<std::size_t>(blanks[i] - from)};
    };
    const char* last = blanks[fields - 1];
    if (*last == '\r') ++last;
    if (*last != '\n') return nullptr;
    if (static_cast<std::size_t>(last - p) > LineBlocks::longest_line) return nullptr;
    line.query = field(0);
    line.doc = layout == Layout::subtopics ? joined(field(1), field(2)) : field(2);
    line.fields = fields;
    line.extra = false;
    if constexpr (is_run(layout)) {
        line.rank = field(3);
        line.value = layout == Layout::ranks ? line.rank : field(4);
        line.tag = field(5);
    } else {
        line.value = field(3);
    }
    return last + 1;
}

// Cuts any line into its fields; counts them so that a short line can be reported.
Line cut_carefully(const char* p, const char* end, Layout layout) {
    Line line;
    const auto field = [&] {
        const std::string_view f = next_field(p, end);
        if (!f.empty()) ++line.fields;
        return f;
    };
    line.query = field();
    if (line.query.empty()) return line;
    const std::string_view second = field();
    line.doc = field();
    if (layout == Layout::subtopics && !line.doc.empty()) line.doc = joined(second, line.doc);
    if (is_run(layout)) {
        line.rank = field();
        line.value = field();
        if (layout == Layout::ranks) line.value = line.rank;
        line.tag = field();
    } else {
        line.value = field();
    }
    while (p != end && is_blank(*p)) ++p;
    line.extra = p != end;
    return line;
}

// The first control character that is no blank; empty where there is none.
std::string_view control_of(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i)
        if (static_cast<unsigned char>(text[i]) < ' ' && !is_blank(text[i]))
            return text.substr(i, 1);
    return {};
}

bool has_bare_return(std::string_view text) {
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text.find('\r') != std::string_view::npos;
}

std::optional<Fault> fault_of(std::string_view whole, const Line& line, int wanted, bool utf8) {
    if (whole.size() > LineBlocks::longest_line) return Fault::line_too_long;
    if (!control_of(whole).empty()) return Fault::binary;
    if (!utf8 && !is_utf8(whole)) return Fault::not_utf8;
    if (has_bare_return(whole)) return Fault::bare_return;
    const bool passed_over = line.fields == 0 || line.query.front() == '#';
    if (!passed_over && line.fields < wanted) return Fault::too_few_fields;
    return std::nullopt;
}

// Whether a rank written in plain digits is smaller (-1), equal (0) or larger (1) than another.
inline int compare_ranks(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

// Whether a later row with a better score has a worse rank than the one before, or the reverse.
inline bool disagree(std::string_view rank, double value, std::string_view next_rank,
                     double next_value) {
    const int step = next_value < value ? 1 : next_value > value ? -1 : 0;
    return step * compare_ranks(next_rank, rank) < 0;
}

template <Layout layout>
void parse_lines(std::string_view text, TrecText& out) {
    constexpr int wanted = is_run(layout) ? 6 : 4;
    Segment& segment = out.segment;
    segment.base = segment.query_base = text.data();
    const bool utf8 = is_ascii(text) || is_utf8(text);

    const char* p = text.data();
    const char* const end = p + text.size();
    std::string_view last_query, last_rank, last_tag;
    double last_value = 0;
    std::uint32_t* piece_count = nullptr;
    Line line;
    while (p != end) {
        ++out.lines;
        const char* next = cut_quickly<layout>(p, end, line);
        if (next == nullptr || !utf8) {
            const auto* stop =
                static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
            const std::string_view whole{p, static_cast<std::size_t>(stop - p)};
            next = stop + 1;
            line = cut_carefully(p, stop, layout);
            const bool empty = line.fields == 0 || line.query.front() == '#';
            const std::optional<Fault> fault = fault_of(whole, line, wanted, utf8);
            if (fault)
                out.problems.add(out.lines, *fault,
                                 *fault == Fault::binary ? std::string(control_of(whole))
                                                         : std::to_string(line.fields));
            if (fault || empty) {
                segment.skipped.push_back(static_cast<std::uint32_t>(segment.rows.size()));
                p = next;
                continue;
            }
            out.extra_fields += line.extra;
        }
        p = next;
        double value;
        const NumberFault fault = parse_number(line.value, value);
        if (fault != NumberFault::none) {
            out.problems.add(
                out.lines, fault == NumberFault::malformed ? Fault::bad_number : Fault::non_finite,
                line.value);
            segment.skipped.push_back(static_cast<std::uint32_t>(segment.rows.size()));
            continue;
        }
        if constexpr (layout == Layout::ranks) value = -value;
        if (same_id(line.query, last_query)) {
            ++*piece_count;
            if constexpr (layout == Layout::run) {
                out.rank_conflicts += disagree(last_rank, last_value, line.rank, value);
            }
        } else {
            segment.pieces.push_back({static_cast<std::uint64_t>(line.query.data() - text.data()),
                                      static_cast<std::uint32_t>(line.query.size()),
                                      static_cast<std::uint32_t>(segment.rows.size()), 1});
            piece_count = &segment.pieces.back().count;
        }
        if (layout == Layout::run && segment.rows.empty())
            out.first_row = {std::string(line.query), std::string(line.rank), value, true};
        last_query = line.query;
        last_rank = line.rank;
        last_tag = line.tag;
        last_value = value;
        segment.rows.emplace_back(value, static_cast<std::uint64_t>(line.doc.data() - text.data()),
                                  line.doc.size());
    }
    out.tag = last_tag;
    if (layout == Layout::run && !segment.rows.empty())
        out.last_row = {std::string(last_query), std::string(last_rank), last_value, true};
}

}  // namespace

bool RankedRow::conflicts_with(const RankedRow& next) const {
    return known && next.known && query == next.query &&
           disagree(rank, value, next.rank, next.value);
}

void TrecText::clear() {
    segment.clear();
    problems = {};
    tag.clear();
    first_row = last_row = {};
    lines = extra_fields = rank_conflicts = 0;
}

void parse_trec(std::string_view text, Layout layout, TrecText& out) {
    switch (layout) {
        case Layout::run:
            return parse_lines<Layout::run>(text, out);
        case Layout::ranks:
            return parse_lines<Layout::ranks>(text, out);
        case Layout::qrels:
            return parse_lines<Layout::qrels>(text, out);
        case Layout::subtopics:
            return parse_lines<Layout::subtopics>(text, out);
    }
}

void TrecReader::parse(std::string_view lines) {
    const std::size_t pieces =
        std::min<std::size_t>(thread_count(threads_), lines.size() / seams.trec_share + 1);
    const std::vector<std::string_view> parts = cut_lines(lines, pieces);
    std::vector<TrecText> parsed(parts.size());
    for_each_index(parts.size(), threads_, 1, [&](std::size_t i) {
        parse_trec(parts[i], layout_, parsed[i]);
        parsed[i].segment.own();
    });
    for (TrecText& part : parsed) {
        problems_.append(part.problems, lines_);
        part.segment.first_line = lines_ + 1;
        lines_ += part.lines;
        extra_fields_ += part.extra_fields;
        rank_conflicts_ += part.rank_conflicts + last_row_.conflicts_with(part.first_row);
        if (part.last_row.known) last_row_ = std::move(part.last_row);
        if (!part.tag.empty()) tag_ = std::move(part.tag);
        rows_.take(std::move(part.segment));
    }
}

void TrecReader::feed(std::string_view block) {
    blocks_.feed(block, [this](std::string_view lines) { parse(lines); }, [this] { too_long(); });
}

void TrecReader::finish() {
    blocks_.finish([this](std::string_view lines) { parse(lines); }, [this] { too_long(); });
    return_memory(rows_.size());
}

}  // namespace tare
