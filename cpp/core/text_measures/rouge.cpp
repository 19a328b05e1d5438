#include "core/text_measures/rouge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

#include "core/chance/random.hpp"
#include "core/text_measures/lcs.hpp"
#include "core/text_measures/ngram_postings.hpp"
#include "core/text_measures/ngrams.hpp"
#include "core/text_measures/skip_bigrams.hpp"
#include "core/text_measures/weighted_lcs.hpp"
#include "core/text_measures/workers.hpp"

namespace tare::text {
namespace {

struct Counts {
    double hits, candidate, reference;
};

// Counts for one item after another; what it learns of words it keeps.
class Counter {
public:
    Counter(const Profile& profile, std::span<const RougeSpec> measures)
        : preparer_(profile), measures_(measures) {
        order_.resize(measures.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        const auto length = [](const RougeSpec& s) {
            return is_ngram(s) ? s.size : std::int64_t{0};
        };
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return length(measures[a]) < length(measures[b]);
        });
    }

    void count(const TextItems& items, std::size_t item, std::vector<double>& out) {
        const std::size_t start = items.first[item], texts = items.first[item + 1] - start;
        const std::size_t pairs = items.first.back() - items.size();
        if (texts_.size() < texts) texts_.resize(texts);
        preparer_.start_item();
        for (std::size_t t = 0; t < texts; ++t) preparer_.prepare(items.text(start + t), texts_[t]);
        ngrams_ready_ = false;
        for (const std::size_t m : order_) {
            for (std::size_t r = 1; r < texts; ++r) {
                const Counts c = one(measures_[m], r, texts);
                double* to = &out[3 * (m * pairs + items.pairs_before(item) + r - 1)];
                to[0] = c.hits, to[1] = c.candidate, to[2] = c.reference;
            }
        }
    }

    void count_random(const TextItems& items, std::size_t item, const RandomTexts& random,
                      std::vector<double>& out) {
        const std::size_t start = items.first[item], texts = items.first[item + 1] - start,
                          references = texts - 1;
        const std::size_t pairs = random.samples * (items.first.back() - items.size());
        const std::size_t first_pair = random.samples * items.pairs_before(item);
        if (texts_.size() < texts) texts_.resize(texts);
        preparer_.start_item();
        preparer_.prepare_whole(items.text(start), texts_[0]);
        for (std::size_t t = 1; t < texts; ++t) preparer_.prepare(items.text(start + t), texts_[t]);
        source_ = texts_[0].text.tokens;
        const std::size_t length =
            source_.empty() ? 0 : static_cast<std::size_t>(random.lengths[item]);
        const auto draw = [&](std::size_t sample) {
            RandomStream stream(random.seed, random.streams[item], sample);
            Sentences& drawn = texts_[0].text;
            drawn.tokens.resize(length);
            for (std::uint32_t& token : drawn.tokens) token = source_[stream.below(source_.size())];
            drawn.ends.assign(1, length);
        };
        for (std::size_t m = 0; m < measures_.size(); ++m) {
            const RougeSpec& spec = measures_[m];
            double* to = &out[3 * (m * pairs + first_pair)];
            if (spec.counting == Counting::ngrams)
                postings_.build(texts_, texts, static_cast<std::size_t>(spec.size), distinct());
            for (std::size_t s = 0; s < random.samples; ++s, to += 3 * references) {
                draw(s);
                if (spec.counting == Counting::ngrams) {
                    count_postings(spec, texts, to);
                    continue;
                }
                ngrams_ready_ = false;
                for (std::size_t r = 1; r < texts; ++r) {
                    const Counts c = one(spec, r, texts);
                    to[3 * (r - 1)] = c.hits, to[3 * (r - 1) + 1] = c.candidate,
                                to[3 * (r - 1) + 2] = c.reference;
                }
            }
        }
    }

private:
    void count_postings(const RougeSpec& spec, std::size_t texts, double* to) {
        const auto n = static_cast<std::size_t>(spec.size);
        const auto whole = [n](Tokens text) {
            return text.size() >= n ? real(text.size() - n + 1) : 0.0;
        };
        hits_.assign(texts - 1, 0);
        postings_.add_hits(texts_[0].text.all(), hits_);
        for (std::size_t r = 1; r < texts; ++r) {
            to[3 * (r - 1)] = hits_[r - 1];
            to[3 * (r - 1) + 1] = whole(texts_[0].text.all());
            to[3 * (r - 1) + 2] = whole(texts_[r].text.all());
        }
    }
    static bool is_ngram(const RougeSpec& s) {
        return s.counting == Counting::ngrams || s.counting == Counting::distinct_ngrams;
    }
    std::uint32_t distinct() const { return preparer_.vocabulary_size(); }
    static double real(std::uint64_t n) { return static_cast<double>(n); }

    Counts one(const RougeSpec& s, std::size_t r, std::size_t texts) {
        const Tokens candidate = texts_[0].text.all(), reference = texts_[r].text.all();
        switch (s.counting) {
            case Counting::ngrams:
            case Counting::distinct_ngrams: {
                if (!ngrams_ready_) ngrams_.start_item(texts_, texts, distinct());
                ngrams_ready_ = true;
                ngrams_.extend_to(static_cast<std::size_t>(s.size));
                const std::uint64_t hits =
                    s.counting == Counting::ngrams ? ngrams_.shared(r) : ngrams_.shared_distinct(r);
                return {real(hits), real(ngrams_.of(0).size()), real(ngrams_.of(r).size())};
            }
            case Counting::lcs:
                return {real(lcs_(reference, candidate, distinct())), real(candidate.size()),
                        real(reference.size())};
            case Counting::union_lcs:
                return union_lcs(texts_[0], texts_[r]);
            case Counting::weighted_lcs: {
                WeightedLcs& w = weighted(s.weight);
                return {w.value(reference, candidate), std::pow(real(candidate.size()), s.weight),
                        std::pow(real(reference.size()), s.weight)};
            }
            case Counting::weighted_union:
                return weighted_union(texts_[0], texts_[r], weighted(s.weight), s.weight);
            default:
                return skips(s, candidate, reference);
        }
    }

