#include "core/text_measures/tokeniser.hpp"

#include <array>

#include "core/text_measures/unicode_words.hpp"

namespace tare::text {
namespace {

constexpr std::array<char, 256> lowered = [] {
    std::array<char, 256> table{};
    for (auto& c : table) c = ' ';
    for (char c = '0'; c <= '9'; ++c) table[static_cast<unsigned char>(c)] = c;
    for (char c = 'a'; c <= 'z'; ++c) {
        table[static_cast<unsigned char>(c)] = c;
        table[static_cast<unsigned char>(c - 'a' + 'A')] = c;
    }
    return table;
}();

void lower(std::string_view line, bool as_python, std::string& out) {
    out.resize(line.size());
    const auto* p = reinterpret_cast<const unsigned char*>(line.data());
    const auto* const end = p + line.size();
    char* to = out.data();
    for (; p != end; ++p) {
        *to = lowered[*p];
        if (as_python && *p >= 0x80) {
            // The two letters outside ASCII whose lower case is an ASCII letter: İ (i and a dot
            // above) and K.
            if (*p == 0xc4 && end - p > 1 && p[1] == 0xb0)
                *to = 'i', ++p, *++to = ' ';
            else if (*p == 0xe2 && end - p > 2 && p[1] == 0x84 && p[2] == 0xaa)
                *to = 'k', p += 2;
        }
        ++to;
    }
    out.resize(static_cast<std::size_t>(to - out.data()));
}

void split_at_blanks(std::string_view text, std::vector<std::string_view>& tokens) {
    const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    const char *p = text.data(), *const end = p + text.size();
    while (p != end) {
        while (p != end && blank(*p)) ++p;
        const char* const start = p;
        while (p != end && !blank(*p)) ++p;
        if (p != start) tokens.emplace_back(start, static_cast<std::size_t>(p - start));
    }
}

}  // namespace

void tokenise(std::string_view line, Splitting splitting, std::string& scratch,
              std::vector<std::string_view>& tokens) {
    tokens.clear();
    switch (splitting) {
        case Splitting::google:
        case Splitting::ascii:
            lower(line, splitting == Splitting::google, scratch);
            return split_at_blanks(scratch, tokens);
        case Splitting::unicode:
            return unicode_words(line, scratch, tokens);
        case Splitting::blanks:
            return split_at_blanks(line, tokens);
        case Splitting::lines:
            if (!line.empty()) tokens.push_back(line);
            return;
    }
}

}  // namespace tare::text
