#include "core/judged.hpp"

#include <algorithm>
#include <bit>

#include "core/seams.hpp"
#include "core/seen_ids.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"

namespace tare {
namespace {

struct Entry {
    double score;
    std::uint64_t hash;
    std::string_view doc;
};

void add_duplicate(const SegmentPiece& piece, std::string_view query, std::uint32_t row,
                   std::uint32_t earlier, Problems& duplicates) {
    const Segment& segment = *piece.segment;
    duplicates.add_duplicate(segment.line_of(piece.first + row),
                             segment.line_of(piece.first + earlier), query,
                             segment.doc(segment.rows[piece.first + row]));
}

// Puts entries in descending order of score. Within equal scores: by document id, descending
// (`trec`), or as given (`order` is not sorted at all, `expected` does not care).
// Returns how many documents share their score with another.
std::int64_t sort_entries(std::vector<Entry>& entries, Ties ties) {
    const auto by_score = [](const Entry& a, const Entry& b) { return a.score > b.score; };
    bool descending = true, tied = false;
    for (std::size_t i = 1; i < entries.size(); ++i) {
        descending &= entries[i - 1].score >= entries[i].score;
        tied |= entries[i - 1].score == entries[i].score;
    }
    if (descending && !tied) return 0;
    if (ties != Ties::order && !descending)
        std::stable_sort(entries.begin(), entries.end(), by_score);
    std::int64_t shared = 0;
    if (ties == Ties::order && !descending) {
        std::vector<double> scores(entries.size());
        std::transform(entries.begin(), entries.end(), scores.begin(),
                       [](const Entry& e) { return e.score; });
        std::sort(scores.begin(), scores.end());
        for (std::size_t i = 0; i < scores.size();) {
            std::size_t j = i + 1;
            while (j < scores.size() && scores[j] == scores[i]) ++j;
            if (j - i > 1) shared += static_cast<std::int64_t>(j - i);
            i = j;
        }
        return shared;
    }
    for (std::size_t i = 0; i < entries.size();) {
        std::size_t j = i + 1;
        while (j < entries.size() && entries[j].score == entries[i].score) ++j;
        if (j - i > 1) {
            shared += static_cast<std::int64_t>(j - i);
            if (ties == Ties::trec)
                std::sort(entries.begin() + static_cast<std::ptrdiff_t>(i),
                          entries.begin() + static_cast<std::ptrdiff_t>(j),
                          [](const Entry& a, const Entry& b) { return a.doc > b.doc; });
        }
        i = j;
    }
    return shared;
}

// How many documents share their score with another.
std::int64_t shared_scores(const std::vector<double>& scores) {
    struct Slot {
        double score;
        std::uint32_t round, count;
    };
    thread_local std::vector<Slot> scratch;
    thread_local std::uint32_t round = 0;
    std::vector<Slot>& slots = scratch;
    const std::size_t size = std::bit_ceil(2 * scores.size() + 2);
    if (slots.size() < size || round == UINT32_MAX) {
        slots.assign(std::max(size, slots.size()), Slot{0, 0, 0});
        round = 0;
    }
    const std::uint32_t now = ++round;  // old entries have another round, so nothing needs clearing
    std::int64_t shared = 0;
    for (const double score : scores) {
        std::size_t s =
            fold(std::bit_cast<std::uint64_t>(score + 0.0), 0x9e3779b97f4a7c15ULL) & (size - 1);
        for (;; s = (s + 1) & (size - 1)) {
            Slot& slot = slots[s];
            if (slot.round != now) {
                slot = {score, now, 1};
                break;
            }
            if (slot.score == score) {
                shared += ++slot.count == 2 ? 2 : 1;
                break;
            }
        }
    }
    return shared;
}

// Appends the ranks of the judged documents of a query whose ties are broken by document id,
// without putting all documents in order: few are judged, and how many scores are larger tells the
// rank of each. False, and nothing done, where many are judged or tied: then sorting is quicker.
bool rank_judged(const Qrels& qrels, std::size_t query, const std::vector<Entry>& entries,
                 JudgedQuery& judged, JudgedBatch& out) {
    constexpr std::size_t most_judged = 128, most_tied = 8;
    struct Found {
        const Entry* entry;
        std::int32_t rank, code;
    };
    thread_local std::vector<double> scratch;
    std::vector<double>& scores = scratch;
    Found found[most_judged];
    std::size_t count = 0, tied = 0;
    scores.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        scores[i] = entries[i].score;
        const std::int32_t code = qrels.code(query, entries[i].doc, entries[i].hash);
        if (code < 0) continue;
        if (count == most_judged) return false;
        found[count++] = {&entries[i], 0, code};
    }
    for (Found* f = found; f != found + count; ++f) {
        const double own = f->entry->score;
        std::int64_t larger = 0, equal = 0;
        for (const double score : scores) {
            larger += score > own;
            equal += score == own;
        }
        if (equal > 1) {
            if (++tied > most_tied) return false;
            larger += std::count_if(entries.begin(), entries.end(), [&](const Entry& o) {
                return o.score == own && o.doc > f->entry->doc;
            });
        }
        f->rank = static_cast<std::int32_t>(larger + 1);
    }
    std::sort(found, found + count, [](const Found& a, const Found& b) { return a.rank < b.rank; });
    for (const Found* f = found;
         f != found + count && f->rank <= static_cast<std::int64_t>(judged.retrieved); ++f) {
        out.ranks.push_back(f->rank);
        out.codes.push_back(f->code);
    }
    judged.tied = static_cast<std::uint32_t>(shared_scores(scores));
    return true;
}

}  // namespace

