#include "core/text_measures/ngram_postings.hpp"

#include <algorithm>

namespace tare::text {

void NGramPostings::build(const std::vector<Prepared>& texts, std::size_t count, std::size_t n,
                          std::uint32_t distinct) {
    n_ = n;
    if (levels_.size() < n) levels_.resize(n);
    std::vector<std::vector<std::uint32_t>> grams(count);
    std::size_t total = 0;
    for (std::size_t t = 1; t < count; ++t) {
        const Tokens tokens = texts[t].text.all();
        if (tokens.size() >= n)
            grams[t].assign(tokens.begin(), tokens.end() - static_cast<std::ptrdiff_t>(n - 1));
        total += grams[t].size();
    }
    std::uint32_t kinds = distinct;
    for (std::size_t k = 1; k < n; ++k) {
        levels_[k].reset(total);
        for (std::size_t t = 1; t < count; ++t)
            for (std::size_t i = 0; i < grams[t].size(); ++i)
                grams[t][i] = levels_[k].number(grams[t][i], texts[t].text.all()[i + k]);
        kinds = levels_[k].size();
    }
    struct Place {
        std::uint32_t gram, reference, place;
    };
    std::vector<Place> places;
    places.reserve(total);
    for (std::size_t t = 1; t < count; ++t)
        for (std::size_t i = 0; i < grams[t].size(); ++i)
            places.push_back(
                {grams[t][i], static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(i)});
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& a, const Place& b) { return a.gram < b.gram; });
    entries_.clear();
    start_.assign(kinds + 1, 0);
    for (std::size_t i = 0; i < places.size();) {
        std::size_t end = i;
        while (end < places.size() && places[end].gram == places[i].gram &&
               places[end].reference == places[i].reference)
            ++end;
        entries_.push_back(
            {places[i].reference, places[i].place, static_cast<std::uint32_t>(end - i)});
        start_[places[i].gram + 1] = static_cast<std::uint32_t>(entries_.size());
        i = end;
    }
    for (std::size_t g = 1; g < start_.size(); ++g) start_[g] = std::max(start_[g], start_[g - 1]);
    counts_.assign(kinds, 0);
}

std::uint32_t NGramPostings::find(const std::uint32_t* token) const {
    std::uint32_t gram = token[0];
    for (std::size_t k = 1; k < n_ && gram != PairNumbers::none; ++k)
        gram = levels_[k].find(gram, token[k]);
    return gram;
}

void NGramPostings::add_hits(Tokens text, std::span<double> hits) {
    touched_.clear();
    for (std::size_t i = 0; i + n_ <= text.size(); ++i) {
        const std::uint32_t gram = find(&text[i]);
        if (gram == PairNumbers::none || start_[gram] == start_[gram + 1]) continue;
        if (counts_[gram]++ == 0) touched_.push_back(gram);
    }
    for (const std::uint32_t gram : touched_) {
        for (std::uint32_t e = start_[gram]; e < start_[gram + 1]; ++e)
            hits[entries_[e].reference - 1] += std::min(counts_[gram], entries_[e].count);
        counts_[gram] = 0;
    }
}

}  // namespace tare::text