    Counts skips(const RougeSpec& s, Tokens candidate, Tokens reference) {
        std::uint64_t hits = skips_.shared(candidate, reference, s.size, distinct());
        std::uint64_t a = skip_bigram_count(candidate.size(), s.size),
                      b = skip_bigram_count(reference.size(), s.size);
        if (s.counting == Counting::skip_but_last) {
            candidate = candidate.first(candidate.size() - !candidate.empty());
            reference = reference.first(reference.size() - !reference.empty());
        }
        if (s.counting != Counting::skip_bigrams) {
            count_tokens(candidate);
            for (const std::uint32_t token : reference)
                if (left_[token] > 0) --left_[token], ++hits;
            a += candidate.size();
            b += reference.size();
        }
        return {real(hits), real(a), real(b)};
    }

    void count_tokens(Tokens tokens) {
        left_.assign(distinct(), 0);
        for (const std::uint32_t token : tokens) ++left_[token];
    }
    // Tokens of both whole texts that may still be hit; in ROUGE-1.5.5 a hit uses up one of each.
    void start_clipping(const Prepared& candidate, const Prepared& reference) {
        count_tokens(reference.text.all());
        left_in_reference_ = left_;
        count_tokens(candidate.text.all());
    }
    bool clip(std::uint32_t token) {
        if (left_[token] == 0 || left_in_reference_[token] == 0) return false;
        --left_[token], --left_in_reference_[token];
        return true;
    }

    Counts union_lcs(const Prepared& candidate, const Prepared& reference) {
        start_clipping(candidate, reference);
        const Sentences &theirs = candidate.lcs(), &ours = reference.lcs();
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const Tokens sentence = ours[i];
            marks_.start(sentence, distinct());
            for (std::size_t j = 0; j < theirs.size(); ++j) marks_.mark(theirs[j]);
            for (std::size_t k = 0; k < sentence.size(); ++k)
                if (marks_.is_marked(k)) hits += clip(sentence[k]);
        }
        marks_.start({}, distinct());
        return {real(hits), real(candidate.text.all().size()), real(ours.all().size())};
    }

    // The weight is applied twice in the reference's total, and a hit that clipping refuses does
    // not end a run: both as in ROUGE-1.5.5.
    Counts weighted_union(const Prepared& candidate, const Prepared& reference, WeightedLcs& lcs,
                          double weight) {
        start_clipping(candidate, reference);
        const Sentences &theirs = candidate.lcs(), &ours = reference.lcs();
        double hits = 0, total = 0;
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const Tokens sentence = ours[i];
            marked_.assign(sentence.size(), false);
            for (std::size_t j = 0; j < theirs.size(); ++j) lcs.mark(sentence, theirs[j], marked_);
            std::size_t run = 0;
            for (std::size_t k = 0; k < sentence.size(); ++k) {
                if (!marked_[k] || !clip(sentence[k])) continue;
                ++run;
                if (k + 1 == sentence.size() || !marked_[k + 1]) {
                    hits += lcs.f(run);
                    run = 0;
                }
            }
            total += lcs.f(sentence.size());
        }
        return {hits, std::pow(real(candidate.text.all().size()), weight), std::pow(total, weight)};
    }

    WeightedLcs& weighted(double weight) {
        return weighted_.try_emplace(weight, weight).first->second;
    }

    Preparer preparer_;
    std::span<const RougeSpec> measures_;
    std::vector<std::size_t> order_;
    std::vector<Prepared> texts_;
    NGrams ngrams_;
    bool ngrams_ready_ = false;
    NGramPostings postings_;
    std::vector<double> hits_;
    std::vector<std::uint32_t> source_;
    LcsLength lcs_;
    LcsMarks marks_;
    SkipBigrams skips_;
    std::map<double, WeightedLcs> weighted_;
    std::vector<std::uint32_t> left_, left_in_reference_;
    std::vector<bool> marked_;
};

}  // namespace

std::vector<double> rouge_counts(const TextItems& items, const Profile& profile,
                                 std::span<const RougeSpec> measures, unsigned threads) {
    const std::size_t n = items.size(), pairs = items.first.back() - n;
    std::vector<double> out(3 * measures.size() * pairs, 0);
    for_each_item(n, threads, [&] {
        return [&, counter = Counter(profile, measures)](std::size_t i) mutable {
            counter.count(items, i, out);
        };
    });
    return out;
}

std::vector<double> random_rouge_counts(const TextItems& items, const RandomTexts& random,
                                        const Profile& profile, std::span<const RougeSpec> measures,
                                        unsigned threads) {
    const std::size_t n = items.size(), references = items.first.back() - n;
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / (3 * sizeof(double));
    if (references > 0 &&
        random.samples > most / references / std::max<std::size_t>(measures.size(), 1))
        throw std::length_error("too many random texts");
    const std::size_t pairs = random.samples * references;
    std::vector<double> out(3 * measures.size() * pairs, 0);
    for_each_item(n, threads, [&] {
        return [&, counter = Counter(profile, measures)](std::size_t i) mutable {
            counter.count_random(items, i, random, out);
        };
    });
    return out;
}

}  // namespace tare::text