JudgedQuery judge_query(const Qrels& qrels, std::size_t query, std::span<const SegmentPiece> pieces,
                        const JudgeOptions& options, JudgedBatch& out, Problems* duplicates) {
    thread_local std::vector<Entry> scratch;
    thread_local SeenIds scratch_ids;
    std::vector<Entry>& entries = scratch;  // looked up once: thread-local storage is slow to reach
    SeenIds& seen = scratch_ids;
    entries.clear();
    for (const SegmentPiece& piece : pieces) {
        const Segment& segment = *piece.segment;
        if (duplicates != nullptr) seen.reset(piece.count);
        const auto id_of = [&](std::uint32_t i) {
            return segment.doc(segment.rows[piece.first + i]);
        };
        for (std::uint32_t i = 0; i < piece.count; ++i) {
            const Row& row = segment.rows[piece.first + i];
            const double score = options.single_precision
                                     ? static_cast<double>(static_cast<float>(row.value))
                                     : row.value;
            const std::string_view doc = segment.doc(row);
            const std::uint64_t hash = hash_id(doc);
            entries.push_back({score, hash, doc});
            if (duplicates == nullptr) continue;
            const std::int64_t before = seen.add(doc, hash, id_of);
            if (before >= 0)
                add_duplicate(piece, qrels.query(query), i, static_cast<std::uint32_t>(before),
                              *duplicates);
        }
    }
    const auto code_of = [&](const Entry& e) { return qrels.code(query, e.doc, e.hash); };
    if (options.condensed)
        std::erase_if(entries, [&](const Entry& e) { return code_of(e) < qrels.least_judged(); });
    JudgedQuery judged;
    judged.first = static_cast<std::uint32_t>(out.ranks.size());
    judged.present = true;
    const bool open = options.ties == Ties::expected;
    const bool ranges = open || options.groups;
    std::size_t keep = entries.size();
    if (options.depth > 0) keep = std::min(keep, static_cast<std::size_t>(options.depth));
    judged.retrieved = static_cast<std::uint32_t>(keep);
    const auto finished = [&] {
        judged.count = static_cast<std::uint32_t>(out.ranks.size()) - judged.first;
        return judged;
    };
    const bool sorted =
        std::is_sorted(entries.begin(), entries.end(),
                       [](const Entry& a, const Entry& b) { return a.score > b.score; });
    if (!sorted && !ranges && options.ties == Ties::trec &&
        rank_judged(qrels, query, entries, judged, out))
        return finished();
    judged.tied = static_cast<std::uint32_t>(sort_entries(entries, options.ties));
    std::size_t low = 0, high = 0;  // the tie group of i, as a half-open range
    auto group = static_cast<std::ptrdiff_t>(out.codes.size());  // its first judged document
    // Tied documents have no order, so that of the file must not show, not even in the last bit.
    const auto settle = [&] {
        std::sort(out.codes.begin() + group, out.codes.end(), std::greater<>{});
    };
    for (std::size_t i = 0; i < (open ? entries.size() : keep); ++i) {
        if (ranges && i >= high) {
            if (i >= keep) break;
            if (open) settle();
            group = static_cast<std::ptrdiff_t>(out.codes.size());
            low = i;
            high = i + 1;
            while (high < entries.size() && entries[high].score == entries[low].score) ++high;
        }
        const std::int32_t code = code_of(entries[i]);
        if (code < 0) continue;
        out.ranks.push_back(static_cast<std::int32_t>(i + 1));
        out.codes.push_back(code);
        if (ranges) {
            out.lows.push_back(static_cast<std::int64_t>(low + 1));
            out.highs.push_back(static_cast<std::int64_t>(high));
        }
    }
    if (open) settle();
    return finished();
}

