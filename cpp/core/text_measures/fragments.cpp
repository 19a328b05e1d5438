#include "core/text_measures/fragments.hpp"

#include <algorithm>
#include <atomic>

#include "core/text_measures/ngrams.hpp"
#include "core/threads.hpp"

namespace tare::text {
namespace {

// From each place of the summary the longest run that the source holds too; the next begins after it.
void fragments(Tokens summary, Tokens source, std::uint32_t distinct, double& lengths, double& squares) {
    std::vector<std::vector<std::uint32_t>> places(distinct);
    for (std::size_t j = 0; j < source.size(); ++j) places[source[j]].push_back(static_cast<std::uint32_t>(j));
    lengths = squares = 0;
    for (std::size_t i = 0; i < summary.size();) {
        std::size_t longest = 0;
        for (const std::uint32_t j : places[summary[i]]) {
            std::size_t k = 1;
            while (i + k < summary.size() && j + k < source.size() && summary[i + k] == source[j + k]) ++k;
            longest = std::max(longest, k);
        }
        lengths += static_cast<double>(longest);
        squares += static_cast<double>(longest) * static_cast<double>(longest);
        i += std::max<std::size_t>(longest, 1);
    }
}

}  // namespace

std::vector<double> fragment_counts(const TextItems& items, const Profile& profile, std::span<const std::size_t> sizes,
                                    unsigned threads) {
    const std::size_t n = items.size(), columns = 4 + 3 * sizes.size();
    std::vector<double> out(n * columns, 0);
    threads = static_cast<unsigned>(std::min<std::size_t>(thread_count(threads), std::max<std::size_t>(n, 1)));
    std::atomic<std::size_t> next{0};
    for_each_index(threads, threads, 1, [&](std::size_t) {
        Preparer preparer(profile);
        std::vector<Prepared> texts(2);
        NGrams ngrams;
        std::vector<bool> seen;
        for (std::size_t item = next.fetch_add(1); item < n; item = next.fetch_add(1)) {
            preparer.start_item();
            for (std::size_t t = 0; t < 2; ++t) preparer.prepare(items.text(items.first[item] + t), texts[t]);
            const Tokens summary = texts[0].text.all(), source = texts[1].text.all();
            double* row = &out[item * columns];
            row[0] = static_cast<double>(summary.size());
            row[1] = static_cast<double>(source.size());
            fragments(summary, source, preparer.vocabulary_size(), row[2], row[3]);
            ngrams.start_item(texts, 2, preparer.vocabulary_size());
            for (std::size_t k = 0; k < sizes.size(); ++k) {
                ngrams.extend_to(sizes[k]);
                const Tokens grams = ngrams.of(0);
                seen.assign(grams.empty() ? 0 : *std::max_element(grams.begin(), grams.end()) + 1, false);
                std::size_t kinds = 0;
                for (const std::uint32_t gram : grams) {
                    kinds += !seen[gram];
                    seen[gram] = true;
                }
                row[4 + 3 * k] = static_cast<double>(grams.size());
                row[5 + 3 * k] = static_cast<double>(kinds);
                row[6 + 3 * k] = static_cast<double>(kinds - ngrams.shared_distinct(1));
            }
        }
    });
    return out;
}

}  // namespace tare::text
