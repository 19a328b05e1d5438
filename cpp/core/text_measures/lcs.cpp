#include "core/text_measures/lcs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/seams.hpp"

namespace tare::text {
namespace {

// One row of 64 cells (Hyyrö 2004): zeros in `cells` stand where the length grows by one.
inline std::uint64_t advance(std::uint64_t cells, std::uint64_t matches, std::uint64_t& carry) {
    const std::uint64_t both = cells & matches;
    std::uint64_t sum = cells + both;
    std::uint64_t over = sum < cells;
    sum += carry;
    over |= sum < carry;
    carry = over;
    return sum | (cells & ~matches);
}

constexpr std::uint32_t none = 0xffffffff;

}  // namespace

std::uint64_t LcsLength::operator()(Tokens a, Tokens b, std::uint32_t distinct) {
    if (a.size() > b.size()) std::swap(a, b);
    if (masks_.size() < distinct) masks_.resize(distinct, 0);
    if (a.size() > 64) carries_.assign(b.size(), 0);
    std::uint64_t length = 0;
    for (std::size_t start = 0; start < a.size(); start += 64) {
        const Tokens column = a.subspan(start, std::min<std::size_t>(64, a.size() - start));
        for (std::size_t i = 0; i < column.size(); ++i) masks_[column[i]] |= std::uint64_t{1} << i;
        std::uint64_t cells = ~std::uint64_t{0};
        if (a.size() <= 64) {
            for (const std::uint32_t token : b) {
                const std::uint64_t both = cells & masks_[token];
                cells = (cells + both) | (cells - both);
            }
        } else {
            for (std::size_t j = 0; j < b.size(); ++j) {
                std::uint64_t carry = carries_[j];
                cells = advance(cells, masks_[b[j]], carry);
                carries_[j] = static_cast<std::uint8_t>(carry);
            }
        }
        const std::uint64_t used =
            column.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << column.size()) - 1;
        length += static_cast<std::uint64_t>(std::popcount(~cells & used));
        for (const std::uint32_t token : column) masks_[token] = 0;
    }
    return length;
}

void LcsMarks::start(Tokens reference, std::uint32_t distinct) {
    if (words_ == 1)
        for (const std::uint32_t token : reference_) masks_[token] = 0;
    else
        for (const std::uint32_t token : reference_) first_[token] = none;
    reference_ = reference;
    words_ = (reference.size() + 63) / 64;
    marked_.assign(words_, 0);
    if (words_ <= 1) {
        if (masks_.size() < distinct) masks_.resize(distinct, 0);
        for (std::size_t i = 0; i < reference.size(); ++i)
            masks_[reference[i]] |= std::uint64_t{1} << i;
    } else {
        if (first_.size() < distinct) first_.resize(distinct, none);
        next_.resize(reference.size());
        for (std::size_t i = reference.size(); i-- > 0;) {
            next_[i] = first_[reference[i]];
            first_[reference[i]] = static_cast<std::uint32_t>(i);
        }
        here_.assign(words_, 0);
    }
}

void LcsMarks::mark(Tokens candidate) {
    if (reference_.empty() || candidate.empty()) return;
    if (words_ == 1)
        mark_short(candidate);
    else
        mark_long(candidate);
}

void LcsMarks::mark_short(Tokens candidate) {
    const std::size_t n = candidate.size();
    if (rows_.size() < n) rows_.resize(n);
    std::uint64_t cells = ~std::uint64_t{0};
    for (std::size_t j = 0; j < n; ++j) {
        const std::uint64_t both = cells & masks_[candidate[j]];
        cells = (cells + both) | (cells - both);
        rows_[j] = cells;
    }
    std::uint64_t below =
        reference_.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << reference_.size()) - 1;
    std::uint64_t marked = 0;
    for (std::size_t j = n; j-- > 0 && below != 0;) {
        // Up, past cells where nothing matches and nothing would be lost.
        const std::uint64_t matches = masks_[candidate[j]];
        const std::uint64_t stops = (matches | ~rows_[j]) & below;
        if (stops == 0) break;
        const std::uint64_t stop = std::bit_floor(stops);
        if ((matches & stop) != 0) {
            marked |= stop;
            below = stop - 1;
        } else {
            below = stop | (stop - 1);
        }
    }
    marked_[0] |= marked;
}

void LcsMarks::step(std::uint32_t token, const std::uint64_t* from, std::uint64_t* to) {
    for (std::uint32_t i = first_[token]; i != none; i = next_[i])
        here_[i / 64] |= std::uint64_t{1} << (i % 64);
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words_; ++w) to[w] = advance(from[w], here_[w], carry);
    for (std::uint32_t i = first_[token]; i != none; i = next_[i]) here_[i / 64] = 0;
}

// Rows are kept at intervals and those between them made again when the walk back comes to them.
void LcsMarks::mark_long(Tokens candidate) {
    const std::size_t n = candidate.size();
    const std::size_t interval =
        n * words_ <= seams.subsequence_words
            ? n
            : static_cast<std::size_t>(std::sqrt(static_cast<double>(n))) + 1;
    const std::size_t blocks = (n + interval - 1) / interval;
    kept_.assign(blocks * words_, ~std::uint64_t{0});
    rows_.resize((interval + 1) * words_);
    std::vector<std::uint64_t> row(words_, ~std::uint64_t{0});
    for (std::size_t j = 0; j < (blocks - 1) * interval; ++j) {
        step(candidate[j], row.data(), row.data());
        if ((j + 1) % interval == 0)
            std::copy_n(row.begin(), words_,
                        kept_.begin() + static_cast<std::ptrdiff_t>((j + 1) / interval * words_));
    }
    std::size_t i = reference_.size();
    for (std::size_t block = blocks; block-- > 0 && i > 0;) {
        const std::size_t first = block * interval, last = std::min(n, first + interval);
        std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(block * words_), words_,
                    rows_.begin());
        for (std::size_t j = first; j < last; ++j)
            step(candidate[j], &rows_[(j - first) * words_], &rows_[(j - first + 1) * words_]);
        for (std::size_t j = last; j > first && i > 0;) {
            const std::uint64_t* cells = &rows_[(j - first) * words_];
            if (reference_[i - 1] == candidate[j - 1]) {
                --i, --j;
                marked_[i / 64] |= std::uint64_t{1} << (i % 64);
            } else if ((cells[(i - 1) / 64] >> ((i - 1) % 64) & 1) == 0) {
                --j;
            } else {
                --i;
            }
        }
    }
}

}  // namespace tare::text
