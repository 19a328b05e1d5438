// Blocks of bytes in, whole lines out: text may arrive in pieces of any size.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tare {

class LineBlocks {
public:
    static constexpr std::size_t longest_line = 1 << 20;

    // Calls lines(text) with whole lines, each ended by '\n'; too_long() where a line is dropped.
    template <class Lines, class TooLong>
    void feed(std::string_view block, Lines&& lines, TooLong&& too_long) {
        std::string joined;
        if (!started_) {
            // A byte order mark may come in pieces; three bytes are enough to know.
            if (!pending_.empty() || block.size() < 3) {
                joined = pending_.append(block);
                if (joined.size() < 3) return;
                pending_.clear();
                block = joined;
            }
            started_ = true;
            if (block.substr(0, 3) == "\xef\xbb\xbf") block.remove_prefix(3);
        }
        if (block.empty()) return;
        if (!pending_.empty() || skipping_) {
            const std::size_t newline = block.find('\n');
            const std::size_t stop = newline == std::string_view::npos ? block.size() : newline + 1;
            if (!skipping_) pending_.append(block.substr(0, stop));
            const std::size_t end = newline == std::string_view::npos ? 0 : 1;
            if (!skipping_ && pending_.size() - end > longest_line) {
                pending_.clear();
                skipping_ = true;
            }
            if (newline == std::string_view::npos) return;
            if (skipping_) {
                skipping_ = false;
                too_long();
            } else {
                lines(std::string_view(pending_));
                pending_.clear();
            }
            block.remove_prefix(stop);
        }
        const std::size_t last = block.rfind('\n');
        const std::size_t whole = last == std::string_view::npos ? 0 : last + 1;
        if (whole > 0) lines(block.substr(0, whole));
        pending_.assign(block.substr(whole));
        if (pending_.size() > longest_line) {
            pending_.clear();
            skipping_ = true;
        }
    }

    template <class Lines, class TooLong>
    void finish(Lines&& lines, TooLong&& too_long) {
        if (skipping_) too_long();
        if (!started_ && pending_ == "\xef\xbb\xbf") pending_.clear();
        if (!pending_.empty()) {
            pending_.push_back('\n');
            lines(std::string_view(pending_));
        }
        pending_.clear();
        skipping_ = false;
    }

private:
    std::string pending_;  // the unfinished last line
    bool started_ = false;
    bool skipping_ = false;  // inside a line that is too long
};

// How many texts were cut into two shares or more; tests look whether their texts were.
inline std::atomic<std::uint64_t> texts_cut{0};

// Cuts whole lines into about `pieces` parts of whole lines.
inline std::vector<std::string_view> cut_lines(std::string_view text, std::size_t pieces) {
    std::vector<std::string_view> parts;
    std::size_t start = 0;
    for (std::size_t i = 0; i < pieces && start < text.size(); ++i) {
        std::size_t stop = text.size();
        if (i + 1 < pieces) {
            const std::size_t aim = std::max(start, text.size() / pieces * (i + 1));
            const std::size_t newline = text.find('\n', aim);
            stop = newline == std::string_view::npos ? text.size() : newline + 1;
        }
        parts.push_back(text.substr(start, stop - start));
        start = stop;
    }
    if (parts.size() > 1) texts_cut.fetch_add(1, std::memory_order_relaxed);
    return parts;
}

}  // namespace tare
