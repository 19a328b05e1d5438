#include "core/text_measures/prepared.hpp"

#include "core/text_measures/tokeniser.hpp"

namespace tare::text {
namespace {

// Calls visit(line) for each line that is not empty, until it returns false.
template <class Visit>
void for_each_line(Parts parts, Visit&& visit) {
    for (std::string_view part : parts) {
        while (!part.empty()) {
            const std::size_t end = part.find('\n');
            const std::string_view line = part.substr(0, end);
            part.remove_prefix(end == std::string_view::npos ? part.size() : end + 1);
            if (!line.empty() && !visit(line)) return;
        }
    }
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Where the first `most` words of a line end, and how many it has. Blanks at the start count as an
// empty word, as they do in ROUGE-1.5.5.
std::size_t end_of_words(std::string_view line, std::size_t most, std::size_t& count) {
    std::size_t end = 0;
    count = 0;
    for (std::size_t i = 0; i < line.size();) {
        if (i > 0 || is_space(line[0])) {
            std::size_t blank = i;
            while (blank < line.size() && is_space(line[blank])) ++blank;
            if (i == 0) ++count;
            if (blank == line.size()) break;
            i = blank;
        }
        while (i < line.size() && !is_space(line[i])) ++i;
        if (++count <= most) end = i;
    }
    return end;
}

}  // namespace

void Preparer::add(std::string_view line, Sentences& out) {
    tokenise(line, profile_.splitting, scratch_, tokens_);
    for (const std::string_view token : tokens_) {
        const std::uint32_t number = vocabulary_.number(token);
        if (number != Vocabulary::dropped) out.tokens.push_back(number);
    }
    out.ends.push_back(out.tokens.size());
}

// Adds what of a line the limit of words lets through; false once it is reached.
bool Preparer::add_words(std::string_view line, std::size_t& words, Sentences& out) {
    std::size_t count;
    const std::size_t end = end_of_words(line, profile_.most_words - words, count);
    if (words + count < profile_.most_words) {
        words += count;
        add(line, out);
        return true;
    }
    add(line.substr(0, end), out);
    return false;
}

void Preparer::prepare(Parts parts, Prepared& out) {
    out.text.clear();
    out.for_lcs.clear();
    out.cut_otherwise = false;
    if (profile_.most_words > 0) {
        std::size_t words = 0;
        for_each_line(parts,
                      [&](std::string_view line) { return add_words(line, words, out.text); });
    } else if (profile_.most_bytes > 0) {
        const std::size_t most = profile_.most_bytes;
        std::size_t bytes = 0;
        for_each_line(parts, [&](std::string_view line) {
            add(line.substr(0, most - bytes), out.text);
            bytes += line.size();
            return bytes < most;
        });
        out.cut_otherwise = true;
        for_each_line(parts, [&](std::string_view line) {
            add(line.substr(0, most), out.for_lcs);
            return line.size() < most;
        });
    } else {
        prepare_whole(parts, out);
    }
}

void Preparer::prepare_whole(Parts parts, Prepared& out) {
    out.text.clear();
    out.for_lcs.clear();
    out.cut_otherwise = false;
    for_each_line(parts, [&](std::string_view line) {
        add(line, out.text);
        return true;
    });
}

}  // namespace tare::text
