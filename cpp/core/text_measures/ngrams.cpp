#include "core/text_measures/ngrams.hpp"

#include <bit>

#include "core/text.hpp"

namespace tare::text {

void PairNumbers::reset(std::size_t expected) {
    const std::size_t wanted = std::bit_ceil(2 * expected + 16);
    if (wanted > slots_.size()) {
        slots_.assign(wanted, {0, 0, 0});
        round_ = 0;
    }
    mask_ = wanted - 1;
    used_ = 0;
    if (++round_ == 0) {
        slots_.assign(slots_.size(), {0, 0, 0});
        round_ = 1;
    }
}

std::uint32_t PairNumbers::number(std::uint32_t first, std::uint32_t second) {
    const std::uint64_t key = static_cast<std::uint64_t>(first) << 32 | second;
    std::size_t at = (key * 0x9e3779b97f4a7c15ULL >> 32) & mask_;
    for (; slots_[at].round == round_; at = (at + 1) & mask_)
        if (slots_[at].key == key) return slots_[at].number;
    slots_[at] = {key, round_, used_};
    return used_++;
}

std::uint32_t PairNumbers::find(std::uint32_t first, std::uint32_t second) const {
    const std::uint64_t key = static_cast<std::uint64_t>(first) << 32 | second;
    std::size_t at = (key * 0x9e3779b97f4a7c15ULL >> 32) & mask_;
    for (; slots_[at].round == round_; at = (at + 1) & mask_)
        if (slots_[at].key == key) return slots_[at].number;
    return none;
}

void NGrams::start_item(const std::vector<Prepared>& texts, std::size_t count,
                        std::uint32_t distinct) {
    texts_ = &texts;
    count_ = count;
    n_ = 1;
    distinct_ = distinct;
    if (grams_.size() < count) grams_.resize(count);
    for (std::size_t t = 0; t < count; ++t) {
        const Tokens tokens = texts[t].text.all();
        grams_[t].assign(tokens.begin(), tokens.end());
    }
    count_candidate();
}

void NGrams::extend_to(std::size_t n) {
    if (n == n_) return;
    for (; n_ < n; ++n_) {
        std::size_t total = 0;
        for (std::size_t t = 0; t < count_; ++t) total += grams_[t].size();
        pairs_.reset(total);
        for (std::size_t t = 0; t < count_; ++t) {
            const Tokens tokens = (*texts_)[t].text.all();
            std::vector<std::uint32_t>& grams = grams_[t];
            const std::size_t size = tokens.size() > n_ ? tokens.size() - n_ : 0;
            for (std::size_t i = 0; i < size; ++i)
                grams[i] = pairs_.number(grams[i], tokens[i + n_]);
            grams.resize(size);
        }
        distinct_ = pairs_.size();
    }
    count_candidate();
}

void NGrams::count_candidate() {
    counts_.assign(distinct_, 0);
    for (const std::uint32_t gram : grams_[0]) ++counts_[gram];
}

std::uint64_t NGrams::shared(std::size_t reference) {
    left_ = counts_;
    std::uint64_t hits = 0;
    for (const std::uint32_t gram : grams_[reference])
        if (left_[gram] > 0) --left_[gram], ++hits;
    return hits;
}

std::uint64_t NGrams::shared_distinct(std::size_t reference) {
    left_ = counts_;
    std::uint64_t hits = 0;
    for (const std::uint32_t gram : grams_[reference])
        if (left_[gram] > 0) left_[gram] = 0, ++hits;
    return hits;
}

}  // namespace tare::text