void find_duplicates(const SegmentPiece& piece, std::string_view query, Problems& duplicates) {
    thread_local SeenIds scratch_ids;
    SeenIds& seen = scratch_ids;
    const Segment& segment = *piece.segment;
    seen.reset(piece.count);
    const auto id_of = [&](std::uint32_t i) { return segment.doc(segment.rows[piece.first + i]); };
    for (std::uint32_t i = 0; i < piece.count; ++i) {
        const std::int64_t before = seen.add(id_of(i), id_of);
        if (before >= 0)
            add_duplicate(piece, query, i, static_cast<std::uint32_t>(before), duplicates);
    }
}

Judged Judged::join(const std::vector<JudgedQuery>& queries,
                    const std::vector<JudgedBatch>& batches) {
    const std::size_t n = queries.size();
    Judged out;
    out.offsets.assign(n + 1, 0);
    out.retrieved.resize(n);
    out.tied.resize(n);
    out.present.resize(n);
    for (std::size_t q = 0; q < n; ++q) {
        out.offsets[q + 1] = out.offsets[q] + queries[q].count;
        out.retrieved[q] = queries[q].retrieved;
        out.tied[q] = queries[q].tied;
        out.present[q] = queries[q].present;
    }
    const auto total = static_cast<std::size_t>(out.offsets[n]);
    const auto append = [&](auto& to, auto JudgedBatch::* from) {
        if (std::all_of(batches.begin(), batches.end(),
                        [&](const JudgedBatch& batch) { return (batch.*from).empty(); }))
            return;
        to.reserve(total);
        for (const JudgedQuery& query : queries) {
            if (query.count == 0) continue;
            const auto first = (batches[query.batch].*from).begin() + query.first;
            to.insert(to.end(), first, first + query.count);
        }
    };
    append(out.ranks, &JudgedBatch::ranks);
    append(out.codes, &JudgedBatch::codes);
    append(out.lows, &JudgedBatch::lows);
    append(out.highs, &JudgedBatch::highs);
    return out;
}

Judged judge(const Qrels& qrels, const Rows& run, const JudgeOptions& options) {
    std::vector<JudgedQuery> judged(qrels.size());
    const std::size_t size = seams.grain != 0 ? seams.grain : 64;  // queries of a batch
    std::vector<JudgedBatch> batches((judged.size() + size - 1) / size);
    for_each_index(batches.size(), options.threads, 1, [&](std::size_t b) {
        std::vector<SegmentPiece> pieces;
        for (std::size_t q = b * size; q < std::min(judged.size(), (b + 1) * size); ++q) {
            const std::int64_t found = run.find(qrels.query(q));
            if (found < 0) continue;
            pieces.clear();
            run.for_each_piece(static_cast<std::size_t>(found), [&](const Rows::PieceRef& piece) {
                pieces.push_back({&run.segment(piece.segment), piece.first, piece.count});
            });
            judged[q] = judge_query(qrels, q, pieces, options, batches[b]);
            judged[q].batch = static_cast<std::uint32_t>(b);
        }
    });
    return Judged::join(judged, batches);
}

}  // namespace tare
