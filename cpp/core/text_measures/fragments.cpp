#include "core/text_measures/fragments.hpp"

#include <algorithm>

#include "core/text_measures/ngrams.hpp"
#include "core/text_measures/workers.hpp"

namespace tare::text {
namespace {

// From each place of the summary the longest run that the source holds too; the next begins after
// it.
void fragments(Tokens summary, Tokens source, std::uint32_t distinct, double& lengths,
               double& squares) {
    std::vector<std::vector<std::uint32_t>> places(distinct);
    for (std::size_t j = 0; j < source.size(); ++j)
        places[source[j]].push_back(static_cast<std::uint32_t>(j));
    lengths = squares = 0;
    for (std::size_t i = 0; i < summary.size();) {
        std::size_t longest = 0;
        for (const std::uint32_t j : places[summary[i]]) {
            std::size_t k = 1;
            while (i + k < summary.size() && j + k < source.size() &&
                   summary[i + k] == source[j + k])
                ++k;
            longest = std::max(longest, k);
        }
        lengths += static_cast<double>(longest);
        squares += static_cast<double>(longest) * static_cast<double>(longest);
        i += std::max<std::size_t>(longest, 1);
    }
}

// The distinct numbers among n-grams.
std::size_t kinds_of(Tokens grams, std::vector<bool>& seen) {
    seen.assign(grams.empty() ? 0 : *std::max_element(grams.begin(), grams.end()) + 1, false);
    std::size_t kinds = 0;
    for (const std::uint32_t gram : grams) {
        kinds += !seen[gram];
        seen[gram] = true;
    }
    return kinds;
}

// Fills the row of one item after another.
struct Measurer {
    explicit Measurer(const Profile& profile) : preparer(profile) {}

    Preparer preparer;
    std::vector<Prepared> texts = std::vector<Prepared>(2);
    NGrams ngrams;
    std::vector<bool> seen;

    void measure(const TextItems& items, std::size_t item, std::span<const std::size_t> sizes,
                 double* row) {
        preparer.start_item();
        for (std::size_t t = 0; t < 2; ++t)
            preparer.prepare(items.text(items.first[item] + t), texts[t]);
        const Tokens summary = texts[0].text.all(), source = texts[1].text.all();
        row[0] = static_cast<double>(summary.size());
        row[1] = static_cast<double>(source.size());
        fragments(summary, source, preparer.vocabulary_size(), row[2], row[3]);
        ngrams.start_item(texts, 2, preparer.vocabulary_size());
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            ngrams.extend_to(sizes[k]);
            const std::size_t kinds = kinds_of(ngrams.of(0), seen);
            row[4 + 3 * k] = static_cast<double>(ngrams.of(0).size());
            row[5 + 3 * k] = static_cast<double>(kinds);
            row[6 + 3 * k] = static_cast<double>(kinds - ngrams.shared_distinct(1));
        }
    }
};

}  // namespace

std::vector<double> fragment_counts(const TextItems& items, const Profile& profile,
                                    std::span<const std::size_t> sizes, unsigned threads) {
    const std::size_t n = items.size(), columns = 4 + 3 * sizes.size();
    std::vector<double> out(n * columns, 0);
    for_each_item(n, threads, [&] {
        return [&, measurer = Measurer(profile)](std::size_t i) mutable {
            measurer.measure(items, i, sizes, &out[i * columns]);
        };
    });
    return out;
}

}  // namespace tare::text
