#include "core/text_measures/cohesion.hpp"

#include <algorithm>
#include <cmath>

#include "core/text_measures/workers.hpp"

namespace tare::text {
namespace {

double entropy(std::span<const std::uint32_t> counts, double total) {
    double sum = 0;
    for (const std::uint32_t count : counts)
        if (count > 0) sum -= count / total * std::log2(count / total);
    return sum;
}

// The distinct tokens of each sentence that has any, and the counts behind the entropies.
struct Sketch {
    std::vector<std::vector<std::uint32_t>> terms;
    std::vector<std::uint32_t> lengths, counts;
    std::size_t tokens = 0;

    void draw(const Sentences& text, std::uint32_t distinct) {
        terms.clear();
        lengths.clear();
        counts.assign(distinct, 0);
        tokens = text.all().size();
        for (std::size_t i = 0; i < text.size(); ++i) {
            const Tokens sentence = text[i];
            if (sentence.empty()) continue;
            for (const std::uint32_t token : sentence) ++counts[token];
            lengths.push_back(static_cast<std::uint32_t>(sentence.size()));
            auto& own = terms.emplace_back(sentence.begin(), sentence.end());
            std::sort(own.begin(), own.end());
            own.erase(std::unique(own.begin(), own.end()), own.end());
        }
    }
    double shared(std::size_t i, std::size_t j) const {
        std::size_t count = 0;
        auto a = terms[i].begin(), b = terms[j].begin();
        while (a != terms[i].end() && b != terms[j].end()) {
            if (*a == *b)
                ++count, ++a, ++b;
            else if (*a < *b)
                ++a;
            else
                ++b;
        }
        return static_cast<double>(count);
    }
};

}  // namespace

Cohesion cohesion(const TextItems& items, const Profile& profile, unsigned threads) {
    const std::size_t n = items.part_offsets.size() - 1;
    Cohesion out;
    out.term_entropy.assign(n, 0);
    out.sentence_entropy.assign(n, 0);
    out.tokens.assign(n, 0);
    out.distinct.assign(n, 0);
    out.sentences.assign(n, 0);
    std::vector<std::vector<double>> matrices(n);
    for_each_item(n, threads, [&] {
        return [&, preparer = Preparer(profile), prepared = Prepared{},
                sketch = Sketch{}](std::size_t t) mutable {
            preparer.start_item();
            preparer.prepare(items.text(t), prepared);
            sketch.draw(prepared.text, preparer.vocabulary_size());
            const std::size_t s = sketch.terms.size();
            const double total = static_cast<double>(sketch.tokens);
            out.tokens[t] = static_cast<std::int64_t>(sketch.tokens);
            out.distinct[t] = static_cast<std::int64_t>(preparer.vocabulary_size());
            out.sentences[t] = static_cast<std::int64_t>(s);
            out.term_entropy[t] = entropy(sketch.counts, total);
            out.sentence_entropy[t] = entropy(sketch.lengths, total);
            matrices[t].resize(s * s);
            for (std::size_t i = 0; i < s; ++i)
                for (std::size_t j = i; j < s; ++j)
                    matrices[t][i * s + j] = matrices[t][j * s + i] = sketch.shared(i, j);
        };
    });
    out.offsets.push_back(0);
    for (const auto& matrix : matrices) {
        out.shared.insert(out.shared.end(), matrix.begin(), matrix.end());
        out.offsets.push_back(static_cast<std::int64_t>(out.shared.size()));
    }
    return out;
}

}  // namespace tare::text
