#include "core/text_measures/expected_ngrams.hpp"

#include <algorithm>

#include "core/text_measures/ngram_postings.hpp"
#include "core/text_measures/workers.hpp"

namespace tare::text {
namespace {

constexpr std::size_t longest = 16;

// The length of the longest prefix of the pattern that ends pattern[0, state) followed by `token`.
std::size_t next_state(Tokens pattern, std::size_t state, std::uint32_t token) {
    for (std::size_t k = std::min(state + 1, pattern.size()); k > 0; --k) {
        if (pattern[k - 1] != token) continue;
        if (std::equal(pattern.begin(), pattern.begin() + static_cast<std::ptrdiff_t>(k - 1),
                       pattern.begin() + static_cast<std::ptrdiff_t>(state - (k - 1))))
            return k;
    }
    return 0;
}

// Where the automaton goes from each state: to `to` with probability `share`, with a match if
// `match`.
struct Edge {
    std::size_t from, to;
    bool match;
    double share;
};

struct Automaton {
    std::vector<Edge> edges;

    Automaton(Tokens pattern, std::span<const double> share) {
        const std::size_t n = pattern.size();
        // Behind a whole match the automaton stands where its longest proper border ends.
        std::size_t border = 0;
        for (std::size_t k = n - 1; k > 0 && border == 0; --k)
            if (std::equal(pattern.begin(), pattern.begin() + static_cast<std::ptrdiff_t>(k),
                           pattern.end() - static_cast<std::ptrdiff_t>(k)))
                border = k;
        for (std::size_t state = 0; state < n; ++state) {
            double others = 1;
            for (std::size_t i = 0; i < n; ++i) {
                if (std::find(pattern.begin(), pattern.begin() + static_cast<std::ptrdiff_t>(i),
                              pattern[i]) != pattern.begin() + static_cast<std::ptrdiff_t>(i))
                    continue;
                others -= share[i];
                const std::size_t to = next_state(pattern, state, pattern[i]);
                edges.push_back({state, to == n ? border : to, to == n, share[i]});
            }
            edges.push_back({state, 0, false, std::max(others, 0.0)});
        }
    }
};

}  // namespace

double expected_matches(Tokens pattern, std::span<const double> share, std::int64_t length,
                        std::uint32_t most) {
    const std::size_t n = pattern.size();
    if (n == 0 || n > longest || length < static_cast<std::int64_t>(n)) return 0;
    for (const double p : share)
        if (p <= 0) return 0;
    const auto rows = static_cast<std::uint32_t>(std::min<std::int64_t>(most, length));
    const Automaton automaton(pattern, share);
    std::vector<double> now(rows * n, 0), then(rows * n);
    now[0] = 1;
    double expected = 0;
    // A match counts if fewer than `most` came before it; what has had that many is let go.
    for (std::int64_t step = 0; step < length; ++step) {
        std::fill(then.begin(), then.end(), 0.0);
        for (std::uint32_t had = 0; had < rows; ++had) {
            const double* from = &now[had * n];
            double matched = 0;
            for (const Edge& e : automaton.edges) {
                const double mass = from[e.from] * e.share;
                if (!e.match) {
                    then[had * n + e.to] += mass;
                } else {
                    matched += mass;
                    if (had + 1 < rows) then[(had + 1) * n + e.to] += mass;
                }
            }
            expected += matched;
        }
        now.swap(then);
    }
    return expected;
}

namespace {

// Expected counts for one item after another.
struct Expecter {
    explicit Expecter(const Profile& profile) : preparer(profile) {}

    Preparer preparer;
    std::vector<Prepared> texts;
    NGramPostings postings;
    std::vector<double> share;

    void expect(const TextItems& items, std::size_t item, std::int64_t length,
                std::span<const std::size_t> sizes, std::vector<double>& out) {
        const std::size_t start = items.first[item], count = items.first[item + 1] - start;
        const std::size_t pairs = items.first.back() - items.size();
        if (texts.size() < count) texts.resize(count);
        preparer.start_item();
        preparer.prepare_whole(items.text(start), texts[0]);
        for (std::size_t t = 1; t < count; ++t) preparer.prepare(items.text(start + t), texts[t]);
        const Tokens source = texts[0].text.all();
        share.assign(preparer.vocabulary_size(), 0);
        for (const std::uint32_t token : source) share[token] += 1;
        for (double& s : share) s /= static_cast<double>(std::max<std::size_t>(source.size(), 1));
        for (std::size_t m = 0; m < sizes.size(); ++m) {
            const std::size_t n = sizes[m];
            double* row = &out[3 * (m * pairs + items.pairs_before(item))];
            postings.build(texts, count, n, preparer.vocabulary_size());
            std::vector<double> shares(n);
            for (const GramCount& gram : postings.grams()) {
                const Tokens pattern = texts[gram.reference].text.all().subspan(gram.place, n);
                for (std::size_t i = 0; i < n; ++i) shares[i] = share[pattern[i]];
                row[3 * (gram.reference - 1)] +=
                    expected_matches(pattern, shares, length, gram.count);
            }
            const auto whole = [&](std::int64_t size) {
                return static_cast<double>(
                    std::max<std::int64_t>(size - static_cast<std::int64_t>(n) + 1, 0));
            };
            for (std::size_t r = 1; r < count; ++r) {
                row[3 * (r - 1) + 1] = whole(length);
                row[3 * (r - 1) + 2] = whole(static_cast<std::int64_t>(texts[r].text.all().size()));
            }
        }
    }
};

}  // namespace

std::vector<double> expected_ngrams(const TextItems& items, std::span<const std::int64_t> lengths,
                                    const Profile& profile, std::span<const std::size_t> sizes,
                                    unsigned threads) {
    const std::size_t n = items.size(), pairs = items.first.back() - n;
    std::vector<double> out(3 * sizes.size() * pairs, 0);
    for_each_item(n, threads, [&] {
        return [&, expecter = Expecter(profile)](std::size_t i) mutable {
            expecter.expect(items, i, lengths[i], sizes, out);
        };
    });
    return out;
}

}  // namespace tare::text
