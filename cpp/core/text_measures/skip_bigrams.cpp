#include "core/text_measures/skip_bigrams.hpp"

#include <algorithm>
#include <limits>

#include "core/seams.hpp"

namespace tare::text {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max() / 2;

}  // namespace

std::uint64_t skip_bigram_count(std::size_t length, std::int64_t gap) {
    if (length < 2) return 0;
    const std::uint64_t n = length;
    if (gap == any_gap || static_cast<std::uint64_t>(gap) + 2 >= n) return n * (n - 1) / 2;
    const std::uint64_t reach = static_cast<std::uint64_t>(gap) + 1;
    return (n - reach) * reach + reach * (reach - 1) / 2;
}

std::uint64_t SkipBigrams::shared(Tokens candidate, Tokens reference, std::int64_t gap,
                                  std::uint32_t distinct) {
    const std::size_t longest = std::max(candidate.size(), reference.size());
    if (longest < 2) return 0;
    const bool any = gap == any_gap || static_cast<std::size_t>(gap) + 2 >= longest;
    const std::size_t reach = any ? unlimited : static_cast<std::size_t>(gap) + 1;
    if (!any && skip_bigram_count(longest, gap) <= seams.skip_pairs)
        return shared_by_table(candidate, reference, reach);
    return shared_by_token(candidate, reference, reach, distinct);
}

std::uint64_t SkipBigrams::shared_by_table(Tokens candidate, Tokens reference, std::size_t reach) {
    const auto total = [reach](Tokens t) {
        return skip_bigram_count(t.size(), static_cast<std::int64_t>(reach) - 1);
    };
    pairs_.reset(total(candidate) + total(reference));
    counts_.clear();
    const auto for_each_pair = [&](Tokens text, auto&& visit) {
        for (std::size_t i = 0; i < text.size(); ++i)
            for (std::size_t j = i + 1; j < text.size() && j <= i + reach; ++j)
                visit(pairs_.number(text[i], text[j]));
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

std::uint64_t SkipBigrams::shared_by_token(Tokens candidate, Tokens reference, std::size_t reach,
                                           std::uint32_t distinct) {
    const std::uint32_t common = keep_common(candidate, reference, distinct);
    row_.resize(common);
    other_row_.resize(common);
    std::uint64_t hits = 0;
    for (std::uint32_t a = 0; a < common; ++a) {
        candidate_.count_followers(a, reach, row_);
        reference_.count_followers(a, reach, other_row_);
        for (std::uint32_t b = 0; b < common; ++b) hits += std::min(row_[b], other_row_[b]);
    }
    return hits;
}

std::uint32_t SkipBigrams::keep_common(Tokens candidate, Tokens reference, std::uint32_t distinct) {
    constexpr std::uint32_t absent = 0xffffffff, seen = 0xfffffffe;
    std::vector<std::uint32_t> numbers(distinct, absent);
    for (const std::uint32_t t : candidate) numbers[t] = seen;
    std::uint32_t used = 0;
    reference_.clear();
    for (std::size_t i = 0; i < reference.size(); ++i) {
        std::uint32_t& number = numbers[reference[i]];
        if (number == seen) number = used++;
        if (number != absent) reference_.add(number, i);
    }
    candidate_.clear();
    for (std::size_t i = 0; i < candidate.size(); ++i)
        if (numbers[candidate[i]] < seen) candidate_.add(numbers[candidate[i]], i);
    return used;
}

void SkipBigrams::Kept::count_followers(std::uint32_t a, std::size_t reach,
                                        std::vector<std::uint64_t>& row) const {
    std::fill(row.begin(), row.end(), 0);
    std::uint64_t before = 0;
    std::size_t oldest = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        for (; places[oldest] + reach < places[i]; ++oldest) before -= tokens[oldest] == a;
        row[tokens[i]] += before;
        before += tokens[i] == a;
    }
}

}  // namespace tare::text
