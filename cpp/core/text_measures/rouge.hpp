// What ROUGE counts: for each measure and each pair of candidate and reference, the hits and the
// two totals that they are divided by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/text_measures/prepared.hpp"

namespace tare::text {

enum class Counting {
    ngrams,           // shared n-grams, clipped; n in `size`
    distinct_ngrams,  // shared distinct n-grams of the candidate
    lcs,              // the longest common subsequence of the whole texts
    union_lcs,        // of sentences: the union over the candidate's, clipped by unigrams
    weighted_lcs,     // of the whole texts, runs weighted; weight in `weight`
    weighted_union,   // of sentences, as ROUGE-1.5.5 counts
    skip_bigrams,     // gap in `size`, -1 for any
    skip_unigrams,    // and the unigrams
    skip_but_last,    // and the unigrams but the text's last one, as in ROUGE-1.5.5
};

struct RougeSpec {
    Counting counting = Counting::ngrams;
    std::int64_t size = 1;
    double weight = 1.2;
};

// Texts in one list; item i has the candidate texts[first[i]] and then its references, up to
// texts[first[i + 1]].
struct TextItems {
    std::span<const std::string_view> parts;
    std::span<const std::size_t> part_offsets;  // texts + 1
    std::span<const std::size_t> first;         // items + 1

    std::size_t size() const { return first.size() - 1; }
    Parts text(std::size_t t) const {
        return parts.subspan(part_offsets[t], part_offsets[t + 1] - part_offsets[t]);
    }
    // The pairs before item i.
    std::size_t pairs_before(std::size_t i) const { return first[i] - i; }
};

// measures × pairs × (hits, candidate's total, reference's total).
std::vector<double> rouge_counts(const TextItems& items, const Profile& profile,
                                 std::span<const RougeSpec> measures, unsigned threads);

// Texts that chance writes: each word is one of the source's, drawn anew.
struct RandomTexts {
    std::span<const std::int64_t> lengths;   // by item
    std::span<const std::uint64_t> streams;  // by item
    std::size_t samples = 1;
    std::uint64_t seed = 0;
};

// Items hold a source and then references. Gives measures × (items, samples, references) × 3.
std::vector<double> random_rouge_counts(const TextItems& items, const RandomTexts& random,
                                        const Profile& profile, std::span<const RougeSpec> measures,
                                        unsigned threads);

}  // namespace tare::text
