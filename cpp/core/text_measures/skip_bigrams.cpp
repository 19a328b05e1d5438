#include "core/text_measures/skip_bigrams.hpp"

#include <algorithm>

namespace tare::text {
namespace {

// Numbers tokens that both texts hold from 0 on; the others can be in no shared pair.
std::uint32_t keep_common(Tokens candidate, Tokens reference, std::uint32_t distinct,
                          std::vector<std::uint32_t>& kept_candidate, std::vector<std::uint32_t>& kept_reference) {
    constexpr std::uint32_t absent = 0xffffffff, seen = 0xfffffffe;
    std::vector<std::uint32_t> numbers(distinct, absent);
    for (const std::uint32_t t : candidate) numbers[t] = seen;
    std::uint32_t used = 0;
    kept_reference.clear();
    for (const std::uint32_t t : reference) {
        if (numbers[t] == absent) continue;
        if (numbers[t] == seen) numbers[t] = used++;
        kept_reference.push_back(numbers[t]);
    }
    kept_candidate.clear();
    for (const std::uint32_t t : candidate)
        if (numbers[t] < seen) kept_candidate.push_back(numbers[t]);
    return used;
}

// row[b] = how often token b stands somewhere after token a.
void count_followers(Tokens text, std::uint32_t a, std::vector<std::uint64_t>& row) {
    std::fill(row.begin(), row.end(), 0);
    std::uint64_t before = 0;
    for (const std::uint32_t token : text) {
        row[token] += before;
        before += token == a;
    }
}

}  // namespace

std::uint64_t skip_bigram_count(std::size_t length, std::int64_t gap) {
    if (length < 2) return 0;
    const std::uint64_t n = length;
    if (gap == any_gap || static_cast<std::uint64_t>(gap) + 2 >= n) return n * (n - 1) / 2;
    const std::uint64_t reach = static_cast<std::uint64_t>(gap) + 1;
    return (n - reach) * reach + reach * (reach - 1) / 2;
}

std::uint64_t SkipBigrams::shared(Tokens candidate, Tokens reference, std::int64_t gap, std::uint32_t distinct) {
    const std::size_t longest = std::max(candidate.size(), reference.size());
    if (longest < 2) return 0;
    if (gap != any_gap && static_cast<std::size_t>(gap) < longest / 4)
        return shared_near(candidate, reference, static_cast<std::size_t>(gap));
    if (gap == any_gap || static_cast<std::size_t>(gap) + 2 >= longest)
        return shared_anywhere(candidate, reference, distinct);
    return shared_near(candidate, reference, static_cast<std::size_t>(gap));
}

std::uint64_t SkipBigrams::shared_near(Tokens candidate, Tokens reference, std::size_t gap) {
    const auto total = [gap](Tokens t) { return skip_bigram_count(t.size(), static_cast<std::int64_t>(gap)); };
    pairs_.reset(total(candidate) + total(reference));
    counts_.clear();
    const auto for_each_pair = [&](Tokens text, auto&& visit) {
        for (std::size_t i = 0; i < text.size(); ++i)
            for (std::size_t j = i + 1; j < text.size() && j <= i + gap + 1; ++j) visit(pairs_.number(text[i], text[j]));
    };
    for_each_pair(candidate, [&](std::uint32_t pair) {
        if (pair == counts_.size()) counts_.push_back(0);
        ++counts_[pair];
    });
    std::uint64_t hits = 0;
    for_each_pair(reference, [&](std::uint32_t pair) {
        if (pair < counts_.size() && counts_[pair] > 0) --counts_[pair], ++hits;
    });
    return hits;
}

// One pass over both texts for each token they share: no table of all pairs is ever held.
std::uint64_t SkipBigrams::shared_anywhere(Tokens candidate, Tokens reference, std::uint32_t distinct) {
    const std::uint32_t common = keep_common(candidate, reference, distinct, candidate_, reference_);
    row_.resize(common);
    other_row_.resize(common);
    std::uint64_t hits = 0;
    for (std::uint32_t a = 0; a < common; ++a) {
        count_followers(candidate_, a, row_);
        count_followers(reference_, a, other_row_);
        for (std::uint32_t b = 0; b < common; ++b) hits += std::min(row_[b], other_row_[b]);
    }
    return hits;
}

}  // namespace tare::text
